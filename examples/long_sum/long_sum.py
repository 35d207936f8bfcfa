# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of long rows, in two ways: one program per row block that walks the row, or partial sums and a second step."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def long_sum(x: torch.Tensor) -> torch.Tensor:
    """Each lane of the accumulator sums every block_n-th element; one reduction ends it."""
    m, n = x.size()
    out = torch.empty([m], dtype=torch.float32, device=x.device)
    block_n = hl.register_block_size(n)
    for tile_i in hl.tile(m):
        acc = hl.zeros([tile_i, block_n], dtype=torch.float32)
        for tile_n in hl.tile(n, block_size=block_n):
            acc += x[tile_i, tile_n].to(torch.float32)
        out[tile_i] = acc.sum(-1)
    return out


@helion.kernel(static_shapes=False)
def long_sum_split(x: torch.Tensor) -> torch.Tensor:
    """Rows are cut into parts, so that few long rows still make many programs; a second step adds the parts."""
    m, n = x.size()
    block_c = hl.register_block_size(n)
    parts = torch.empty([helion.cdiv(n, block_c), m], dtype=torch.float32, device=x.device)
    for tile_i, tile_c in hl.tile([m, n], block_size=[None, block_c]):
        parts[tile_c.id, tile_i] = x[tile_i, tile_c].to(torch.float32).sum(dim=1)
    return parts.sum(0)
