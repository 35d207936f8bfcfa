# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 16:24 row|`row` is only assigned on one side of the branch before
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        if x[0, 0] > 0:
            row = x[tile, :]
        out[tile, :] = row
    return out
