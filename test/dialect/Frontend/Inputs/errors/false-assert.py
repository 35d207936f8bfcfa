# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,32]
# error: 12:12 x.size(1) == 64|the assert is false for this signature
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    assert x.size(1) == 64
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
