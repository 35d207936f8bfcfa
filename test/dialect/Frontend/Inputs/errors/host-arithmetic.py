# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:12 out * out|host tensor arithmetic on `out` is not supported; only `.sum(..)`, `.mean(..)`, `.to(dtype)` and `+ - * /` with numbers after the tile loops are
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out * out
