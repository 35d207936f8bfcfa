# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x + y on vectors: one tile loop, the smallest complete kernel."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n = x.size(0)
    assert n == y.size(0), "x and y have one length"
    out = torch.empty([n], dtype=torch.promote_types(x.dtype, y.dtype), device=x.device)
    for tile_i in hl.tile(n):
        out[tile_i] = x[tile_i] + y[tile_i]
    return out
