# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 13:17 hl.tile([x.size(0), x.size(1)], block_size=[16])|`block_size` has `1` entries for `2` dims
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for a, b in hl.tile([x.size(0), x.size(1)], block_size=[16]):
        out[a, b] = x[a, b]
    return out
