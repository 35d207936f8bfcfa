# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=u8[?,?]
# error: 14:24 x[tile, :] + 1|arithmetic on `u8` is not supported; signed integers and floats are
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :] + 1
    return out
