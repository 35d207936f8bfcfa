# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 11:11 (|broken Python syntax: '(' was never closed
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x:
    return x
