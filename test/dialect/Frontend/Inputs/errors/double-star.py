# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 16:24 scaled(x[tile, :], **{})|`**` arguments are not supported in kernels
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    def scaled(v, **options):
        return v
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = scaled(x[tile, :], **{})
    return out
