# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backward of RMS norm. The gradient of the weight is summed per span of rows by each program, then over the spans on the
host: the plan has two launches and a workspace whose size depends on the registered block."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def rms_norm_bwd(
    dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    m, n = x.size()
    assert dy.size(0) == m and dy.size(1) == n
    assert w.size(0) == n and rstd.size(0) == m
    block_c = hl.register_block_size(m)
    dx = torch.empty_like(x)
    dw_part = x.new_empty([(m + block_c - 1) // block_c, n], dtype=torch.float32)
    for tile_c in hl.tile(m, block_size=block_c):
        acc = hl.zeros([n], dtype=torch.float32)
        weight = w[None, :].to(torch.float32)
        for tile_i in hl.tile(tile_c.begin, tile_c.end):
            g = dy[tile_i, :].to(torch.float32)
            r = rstd[tile_i][:, None]
            normed = x[tile_i, :].to(torch.float32) * r
            acc += (g * normed).sum(0)
            wg = g * weight
            mean = (wg * normed).sum(-1, keepdim=True) / n
            dx[tile_i, :] = ((wg - normed * mean) * r).to(x.dtype)
        dw_part[tile_c.id, :] = acc
    dw = dw_part.sum(0).to(w.dtype)
    return dx, dw
