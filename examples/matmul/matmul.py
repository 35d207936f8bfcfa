# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix product: a tile of the result per program, a loop over k with an f32 accumulator, one rounding at the end."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def matmul(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    m, k = x.size()
    k2, n = y.size()
    assert k == k2, f"x has {k} columns, y has {k2} rows"
    out = torch.empty([m, n], dtype=torch.promote_types(x.dtype, y.dtype), device=x.device)
    for tile_i, tile_j in hl.tile([m, n]):
        acc = hl.zeros([tile_i, tile_j], dtype=torch.float32)
        for tile_k in hl.tile(k):
            acc = torch.addmm(acc, x[tile_i, tile_k], y[tile_k, tile_j])
        out[tile_i, tile_j] = acc.to(out.dtype)
    return out
