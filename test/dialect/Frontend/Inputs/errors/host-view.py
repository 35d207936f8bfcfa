# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 12:12 x.view(x.size(1), x.size(0))|cannot see how `x` takes this shape; a `view` on the host merges or splits neighbouring dims
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    flat = x.view(x.size(1), x.size(0))
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = flat[tile, :]
    return out
