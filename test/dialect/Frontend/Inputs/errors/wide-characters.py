# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 12:35 x.foo|unsupported attribute or method `.foo` of a host tensor
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    größe = x.size(0); Überlauf = x.foo
    for tile in hl.tile(größe):
        pass
    return x
