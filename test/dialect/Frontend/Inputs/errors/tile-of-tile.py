# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:22 hl.tile(tile)|a tile cannot be a bound of a loop; write `hl.tile(tile.begin, tile.end)` for a loop inside it
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        for inner in hl.tile(tile):
            out[inner, :] = x[inner, :]
    return out
