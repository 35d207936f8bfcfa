# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:13 inner|`acc` is a number before the loop and a tile value after an iteration; begin with `hl.zeros` or `hl.full`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        acc = 0.0
        for inner in hl.tile(x.size(1)):
            acc = acc + x[tile, inner].sum(-1)
        out[tile, :] = acc[:, None]
    return out
