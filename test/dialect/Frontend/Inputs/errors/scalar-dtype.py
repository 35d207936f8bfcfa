# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=u8
# error: --args:3 u8|a scalar of `u8` is not supported; pass a wider type
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
