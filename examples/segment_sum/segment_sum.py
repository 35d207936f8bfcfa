# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of the rows that have one id, for ids that mostly come in runs: a scan adds up each run of a tile, and its last row is added to the
result. Each id is at least 0 and less than the number of segments; sorted ids make the longest runs."""
import torch

import helion
import helion.language as hl


def add_run(left_sums, left_starts, right_sums, right_starts):
    """Associative whatever the ids are: what stands left of the start of a run does not count."""
    return torch.where(right_starts != 0, right_sums, left_sums + right_sums), left_starts | right_starts


@helion.kernel(static_shapes=False)
def segment_sum(ids: torch.Tensor, x: torch.Tensor, segments: int) -> torch.Tensor:
    n, d = x.size()
    assert ids.size(0) == n
    out = torch.zeros([segments, d], dtype=torch.float32, device=x.device)
    for tile_n, tile_d in hl.tile([n, d]):
        own, place = ids[tile_n], tile_n.index
        before = hl.load(ids, [place - 1], extra_mask=place > tile_n.begin)
        following = hl.load(ids, [place + 1], extra_mask=place + 1 < tile_n.end)
        starts = (own != before) | (place == tile_n.begin)
        ends = (own != following) | (place + 1 == tile_n.end)
        rows = x[tile_n, tile_d].to(torch.float32)
        sums, _ = hl.associative_scan(add_run, (rows, starts.to(torch.int32)[:, None].expand_as(rows)), dim=0)
        hl.atomic_add(out, [own, tile_d], torch.where(ends[:, None], sums, 0.0))
    return out
