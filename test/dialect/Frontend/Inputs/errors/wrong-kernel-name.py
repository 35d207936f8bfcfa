# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# kernel: third
# error: 1:1 #|no kernel `third` in this file; it has `first`
import torch

import helion
import helion.language as hl


@helion.kernel()
def first(x):
    return x
