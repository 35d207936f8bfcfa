# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of a table by index: a loaded integer tile is the index of another load."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def embedding(ids: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    n = ids.size(0)
    d = w.size(1)
    out = torch.empty([n, d], dtype=w.dtype, device=w.device)
    for tile_i, tile_e in hl.tile([n, d]):
        out[tile_i, tile_e] = w[ids[tile_i], tile_e]
    return out
