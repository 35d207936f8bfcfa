# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embedding: element d of a head turns with element d + width / 2, by the angle of its position."""
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    batch, heads, length, _ = x.size()
    width = hl.specialize(x.size(3))
    half = width // 2
    assert cos.size(0) == length and cos.size(1) == half
    assert sin.size(0) == length and sin.size(1) == half
    out = torch.empty_like(x)
    for tile_b, tile_h, tile_t in hl.tile([batch, heads, length]):
        low = hl.arange(half)
        high = low + half
        c = cos[tile_t, :].to(torch.float32)[None, None, :, :]
        s = sin[tile_t, :].to(torch.float32)[None, None, :, :]
        first = x[tile_b, tile_h, tile_t, low].to(torch.float32)
        second = x[tile_b, tile_h, tile_t, high].to(torch.float32)
        out[tile_b, tile_h, tile_t, low] = (first * c - second * s).to(x.dtype)
        out[tile_b, tile_h, tile_t, high] = (second * c + first * s).to(x.dtype)
    return out
