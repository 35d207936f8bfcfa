# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cross entropy of rows of logits with one label each: the loss of every row. Labels lie in the row."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    n, v = logits.size()
    assert labels.size(0) == n
    losses = torch.empty([n], dtype=torch.float32, device=logits.device)
    flat = logits.view(-1)
    for tile_i in hl.tile(n):
        picked = flat[tile_i.index * v + labels[tile_i]].to(torch.float32)
        row = logits[tile_i, :].to(torch.float32)
        largest = torch.amax(row, dim=-1)
        total = torch.sum(torch.exp(row - largest[:, None]), dim=-1)
        losses[tile_i] = largest + torch.log(total) - picked
    return losses


@helion.kernel(static_shapes=False)
def cross_entropy_mean(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean over the rows, in a second launch of one program."""
    n, v = logits.size()
    assert labels.size(0) == n
    losses = torch.empty([n], dtype=torch.float32, device=logits.device)
    flat = logits.view(-1)
    for tile_i in hl.tile(n):
        picked = flat[tile_i.index * v + labels[tile_i]].to(torch.float32)
        row = logits[tile_i, :].to(torch.float32)
        largest = torch.amax(row, dim=-1)
        total = torch.sum(torch.exp(row - largest[:, None]), dim=-1)
        losses[tile_i] = largest + torch.log(total) - picked
    return losses.mean()
