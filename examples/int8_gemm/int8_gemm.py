# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Product of int8 matrices with a scale for each row and each column, as quantised linear layers have it. Weights are [N, K],
as such layers hold them: both operands are contiguous along K, as integer matrix instructions take them. Sums are exact in int32."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def int8_gemm(x: torch.Tensor, w: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    m, k = x.size()
    n, k2 = w.size()
    assert k == k2, f"x has {k} columns, w has {k2}"
    assert x_scale.size(0) == m and w_scale.size(0) == n
    out = torch.empty([m, n], dtype=x_scale.dtype, device=x.device)
    for tile_m, tile_n in hl.tile([m, n]):
        acc = hl.zeros([tile_m, tile_n], dtype=torch.int32)
        for tile_k in hl.tile(k):
            acc = hl.dot(x[tile_m, tile_k], w[tile_n, tile_k].transpose(0, 1), acc=acc)
        scale = x_scale[tile_m].to(torch.float32)[:, None] * w_scale[tile_n].to(torch.float32)[None, :]
        out[tile_m, tile_n] = (acc.to(torch.float32) * scale).to(out.dtype)
    return out
