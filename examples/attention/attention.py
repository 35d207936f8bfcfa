# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with online softmax. Heads are folded into the batch on the host; the head dim is part of the signature."""
import math

import torch

import helion
import helion.language as hl

LOG2_E = 1.4426950408889634


def fold_heads(t: torch.Tensor, length: int, width: int) -> torch.Tensor:
    return t.reshape([-1, length, width])


@helion.kernel(static_shapes=False, dot_precision="ieee")
def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    m = q.size(2)
    s = k.size(2)
    assert k.size(0) == q.size(0) and k.size(1) == q.size(1)
    assert v.size(0) == q.size(0) and v.size(1) == q.size(1) and v.size(2) == s
    width = hl.specialize(q.size(3))
    assert k.size(3) == width == v.size(3)
    qv = fold_heads(q, m, width)
    kv = fold_heads(k, s, width).transpose(1, 2)
    vv = fold_heads(v, s, width)
    out = torch.empty_like(q)
    ov = fold_heads(out, m, width)
    scale = LOG2_E / math.sqrt(width)
    for tile_b, tile_i in hl.tile([qv.size(0), m]):
        largest = hl.full([tile_b, tile_i], float("-inf"), dtype=torch.float32)
        total = torch.zeros_like(largest)
        acc = hl.zeros([tile_b, tile_i, width], dtype=torch.float32)
        queries = qv[tile_b, tile_i, :]
        for tile_n in hl.tile(s):
            scores = hl.dot(queries, kv[tile_b, :, tile_n], out_dtype=torch.float32) * scale
            larger = torch.maximum(largest, torch.amax(scores, -1))
            p = torch.exp2(scores - larger[:, :, None])
            shrink = torch.exp2(largest - larger)
            total = total * shrink + torch.sum(p, -1)
            acc = torch.baddbmm(acc * shrink[:, :, None], p.to(v.dtype), vv[tile_b, tile_n, :])
            largest = larger
        ov[tile_b, tile_i, :] = (acc / total[:, :, None]).to(q.dtype)
    return out


@helion.kernel(static_shapes=False, dot_precision="ieee")
def attention_causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A query sees the keys up to its own place."""
    m = q.size(2)
    assert k.size(0) == q.size(0) and k.size(1) == q.size(1) and k.size(2) == m
    assert v.size(0) == q.size(0) and v.size(1) == q.size(1) and v.size(2) == m
    width = hl.specialize(q.size(3))
    assert k.size(3) == width == v.size(3)
    qv = fold_heads(q, m, width)
    kv = fold_heads(k, m, width)
    vv = fold_heads(v, m, width)
    out = torch.empty_like(qv)
    scale = LOG2_E / math.sqrt(width)
    for tile_b, tile_i in hl.tile([qv.size(0), m]):
        largest = hl.full([tile_b, tile_i], float("-inf"), dtype=torch.float32)
        total = torch.zeros_like(largest)
        acc = hl.zeros([tile_b, tile_i, width], dtype=torch.float32)
        queries = qv[tile_b, tile_i, :]
        for tile_n in hl.tile(m):
            keys = kv[tile_b, tile_n, :].transpose(1, 2)
            scores = torch.bmm(queries, keys, torch.float32) * scale
            seen = tile_i.index[None, :, None] >= tile_n.index[None, None, :]
            scores = torch.where(seen, scores, float("-inf"))
            larger = torch.maximum(largest, torch.amax(scores, -1))
            p = torch.exp2(scores - larger[:, :, None])
            shrink = torch.exp2(largest - larger)
            total = total * shrink + torch.sum(p, -1)
            acc = torch.baddbmm(acc * shrink[:, :, None], p.to(v.dtype), vv[tile_b, tile_n, :])
            largest = larger
        out[tile_b, tile_i, :] = (acc / total[:, :, None]).to(out.dtype)
    return out.view(q.size())
