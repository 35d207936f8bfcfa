# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:17 hl.register_block_size(64)|`hl.register_block_size` stands outside the tile loops
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        block = hl.register_block_size(64)
        out[tile, :] = x[tile, :]
    return out
