# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of sanitize.py that no example has."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def scatter_add(ids: torch.Tensor, x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(like)
    for tile_i, tile_e in hl.tile([ids.size(0), x.size(1)]):
        hl.atomic_add(out, [ids[tile_i], tile_e], x[tile_i, tile_e])
    return out
