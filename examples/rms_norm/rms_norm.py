# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RMS norm over the last dim, with the reciprocal root per row as a second result for the backward pass."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    m, n = x.size()
    assert w.size(0) == n
    out = torch.empty_like(x)
    rstd = torch.empty([m], dtype=torch.float32, device=x.device)
    for tile_m in hl.tile(m):
        row = x[tile_m, :].to(torch.float32)
        r = torch.rsqrt(torch.mean(row * row, dim=-1) + eps)
        out[tile_m, :] = (row * r[:, None] * w[:].to(torch.float32)).to(x.dtype)
        rstd[tile_m] = r
    return out, rstd
