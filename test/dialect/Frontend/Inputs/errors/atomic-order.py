# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 14:9 hl.atomic_add(out, [tile, 0], x[tile, 0], sem="seq_cst")|`sem` is one of `relaxed`, `acquire`, `release`, `acq_rel`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        hl.atomic_add(out, [tile, 0], x[tile, 0], sem="seq_cst")
    return out
