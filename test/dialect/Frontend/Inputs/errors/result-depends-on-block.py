# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 11:5 kernel|the size of result `parts` depends on a block size, which the caller does not know
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    block = hl.register_block_size(x.size(0))
    parts = torch.empty([helion.cdiv(x.size(0), block), x.size(1)], dtype=torch.float32)
    for tile in hl.tile(x.size(0), block_size=block):
        parts[tile.id, :] = x[tile, :].sum(0)
    return parts
