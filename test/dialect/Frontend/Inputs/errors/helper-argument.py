# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 18:24 scaled(x[tile, :])|`scaled` needs argument `factor`
import torch

import helion
import helion.language as hl


def scaled(v, factor):
    return v * factor


@helion.kernel()
def kernel(x):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = scaled(x[tile, :])
    return out
