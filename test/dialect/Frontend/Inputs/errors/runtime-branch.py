# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:12 x[tile, 0] > 0|a branch on a tile value is not supported; use `torch.where`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        if x[tile, 0] > 0:
            out[tile, :] = x[tile, :]
    return out
