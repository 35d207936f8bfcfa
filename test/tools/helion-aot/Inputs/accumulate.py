# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""x += 2 y in place, with the sums of the new rows as a result."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def accumulate(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    m, n = x.size()
    assert y.size(0) == m and y.size(1) == n
    sums = torch.empty([m], dtype=torch.float32, device=x.device)
    for tile_i in hl.tile(m):
        row = x[tile_i, :] + 2 * y[tile_i, :]
        sums[tile_i] = row.sum(-1)
        x[tile_i, :] = row
    return sums
