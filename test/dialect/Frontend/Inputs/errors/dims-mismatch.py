# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 16:24 a + b|dims `64` and `128` do not match
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        a = hl.zeros([tile, 64])
        b = hl.zeros([tile, 128])
        out[tile, :] = a + b
    return out
