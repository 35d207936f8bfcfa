# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:24 x[tile, :].cummax|unsupported attribute or method `.cummax` of a tile value
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :].cummax(1)
    return out
