# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kullback-Leibler divergence of rows of log-probabilities from rows of targets, as the mean over the rows."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def kl_div(log_p: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    n, v = log_p.size()
    assert target.size(0) == n and target.size(1) == v
    losses = torch.empty([n], dtype=torch.float32, device=log_p.device)
    for tile_i in hl.tile(n):
        loss = torch.zeros([tile_i], dtype=torch.float32)
        for tile_j in hl.tile(v):
            t = target[tile_i, tile_j].to(torch.float32)
            part = torch.where(t > 0, t * (torch.log(t) - log_p[tile_i, tile_j].to(torch.float32)), 0.0)
            loss += torch.sum(part, dim=-1)
        losses[tile_i] = loss
    return torch.sum(losses) / n
