# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels that show one family of ops each, written by hand in numpy. The kernel of a case has the case's name.
# Use: ops.py NAME file.mlir SCRATCH
import functools
import operator
import sys

import numpy as np

from floats import rounded
from harness import Case, normal, rng, run_all, special

SHAPES = [(37, 53), (1, 1), (16, 64)]


#===-- reduce.mlir ---------------------------------------------------------------------------------------------------===#


def reduce_kinds():
    for shape in SHAPES + [(5, 0)]:
        for kind in (lambda a: a, special):
            if shape[1] == 0 and kind is special:
                continue
            x = kind(normal(*shape, dtype="f64"))
            v = np.exp(x) - 1.5

            def reference(_, v=v):
                m, n = v.shape
                if n == 0:
                    ends = [(np.zeros(m), "f64"), (np.ones(m), "f64"), (np.full(m, -np.inf), "f64"), (np.full(m, np.inf), "f64")]
                    return ends + [(np.zeros(m), "index")] * 2
                return [(v.sum(axis=1), "f64"), (v.prod(axis=1), "f64"), (v.max(axis=1), "f64"), (v.min(axis=1), "f64"),
                        (v.argmax(axis=1), "index"), (v.argmin(axis=1), "index")]

            yield Case({"x": (x, "f64")}, [{"bi": 16}, {"bi": 4, "rn": 64}], reference, ulps=64, absolute=1e-12)


def reduce_integers():
    for shape in SHAPES:
        x = rng.integers(-128, 128, shape).astype(np.int8)
        v = x ^ np.int8(5)

        def reference(_, v=v):
            u = v.view(np.uint8)
            add = v.sum(axis=0, dtype=np.int8)
            rows = [add, v.prod(axis=0, dtype=np.int8), v.max(axis=0), v.min(axis=0), u.max(axis=0).view(np.int8),
                    u.min(axis=0).view(np.int8)]
            rows += [functools.reduce(f, v) for f in (operator.and_, operator.or_, operator.xor)] + [add]
            return [(np.array(rows), "i8"), (np.array([v.argmax(axis=0), v.argmin(axis=0)]), "index")]

        yield Case({"x": (x, "i8")}, [{"bj": 16}, {"bj": 1, "ri": 64}], reference)


def reduce_plain():
    x = normal(37, 53, dtype="f64")
    yield Case({"x": (x, "f64")}, [{"bi": 16, "rn": 64}, {"bi": 16, "rn": 53}],
               lambda blocks: [(x.sum(axis=1) + blocks["rn"] - 53, "f64")], absolute=1e-12)


def reduce_pairs():
    for shape in SHAPES:
        x = normal(*shape, dtype="f64")
        yield Case({"x": (x, "f64")}, [{"bi": 16}, {"bi": 4, "rn": 64}],
                   lambda _, x=x: [(x.max(axis=1), "f64"), (x.argmax(axis=1), "index"), (x[:, -1], "f64")], ulps=0)


def dot_batched():
    for b, m, k, n in [(3, 37, 41, 53), (1, 1, 1, 1), (2, 5, 0, 3)]:
        x, y = normal(b, m, k, dtype="f32"), normal(b, k, n, dtype="f32")
        yield Case({"x": (x, "f32"), "y": (y, "f32")},
                   [{"bb": 2, "bm": 16, "bn": 16, "bk": 16}, {"bb": 1, "bm": 8, "bn": 64, "bk": 4}],
                   lambda _, x=x, y=y: [(rounded(np.einsum("bmk,bkn->bmn", x, y), "f32"), "f32")], absolute=1e-12)


def dot_integers():
    x, y = rng.integers(-128, 128, (9, 41)).astype(np.int8), rng.integers(-128, 128, (41, 7)).astype(np.int8)
    exact = x.astype(np.int64) @ y.astype(np.int64) + 2147480000
    yield Case({"x": (x, "i8"), "y": (y, "i8")}, [{"bm": 4, "bn": 4, "rk": 41}, {"bm": 16, "bn": 8}],
               lambda _: [(exact.astype(np.int32), "i32")])


#===-- scan.mlir -----------------------------------------------------------------------------------------------------===#


def turned(function, v, axis=1):
    """Of the rows from their ends."""
    return np.flip(function(np.flip(v, axis), axis=axis), axis)


