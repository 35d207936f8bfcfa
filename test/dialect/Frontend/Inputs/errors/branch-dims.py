# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:12 x[0, 0] > 0|`row` is [bi@i] after one branch and [bi@i, rx1@x1] after the other
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        if x[0, 0] > 0:
            row = x[tile, 0]
        else:
            row = x[tile, :]
        out[tile, :] = row
    return out
