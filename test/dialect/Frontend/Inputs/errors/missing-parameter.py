# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 11:29 y: torch.Tensor|parameter `y` has no value; add it to --args, as in `y=bf16[?,?]`, `y=f32` or `y=none`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor, y: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