def scan_kinds():
    for shape in SHAPES + [(5, 0)]:
        for kind in (lambda a: a, special):
            if shape[1] == 0 and kind is special:
                continue
            x = kind(normal(*shape, dtype="f64"))
            v = np.exp(x) - 1.5

            def reference(blocks, v=v):
                # Tiles of rows are scanned each for itself.
                rows = [np.maximum.accumulate(v[at:at + blocks["bi"]], axis=0) for at in range(0, len(v), blocks["bi"])]
                scans = [np.cumsum(v, axis=1), np.cumprod(v, axis=1), np.maximum.accumulate(v, axis=1), turned(np.cumsum, v),
                         turned(np.minimum.accumulate, v), np.concatenate(rows)]
                return [(np.array(scans), "f64")]

            yield Case({"x": (x, "f64")}, [{"bi": 16}, {"bi": 4, "rn": 64}], reference, ulps=64, absolute=1e-12)


def scan_integers():
    for shape in SHAPES:
        x = rng.integers(-128, 128, shape).astype(np.int8)
        scans = [np.cumsum(x, axis=0, dtype=np.int8), turned(functools.partial(np.cumprod, dtype=np.int8), x, 0),
                 turned(np.minimum.accumulate, x.view(np.uint8), 0).view(np.int8), np.bitwise_xor.accumulate(x, axis=0)]
        yield Case({"x": (x, "i8")}, [{"bj": 16}, {"bj": 1, "ri": 64}], lambda _, s=np.array(scans): [(s, "i8")])


def scan_plain():
    x = normal(37, 53, dtype="f64")
    total, back = x.sum(axis=1), turned(np.cumsum, x).sum(axis=1)
    yield Case({"x": (x, "f64")}, [{"bi": 16, "rn": 64}, {"bi": 16, "rn": 53}],
               lambda blocks: [(np.array([np.cumsum(x, axis=1).sum(axis=1) + (blocks["rn"] - 53) * total, back]), "f64")],
               absolute=1e-11)


def segment_sums(x, ids):
    out = x.copy()
    for at in range(1, x.shape[1]):
        out[:, at] += np.where(ids[:, at] == ids[:, at - 1], out[:, at - 1], 0)
    return out


def scan_segments():
    for shape in SHAPES:
        x, ids = normal(*shape, dtype="f64"), np.sort(rng.integers(0, 9, shape), axis=1).astype(np.int32)
        back = np.flip(segment_sums(np.flip(x, 1), np.flip(ids, 1)), 1)
        ends = [np.broadcast_to(x[:, at:at + 1 or None], shape) for at in (0, -1)]
        want = np.array([segment_sums(x, ids), back, *ends])
        yield Case({"x": (x, "f64"), "ids": (ids, "i32")}, [{"bi": 16}, {"bi": 4, "rn": 64}],
                   lambda _, want=want: [(want, "f64")], ulps=0, absolute=1e-12)


#===-- memory.mlir ---------------------------------------------------------------------------------------------------===#


def load_views():
    """One buffer of 60 numbers seen with strides of any sign, the last ones through fortran order."""
    base = rounded(rng.standard_normal(60) * 2, "f32")
    views = [((6, 10), (10, 1), 0), ((6, 10), (-10, 1), 50), ((4, 7), (0, -3), 20), ((5, 5), (2, 2), 3), ((3, 0), (1, 1), 0)]
    bindings = [{"bi": 16, "bj": 16}, {"bi": 1, "bj": 4}]

    def reference(_, x):
        stored = np.where(x < 2, np.where(x > 0, x, -7), 9)
        return [(x, "f32"), (stored, "f32")]

    for sizes, strides, offset in views:
        index = offset + sum(np.arange(n).reshape([-1] + [1] * (1 - d)) * s for d, (n, s) in enumerate(zip(sizes, strides)))
        x = base[index] if 0 not in sizes else np.zeros(sizes)
        text = lambda values: ",".join(map(str, values))
        yield Case({"x": (base, "f32")}, bindings, lambda blocks, x=x: reference(blocks, x), ulps=0,
                   options=["--sizes", f"x={text(sizes)}", "--strides", f"x={text(strides)}", "--offset", f"x={offset}"])
    x = np.asfortranarray(base.reshape(12, 5))
    yield Case({"x": (x, "f32")}, bindings, lambda blocks: reference(blocks, x), ulps=0)


