# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:22 hl.jagged_tile(x.size(1))|`hl.jagged_tile` takes the lengths of the rows of a tile loop around it, integers, not a size
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.zeros_like(x)
    for tile_b in hl.tile(x.size(0)):
        for inner in hl.jagged_tile(x.size(1)):
            out[tile_b, inner] = x[tile_b, inner]
    return out
