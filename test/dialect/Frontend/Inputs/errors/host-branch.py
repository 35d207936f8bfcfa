# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 13:8 x.size(1) > 1024|`x.size(1) > 1024` is not known for this signature; give the sizes in --args, as in `x=bf16[?,128]`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    if x.size(1) > 1024:
        out = torch.zeros_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
