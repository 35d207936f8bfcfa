# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:13 inner|`acc` is a tile value before the loop and a tuple after an iteration
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        acc = hl.zeros([tile])
        for inner in hl.tile(x.size(1)):
            acc = (acc, inner)
        out[tile, :] = acc
    return out