def gather_scatter():
    for a, b, d in [(3, 7, 5), (1, 1, 1)]:
        n0, n2 = 4 * a, 3 * b
        x = normal(n0, d, n2, dtype="f16")
        # Distinct pairs, so that no two lanes store to one address.
        pairs = rng.permutation(n0 * n2)[: a * b].reshape(a, b)
        r, c = (pairs % n2).astype(np.int32), (pairs // n2).astype(np.int32)
        want = np.zeros((n2, d, n0))
        for i in np.ndindex(a, b):
            want[r[i], :, c[i]] = x[c[i], :, r[i]]
        yield Case({"x": (x, "f16"), "r": (r, "i32"), "c": (c, "i32")},
                   [{"ba": 2, "bb": 4, "bd": 4}, {"ba": 16, "bb": 1, "bd": 8}], lambda _, want=want: [(want, "f16")], ulps=0)


def atomics():
    for n in (203, 1):
        x, w = rng.integers(0, 8, n), normal(n, dtype="f32")
        counts = np.bincount(x, minlength=8)
        tops = np.array([w[x == b].max() if (x == b).any() else -np.inf for b in range(8)])
        tickets = np.array([(x[:i] == x[i]).sum() for i in range(n)])
        yield Case({"x": (x, "i64"), "w": (w, "f32")}, [{"bi": 16}, {"bi": 4}],
                   lambda _, r=((counts, "i64"), (tops, "f32"), (tickets, "i64")): list(r), ulps=0)


def shifted():
    for shape in [(37, 53), (1, 1)]:
        x = normal(*shape, dtype="f32")
        yield Case({"x": (x, "f32")}, [{"bi": 16, "bj": 16}, {"bi": 4, "bj": 64}],
                   lambda _, x=x: [(rounded(x[1:] - x[:-1], "f32"), "f32"), (x[-1], "f32")], ulps=0)


def in_place():
    x = normal(5, 37, dtype="f32")
    yield Case({"x": (x, "f32"), "s": 0.1}, [{"bj": 16}, {"bj": 64}], lambda _: [(rounded(x * rounded(0.1, "f32"), "f32"), "f32")],
               ulps=0, written=["x"])


#===-- values.mlir ---------------------------------------------------------------------------------------------------===#


def moves():
    for shape in SHAPES:
        x = normal(*shape, dtype="f32")
        index = np.arange(shape[0])[:, None] * 100 + np.arange(shape[1])
        yield Case({"x": (x, "f32")}, [{"bi": 16, "bj": 16}, {"bi": 4, "bj": 2, "rn": 64}],
                   lambda _, x=x, index=index: [(x.T, "f32"), (index, "index"), (rounded(x[:, :5].sum(axis=1), "f32"), "f32")],
                   absolute=1e-12)


def reshapes():
    x = normal(19, 8, 16, dtype="f32")
    pairs = x.reshape(19, 4, 2, 16).sum(axis=(1, 3))
    spread = np.broadcast_to(x.sum(axis=2, keepdims=True), x.shape)
    yield Case({"x": (x, "f32")}, [{"bi": 16}, {"bi": 2}],
               lambda _: [(x.reshape(19, 128), "f32"), (rounded(pairs, "f32"), "f32"), (rounded(spread, "f32"), "f32")],
               absolute=1e-12)


def tiles():
    for n in (37, 3, 4):

        def reference(blocks, n=n):
            b = blocks["bi"]
            begins = range(3, n, b)
            out = np.full((n, 5), 0x5A5A5A5A5A5A5A5A)
            for i, begin in enumerate(begins):
                out[i] = [begin, min(begin + b, n), i, len(begins), b]
            return [(out, "index")]

        yield Case({"n": n}, [{"bi": 8}, {"bi": 2}], reference)


def branches():
    for n, gx, gy in [(37, 5, 3), (0, 1, 1), (4, 8, 2)]:
        x = rng.integers(-1000, 1000, n).astype(np.int32)
        out = np.zeros((gx, gy, 2), np.int32)
        for i, j in np.ndindex(gx, gy):
            value = x[i::gx].sum() * (-1 if j % 2 else 1)
            out[i, j] = [value + 4, value * 10]
        yield Case({"x": (x, "i32"), "gx": gx, "gy": gy}, [{}], lambda _, out=out: [(out, "i32")])


def host_views():
    for shape in [(5, 7, 3), (4, 1, 1)]:
        x = normal(*shape, dtype="f32")
        turned = x.transpose(2, 0, 1)
        yield Case({"x": (x, "f32")}, [{"bi": 16, "bj": 16}, {"bi": 2, "bj": 64}],
                   lambda _, t=turned: [(t.reshape(t.shape[0], -1), "f32"), (t[-1, ::2], "f32")], ulps=0)


#===-- run -----------------------------------------------------------------------------------------------------------===#

if __name__ == "__main__":
    np.seterr(all="ignore")
    name, path, scratch = sys.argv[1:]
    run_all(name, path, scratch, globals()[name](), extra=["--kernel", name])
