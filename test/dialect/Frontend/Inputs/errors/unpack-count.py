# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:9 a, b|`1` values are unpacked into `2` names
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        a, b = x[tile, :].shape[0:1]
        out[tile, :] = x[tile, :]
    return out
