# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:24 hl.zeros([tile, 64]) @ hl.zeros([128, 64])|the contracted dims `64` and `128` do not match
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = hl.zeros([tile, 64]) @ hl.zeros([128, 64])
    return out
