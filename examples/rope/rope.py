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


@helion.kernel(static_shapes=False)
def rope_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The same by whole heads: each is split into its halves, and what they become is joined again."""
    batch, heads, length, _ = x.size()
    width = hl.specialize(x.size(3))
    half = width // 2
    assert cos.size(0) == length and cos.size(1) == half
    assert sin.size(0) == length and sin.size(1) == half
    out = torch.empty_like(x)
    for tile_b, tile_h, tile_t in hl.tile([batch, heads, length]):
        c = cos[tile_t, :].to(torch.float32)[None, None, :, :]
        s = sin[tile_t, :].to(torch.float32)[None, None, :, :]
        head = x[tile_b, tile_h, tile_t, :].to(torch.float32)
        first, second = hl.split(head.reshape([tile_b, tile_h, tile_t, 2, half]).permute(0, 1, 2, 4, 3))
        turned = hl.join(first * c - second * s, second * c + first * s).permute(0, 1, 2, 4, 3)
        out[tile_b, tile_h, tile_t, :] = turned.reshape([tile_b, tile_h, tile_t, width]).to(x.dtype)
    return out


@helion.kernel(static_shapes=False)
def rope_interleaved(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Element 2 d turns with element 2 d + 1."""
    batch, heads, length, _ = x.size()
    width = hl.specialize(x.size(3))
    half = width // 2
    assert cos.size(0) == length and cos.size(1) == half
    assert sin.size(0) == length and sin.size(1) == half
    out = torch.empty_like(x)
    for tile_b, tile_h, tile_t in hl.tile([batch, heads, length]):
        c = cos[tile_t, :].to(torch.float32)[None, None, :, :]
        s = sin[tile_t, :].to(torch.float32)[None, None, :, :]
        head = x[tile_b, tile_h, tile_t, :].to(torch.float32)
        first, second = hl.split(head.reshape([tile_b, tile_h, tile_t, half, 2]))
        turned = hl.join(first * c - second * s, second * c + first * s)
        out[tile_b, tile_h, tile_t, :] = turned.reshape([tile_b, tile_h, tile_t, width]).to(x.dtype)
    return out
