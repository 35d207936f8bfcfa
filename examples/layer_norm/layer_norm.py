# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer norm with an optional bias over a dim whose size is part of the signature: `bias=none` and `x=bf16[?,1024]` give a
kernel without a branch and with constant extents."""
from typing import Optional

import torch

import helion
import helion.language as hl


@helion.aot_kernel()
def layer_norm(x: torch.Tensor, w: torch.Tensor, bias: Optional[torch.Tensor] = None, eps: float = 1e-5) -> torch.Tensor:
    m = x.size(0)
    n = hl.specialize(x.size(1))
    assert w.size(0) == n
    if bias is not None:
        assert bias.size(0) == n
    out = torch.empty_like(x)
    for tile_m in hl.tile(m):
        row = x[tile_m, :].to(torch.float32)
        var, mean = torch.var_mean(row, dim=-1, keepdim=True, correction=0)
        y = (row - mean) * torch.rsqrt(var + eps) * w[:].to(torch.float32)
        if bias is not None:
            y = y + bias[:].to(torch.float32)
        out[tile_m, :] = y.to(x.dtype)
    return out
