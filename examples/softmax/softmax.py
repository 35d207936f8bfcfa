# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax over the last dim, a whole row per program. Whether a row is held at once or walked in steps is a choice."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def softmax(x: torch.Tensor) -> torch.Tensor:
    m, n = x.size()
    out = torch.empty_like(x)
    for tile_i in hl.tile(m):
        row = x[tile_i, :].to(torch.float32)
        largest = torch.amax(row, dim=1, keepdim=True)
        e = torch.exp(row - largest)
        out[tile_i, :] = (e / torch.sum(e, dim=1, keepdim=True)).to(x.dtype)
    return out


@helion.kernel(static_shapes=False)
def softmax_online(x: torch.Tensor) -> torch.Tensor:
    """Two walks over each row: the running maximum and sum, then the values."""
    m, n = x.size()
    out = torch.empty_like(x)
    block_n = hl.register_block_size(n)
    for tile_i in hl.tile(m):
        largest = hl.full([tile_i], float("-inf"), dtype=torch.float32)
        total = hl.zeros([tile_i], dtype=torch.float32)
        for tile_n in hl.tile(n, block_size=block_n):
            part = x[tile_i, tile_n].to(torch.float32)
            larger = torch.maximum(largest, torch.amax(part, dim=1))
            total = total * torch.exp(largest - larger) + torch.exp(part - larger[:, None]).sum(dim=1)
            largest = larger
        for tile_n in hl.tile(n, block_size=block_n):
            part = x[tile_i, tile_n].to(torch.float32)
            out[tile_i, tile_n] = torch.exp(part - largest[:, None]) / total[:, None]
    return out
