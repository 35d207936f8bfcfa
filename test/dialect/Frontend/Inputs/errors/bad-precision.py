# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 10:16 dot_precision="half"|`dot_precision` is one of `'tf32'`, `'tf32x3'`, `'ieee'`
import torch

import helion
import helion.language as hl


@helion.kernel(dot_precision="half")
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
