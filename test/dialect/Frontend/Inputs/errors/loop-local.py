# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 16:24 last|`last` is only assigned inside the loop before; give it a value ahead of the loop
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        for inner in hl.tile(x.size(1)):
            last = x[tile, inner].sum(-1)
        out[tile, :] = last[:, None]
    return out
