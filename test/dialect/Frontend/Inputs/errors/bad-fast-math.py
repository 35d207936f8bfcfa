# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 10:16 fast_math=1|`fast_math` is `True` or `False`
import torch

import helion
import helion.language as hl


@helion.kernel(fast_math=1)
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
