# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 1:1 #|no kernel in this file; a kernel is a function decorated with `@helion.kernel`
import torch

import helion
import helion.language as hl


def kernel(x):
    return x
