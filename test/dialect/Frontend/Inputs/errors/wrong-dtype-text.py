# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# args: x=fp32[?,?]
# error: --args:3 fp32|unknown dtype `fp32`; one of `bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f8e4m3fn`, `f8e5m2`, `f16`, `bf16`, `f32`, `f64`
import torch

import helion
import helion.language as hl


@helion.kernel()
def kernel(x: torch.Tensor):
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile, :] = x[tile, :]
    return out
