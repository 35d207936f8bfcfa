# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=float
# error: --args:3 float|unknown value `float`; write a tensor `bf16[?,128]`, a scalar dtype `f32`, a fixed value `64`, or `none`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
