# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:13 inner|`acc` is carried with dims [bi@i], but an iteration makes them [bi@i, binner@inner]
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        acc = hl.zeros([tile], dtype=torch.float32)
        for inner in hl.tile(x.size(1)):
            acc = acc[:, None] + x[tile, inner]
        out[tile, :] = acc
    return out
