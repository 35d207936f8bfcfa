# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 11:5 kernel|kernel `kernel` has parameter `*rest`, which is not supported
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor, *rest):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
