# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The example kernels, written by hand in numpy.
# Use: kernels.py NAME kernel.mlir SCRATCH [BLOCK=N,..: of a kernel in form S]
import itertools
import sys

import numpy as np

from floats import rounded
from harness import Case, normal, rng, run_all, special

SHAPES = [(37, 53), (1, 1), (0, 53), (37, 0), (16, 64), (1, 53), (37, 1)]


def vector_add():
    for n in (37, 1, 0, 64):
        for kind in (lambda a: a, special):
            x, y = kind(normal(1, n, dtype="f32"))[0], normal(n, dtype="f32")
            yield Case({"x": (x, "f32"), "y": (y, "f32")}, [{"bi": 16}, {"bi": 4}],
                       lambda blocks, x=x, y=y: [(rounded(x + y, "f32"), "f32")], ulps=0)




def softmax_of(x):
    if x.shape[1] == 0:
        return x
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def softmax(blocks=({"bi": 16}, {"bi": 4, "rn": 128})):
    for shape in SHAPES:
        for kind in (lambda a: a, special):
            x = kind(normal(*shape))
            yield Case({"x": (x, "bf16")}, blocks, lambda _, x=x: [(rounded(softmax_of(x), "bf16"), "bf16")])


def softmax_scheduled():
    yield from softmax(blocks=({},))


def matmul(blocks=({"bm": 16, "bn": 16, "bk": 16}, {"bm": 4, "bn": 8, "bk": 64}), depths=(41, 0, 1, 32)):
    for (m, n), k in itertools.product([(37, 53), (1, 1), (0, 53), (37, 0), (16, 64)], depths):
        for kind in (lambda a: a, special)[: 2 if k == 41 else 1]:
            x, y = kind(normal(m, k)), normal(k, n)

            def reference(_, x=x, y=y):
                # A product of ranges without padding: NaN and inf stay in their row.
                with np.errstate(all="ignore"):
                    out = (x[:, :, None] * y[None, :, :]).sum(axis=1)
                return [(rounded(out, "bf16"), "bf16")]

            yield Case({"x": (x, "bf16"), "y": (y, "bf16")}, blocks, reference)


def matmul_scheduled():
    # The schedule relies on k >= 1 and says so as a fact.
    yield from matmul(blocks=({},), depths=(41, 1, 32))


def matmul_by_boxes():
    """Copies of boxes need rows of multiples of 16 bytes; y is the transposed view of a matrix whose rows are columns of y."""
    for m, n, k in [(37, 56, 40), (200, 304, 72), (129, 8, 200), (1, 256, 8), (520, 16, 64)]:
        x, y = normal(m, k), normal(k, n)
        yield Case({"x": (x, "bf16"), "y": (np.ascontiguousarray(y.T), "bf16")}, [{}],
                   lambda _, x=x, y=y: [(rounded(x @ y, "bf16"), "bf16")],
                   options=["--sizes", f"y={k},{n}", "--strides", f"y=1,{k}"])


def long_sum():
    for shape in SHAPES:
        for kind in (lambda a: a, special):
            x = kind(normal(*shape, dtype="f32"))

            def reference(_, x=x):
                with np.errstate(all="ignore"):
                    return [(rounded(x.sum(axis=1), "f32"), "f32")]

            yield Case({"x": (x, "f32")}, [{"bm": 16, "bn": 16}, {"bm": 1, "bn": 64}], reference, absolute=1e-12)


def rms_norm_bwd():
    for m, n in SHAPES:
        dy, x, w = normal(m, n), normal(m, n), normal(n)
        rstd = rounded(np.abs(rng.standard_normal(m)) + 0.5, "f32")

        def reference(_, dy=dy, x=x, w=w, rstd=rstd, n=n):
            xn = x * rstd[:, None]
            wg = dy * w
            mean = (wg * xn).sum(axis=1, keepdims=True) / np.float64(n if n else 1)
            dx = (wg - xn * mean) * rstd[:, None]
            return [(rounded(dx, "bf16"), "bf16"), (rounded((dy * xn).sum(axis=0), "bf16"), "bf16")]

        yield Case({"dy": (dy, "bf16"), "x": (x, "bf16"), "w": (w, "bf16"), "rstd": (rstd, "f32")},
                   [{"bc": 16, "bi": 4, "bj": 16, "bp": 2}, {"bc": 8, "bi": 8, "bj": 4, "bp": 16}], reference,
                   absolute=1e-6)


def head_norm():
    for t, h in [(5, 3), (1, 1), (0, 3), (4, 8)]:
        x, g = normal(t, h, 128), normal(128)

        def reference(_, x=x, g=g):
            eps = rounded(1e-5, "f32")
            scale = 1 / np.sqrt((x * x).sum(axis=2, keepdims=True) * 7.8125e-3 + eps)
            return [(rounded(x * scale * g, "bf16"), "bf16")]

        yield Case({"x": (x, "bf16"), "g": (g, "bf16"), "eps": 1e-5}, [{"bt": 4, "bh": 2}, {"bt": 1, "bh": 16}], reference)


def embedding():
    for n, rows, d in [(37, 53, 19), (1, 1, 1), (0, 5, 7), (16, 64, 32), (3, 9, 0)]:
        ids, w = rng.integers(0, rows, n), normal(rows, d, dtype="f16")
        yield Case({"ids": (ids, "i64"), "w": (w, "f16")}, [{"bi": 16, "be": 16}, {"bi": 4, "be": 64}],
                   lambda _, ids=ids, w=w: [(w[ids], "f16")], ulps=0)


