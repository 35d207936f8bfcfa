# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?] lengths=i64[?]
# error: 16:25 x[inner]|dim `binner@inner` of a jagged tile is used without dim `bb@b` of its lengths
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor, lengths: torch.Tensor):
    out = torch.zeros_like(lengths, dtype=torch.float32)
    for tile_b in hl.tile(lengths.size(0)):
        acc = hl.zeros([tile_b])
        for inner in hl.jagged_tile(lengths[tile_b]):
            acc = acc + x[inner].sum(0)
        out[tile_b] = acc
    return out
