# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 11:12 torch.roll(v, 1)|unsupported op `torch.roll`
import torch

import helion
import helion.language as hl


def shifted(v):
    return torch.roll(v, 1)


@helion.kernel()
def kernel(x):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = shifted(x[tile, :])
    return out
