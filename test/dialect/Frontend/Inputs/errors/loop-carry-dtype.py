# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 15:13 inner|`acc` is carried as `bf16`, but an iteration makes it `f32`; cast it with `.to`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        acc = hl.zeros([tile], dtype=torch.bfloat16)
        for inner in hl.tile(x.size(1)):
            acc = acc.to(torch.float32) + x[tile, inner].sum(-1)
        out[tile, :] = acc[:, None]
    return out