def jagged_mean():
    for lengths, m in [([3, 0, 17, 1, 5], 13), ([1], 1), ([], 4), ([16] * 8, 32), ([2, 3], 0)]:
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        x = normal(int(offsets[-1]), m, dtype="f32")

        def reference(_, offsets=offsets, x=x, m=m):
            with np.errstate(all="ignore"):
                rows = [x[a:b].sum(axis=0) / np.float64(b - a) for a, b in zip(offsets, offsets[1:])]
            return [(rounded(np.array(rows).reshape(len(rows), m), "f32"), "f32")]

        yield Case({"x": (x, "f32"), "offsets": (offsets, "i64")}, [{"bb": 4, "bm": 16, "bk": 4}, {"bb": 1, "bm": 8, "bk": 32}],
                   reference, absolute=1e-12)


def attention_over(q, k, v, blocks, first_row=None):
    """Online softmax over blocks of keys: p is rounded to bf16 against the maximum so far, as the kernel says. With the number of the
    first row of q, keys after a row are masked."""
    scale = rounded(0.1275312, "f32")
    rows = q.shape[:-1]
    m, l, o = np.full(rows, -np.inf), np.zeros(rows), np.zeros(q.shape)
    with np.errstate(all="ignore"):
        for block in blocks:
            kb, vb = k[:, :, block.start : block.stop], v[:, :, block.start : block.stop]
            s = np.einsum("bhid,bhnd->bhin", q, kb) * scale
            if first_row is not None:
                keep = first_row + np.arange(q.shape[2])[:, None] >= np.array(block)[None, :]
                s = np.where(keep, s, -np.inf)
            top = np.maximum(m, s.max(axis=3))
            p, alpha = np.exp2(s - top[..., None]), np.exp2(m - top)
            m, l = top, l * alpha + p.sum(axis=3)
            o = o * alpha[..., None] + np.einsum("bhin,bhnd->bhid", rounded(p, "bf16"), vb)
        return o / l[..., None]


def attention_of(q, k, v, bn, is_causal):
    blocks = [range(start, min(start + bn, k.shape[2])) for start in range(0, k.shape[2], bn)]
    return attention_over(q, k, v, blocks, 0 if is_causal else None)


def attention(is_causal=False):
    for b, h, m, n in [(2, 1, 37, 53), (1, 1, 1, 1), (1, 2, 16, 32), (1, 1, 3, 0), (0, 2, 4, 4)]:
        q, k, v = normal(b, h, m, 128), normal(b, h, n, 128), normal(b, h, n, 128)
        if b and n > 2:
            k[0, 0, 1, 5] = -np.inf  # scores of -inf, +inf and NaN
        bindings = [{"bb": 1, "bm": 16, "bn": 16}, {"bb": 2, "bm": 4, "bn": 64}]

        def reference(blocks, q=q, k=k, v=v):
            return [(rounded(attention_of(q, k, v, blocks["bn"], is_causal), "bf16"), "bf16")]

        yield Case({"q": (q, "bf16"), "k": (k, "bf16"), "v": (v, "bf16")}, bindings, reference, absolute=1e-9)


def attention_causal():
    yield from attention(is_causal=True)


def attention_causal_descending():
    """Blocks of 128 keys from the diagonal down, the rows of a block of 128 together, as s-attention-causal-hopper.mlir walks them."""
    for b, h, m, n in [(1, 2, 37, 53), (1, 1, 130, 300), (2, 1, 256, 256), (1, 1, 1, 1), (0, 2, 4, 4)]:
        q, k, v = normal(b, h, m, 128), normal(b, h, n, 128), normal(b, h, n, 128)

        def reference(_, q=q, k=k, v=v):
            out = np.zeros(q.shape)
            for row in range(0, q.shape[2], 128):
                rows = slice(row, row + 128)
                blocks = [range(at, min(at + 128, k.shape[2])) for at in range(row, -1, -128)]
                out[:, :, rows] = attention_over(q[:, :, rows], k, v, blocks, row)
            return [(rounded(out, "bf16"), "bf16")]

        yield Case({"q": (q, "bf16"), "k": (k, "bf16"), "v": (v, "bf16")}, [{}], reference, absolute=1e-9)


def split_k():
    for m, k, n in [(37, 41, 53), (1, 1, 1), (5, 0, 7), (16, 64, 32)]:
        x, y = normal(m, k), normal(k, n)
        # Each of the parts is rounded to f32 when it is added to memory.
        yield Case({"x": (x, "bf16"), "y": (y, "bf16")},
                   [{"bm": 16, "bn": 16, "bs": 16, "bk": 4}, {"bm": 4, "bn": 64, "bs": 64, "bk": 32}],
                   lambda _, x=x, y=y: [(rounded(x @ y, "f32"), "f32")], ulps=2, absolute=1e-5)


if __name__ == "__main__":
    name, path, scratch, *bound = sys.argv[1:]
    blocks = {block: int(extent) for block, extent in (pair.split("=") for pair in ",".join(bound).split(",") if pair)}
    run_all(name, path, scratch, globals()[name](), bound=blocks or None)
