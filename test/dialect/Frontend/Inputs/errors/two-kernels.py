# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=f32[?,?]
# error: 16:5 second|this file has `2` kernels (`first`, `second`); choose one with --kernel
import torch

import helion
import helion.language as hl


@helion.kernel()
def first(x):
    return x


@helion.jit
def second(x):
    return x
