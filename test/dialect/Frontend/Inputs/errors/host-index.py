# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 13:13 x[0]|host tensor `x` is indexed outside the tile loops
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    first = x[0]
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
