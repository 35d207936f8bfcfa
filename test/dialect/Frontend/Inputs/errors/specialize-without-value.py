# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 12:9 hl.specialize(x.size(1))|`hl.specialize` needs the value of `x.size(1)`; give it in --args, as in `x=bf16[?,128]` or `n=64`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    n = hl.specialize(x.size(1))
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :] / n
    return out
