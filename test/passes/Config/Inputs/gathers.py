# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads whose indices and masks are computed, wider than what is loaded."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def gather(ids: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    n = ids.size(0)
    out = torch.empty([n], dtype=w.dtype, device=w.device)
    for tile in hl.tile(n):
        at = ids[tile].to(torch.int64)
        out[tile] = w[at * 2] + w[at] * 3
    return out


@helion.kernel(static_shapes=False)
def masked_gather(ids: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    n = ids.size(0)
    out = torch.empty([n], dtype=w.dtype, device=w.device)
    for tile in hl.tile(n):
        at = ids[tile].to(torch.int64)
        out[tile] = hl.load(w, [at * 2], extra_mask=at > 3) + hl.load(w, [at], extra_mask=at < 1000)
    return out
