# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?] n=i32
# error: 11:29 n: hl.constexpr|parameter `n` is a constexpr; give its value in --args, as in `n=64`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor, n: hl.constexpr):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
