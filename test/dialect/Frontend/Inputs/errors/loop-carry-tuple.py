# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:22 hl.tile(x.size(1))|the loop changes `scales`, a tuple; only tile values and numbers are carried
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        scales = (1.0, 2.0)
        for inner in hl.tile(x.size(1)):
            scales = (scales[1], scales[0])
        out[tile, :] = x[tile, :] * scales[0]
    return out
