# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,0]
# error: 14:24 x[tile, :]|the signature says that dim `1` of `x` has no elements: there is nothing to slice
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
