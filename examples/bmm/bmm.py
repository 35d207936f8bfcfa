# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of matrix products; the batch is tiled like the rows and the columns."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False, dot_precision="ieee")
def bmm(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    batch, m, k = x.size()
    n = y.size(2)
    assert y.size(0) == batch and y.size(1) == k
    out = torch.empty([batch, m, n], dtype=x.dtype, device=x.device)
    for tile_b, tile_m, tile_n in hl.tile([batch, m, n]):
        acc = hl.zeros([tile_b, tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            acc = torch.baddbmm(acc, x[tile_b, tile_m, tile_k], y[tile_b, tile_k, tile_n])
        out[tile_b, tile_m, tile_n] = acc.to(out.dtype)
    return out
