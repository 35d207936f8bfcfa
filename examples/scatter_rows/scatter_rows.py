# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows to places by index: a loaded integer tile says where a store goes. Each place is given at most once; others are 0."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def scatter_rows(ids: torch.Tensor, x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    n, d = x.size()
    assert ids.size(0) == n and like.size(1) == d
    out = torch.zeros_like(like)
    for tile_i, tile_e in hl.tile([n, d]):
        out[ids[tile_i], tile_e] = x[tile_i, tile_e]
    return out
