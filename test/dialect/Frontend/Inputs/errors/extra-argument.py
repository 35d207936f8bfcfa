# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:24 torch.exp(x[tile, :], out=out)|`torch.exp` has no argument `out` here
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = torch.exp(x[tile, :], out=out)
    return out
