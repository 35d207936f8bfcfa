# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 10:16 stattic_shapes=True|`stattic_shapes` is no setting of a kernel
import torch

import helion
import helion.language as hl


@helion.kernel(stattic_shapes=True)
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
