# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?] z=f32[?]
# error: --args:12 z|kernel `kernel` has no parameter `z`; it has `x`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
