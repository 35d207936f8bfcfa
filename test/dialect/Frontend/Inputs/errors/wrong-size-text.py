# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,n]
# error: --args:9 n|size `n` is neither `?` nor a number from 0
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
