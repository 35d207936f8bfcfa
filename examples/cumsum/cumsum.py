# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums of rows, in two ways: the whole row in one tile, or piece after piece with what came before carried along."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def cumsum(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile_m in hl.tile(x.size(0)):
        out[tile_m, :] = torch.cumsum(x[tile_m, :], dim=1)
    return out


@helion.kernel(static_shapes=False)
def cumsum_long(x: torch.Tensor) -> torch.Tensor:
    """For rows that are longer than a tile holds, or of lengths that vary widely."""
    m, n = x.size()
    out = torch.empty_like(x)
    for tile_m in hl.tile(m):
        before = hl.zeros([tile_m], dtype=torch.float32)
        for tile_n in hl.tile(n):
            values = x[tile_m, tile_n].to(torch.float32)
            out[tile_m, tile_n] = (before[:, None] + torch.cumsum(values, dim=1)).to(x.dtype)
            before = before + values.sum(dim=1)
    return out
