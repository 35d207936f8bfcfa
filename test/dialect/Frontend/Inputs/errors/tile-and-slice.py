# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:32 x[tile, inner] + x[tile, :]|dims `binner@inner` and `rx1@x1` do not match
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        for inner in hl.tile(x.size(1)):
            out[tile, inner] = x[tile, inner] + x[tile, :]
    return out
