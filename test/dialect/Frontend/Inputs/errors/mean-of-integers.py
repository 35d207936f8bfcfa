# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=i32[?,?]
# error: 14:24 x[tile, :].mean(-1)|this reduction needs a float, not `i32`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :].mean(-1)[:, None]
    return out
