#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports kernels, runs them in the interpreter with two bindings of their blocks, and compares with numpy in double.

Each case is a function that makes inputs for one shape and returns (arguments, expected results). The import's signature is
made of the inputs' dtypes and ranks; sizes in a case's `fixed` are part of it.

Use: check-numbers.py EXAMPLES TESTS SCRATCH [CASE ...]
Example: check-numbers.py examples test/dialect/Frontend /tmp/numbers matmul
"""
import pathlib
import subprocess
import sys

import numpy as np

EXAMPLES, TESTS, SCRATCH = (pathlib.Path(argument) for argument in sys.argv[1:4])
CHOSEN = sys.argv[4:]
DTYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int32": "i32", "int64": "i64",
          "uint16": "bf16", "bool": "bool"}
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "bfloat16": 1.6e-2}
CASES = {}


def case(file, shapes, fixed=()):
    """A case per function; `fixed` names `x.1` for sizes that the signature fixes."""
    def add(function):
        CASES[function.__name__] = (file, shapes, fixed, function)
        return function
    return add


def normal(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape).astype(dtype)


def to_bf16(values):
    """Round to nearest even, as raw bits."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def wide(value):
    return from_bf16(value).astype(np.float64) if value.dtype == np.uint16 else value.astype(np.float64)


def softmax_of(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention_of(q, k, v, seen=None):
    scores = wide(q) @ np.swapaxes(wide(k), -1, -2) / np.sqrt(q.shape[-1])
    return softmax_of(scores if seen is None else np.where(seen, scores, -np.inf)) @ wide(v)


# Examples.

@case("vector_add", [(0,), (1,), (37,), (256,)])
def vector_add(n):
    x, y = normal(n), normal(n) * 3
    return {"x": x, "y": y}, [x.astype(np.float64) + y]


@case("softmax", [(0, 5), (1, 1), (37, 53), (4, 128)])
def softmax(m, n):
    x = to_bf16(normal(m, n) * 4)
    return {"x": x}, [softmax_of(wide(x))]


@case("softmax", [(1, 1), (37, 53)])
def softmax_online(m, n):
    x = normal(m, n) * 4
    return {"x": x}, [softmax_of(wide(x))]


@case("rms_norm", [(1, 1), (37, 53)])
def rms_norm(m, n):
    x, w = normal(m, n), normal(n)
    r = 1 / np.sqrt((wide(x) ** 2).mean(-1) + 1e-3)
    return {"x": x, "w": w, "eps": 1e-3}, [x * r[:, None] * w, r]


@case("matmul", [(1, 1, 1), (37, 53, 29), (16, 0, 8), (32, 64, 16)])
def matmul(m, k, n):
    x, y = to_bf16(normal(m, k)), to_bf16(normal(k, n))
    return {"x": x, "y": y}, [wide(x) @ wide(y)]


@case("int8_gemm", [(1, 1, 1), (37, 53, 29), (16, 0, 8)])
def int8_gemm(m, k, n):
    x, w = (np.clip(normal(*shape) * 50, -128, 127).astype(np.int8) for shape in ((m, k), (n, k)))
    x_scale, w_scale = normal(m), normal(n)
    return ({"x": x, "w": w, "x_scale": x_scale, "w_scale": w_scale},
            [wide(x) @ wide(w).T * x_scale[:, None].astype(np.float64) * w_scale])


@case("long_sum", [(1, 1), (5, 1000), (37, 53)])
def long_sum(m, n):
    x = normal(m, n)
    return {"x": x}, [wide(x).sum(-1)]


@case("long_sum", [(1, 1), (5, 1000), (37, 53)])
def long_sum_split(m, n):
    x = to_bf16(normal(m, n))
    return {"x": x}, [wide(x).sum(-1)]


@case("rms_norm_bwd", [(1, 1), (37, 53)])
def rms_norm_bwd(m, n):
    dy, x, w = normal(m, n), normal(n, m).T.copy(), normal(n)
    rstd = 1 / np.sqrt((x ** 2).mean(-1) + 1e-3)
    normed = x * rstd[:, None]
    wg = dy * w
    dx = (wg - normed * (wg * normed).mean(-1, keepdims=True)) * rstd[:, None]
    return {"dy": dy, "x": x, "w": w, "rstd": rstd.astype(np.float32)}, [dx, (dy * normed).sum(0)]


def layer_norm_of(x, w):
    x = wide(x)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-3) * w


@case("layer_norm", [(1, 8), (37, 24)], fixed=["x.1"])
def layer_norm(m, n):
    x, w, bias = normal(m, n), normal(n), normal(n) + 1
    return {"x": x, "w": w, "bias": bias, "eps": 1e-3}, [layer_norm_of(x, w) + bias]


@case("scatter_rows", [(1, 1, 1), (37, 53, 29)])
def scatter_rows(n, rows, d):
    ids, x, like = np.random.default_rng(n).permutation(rows)[:n], normal(n, d), normal(rows, d)
    placed = np.zeros((rows, d))
    placed[ids] = x
    return {"ids": ids, "x": x, "like": like}, [placed]


@case("bmm", [(1, 1, 1, 1), (3, 7, 53, 29)])
def bmm(b, m, k, n):
    x, y = normal(b, m, k), normal(b, k, n) + 1
    return {"x": x, "y": y}, [wide(x) @ wide(y)]


@case("cross_entropy", [(1, 1), (37, 53)])
def cross_entropy(n, v):
    logits, labels = normal(n, v), np.random.default_rng(n).integers(0, v, n)
    x = wide(logits)
    return {"logits": logits, "labels": labels}, [np.log(np.exp(x).sum(1)) - x[np.arange(n), labels]]


@case("rope", [(1, 1, 1, 8), (2, 3, 37, 16)], fixed=["x.3", "cos.1", "sin.1"])
def rope(b, h, t, d):
    x, angle = normal(b, h, t, d), normal(t, d // 2)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = (wide(x)[..., :d // 2] + 1j * wide(x)[..., d // 2:]) * np.exp(1j * wide(angle))
    return {"x": x, "cos": cos, "sin": sin}, [np.concatenate([turned.real, turned.imag], axis=3)]


@case("embedding", [(1, 1, 1), (37, 53, 29)])
def embedding(n, v, d):
    ids, w = np.random.default_rng(n).integers(0, v, n), normal(v, d, dtype="float16")
    return {"ids": ids, "w": w}, [w[ids]]


@case("attention", [(1, 1, 1, 1, 8), (1, 2, 7, 13, 16)], fixed=["q.3"])
def attention(b, h, m, s, d):
    q, k, v = normal(b, h, m, d), normal(b, h, s, d) * 2, normal(b, h, s, d) + 1
    return {"q": q, "k": k, "v": v}, [attention_of(q, k, v)]


@case("attention", [(1, 2, 13, 16)], fixed=["q.3"])
def attention_causal(b, h, m, d):
    q, k, v = (to_bf16(normal(b, h, m, d) + i) for i in range(3))
    seen = np.tril(np.ones((m, m), dtype=bool))
    return {"q": q, "k": k, "v": v}, [attention_of(q, k, v, seen)]


# Constructs.

@case("loop-forms", [(5, 7), (37, 53)])
def tiles(m, n):
    x = normal(m, n)
    return {"x": x}, [x]


@case("loop-forms", [(5, 7), (37, 53)])
def nested(m, n):
    x = normal(m, n)
    return {"x": x}, [wide(x).sum(1)]


@case("loop-forms", [(5, 7)])
def grids(m, n):
    x = normal(m, n)
    last = wide(x)[:, 0] + wide(x)[:, 1::2].sum(1)
    return {"x": x}, [last[:, None] * np.arange(n)]


@case("loop-forms", [(5, 7)])
def unrolled(m, n):
    x = normal(m, n)
    return {"x": x}, [(wide(x) + 6) * 5 * 8 - 1]


@case("indexing", [(5, 7, 9)])
def dims(a, b, c):
    x = normal(a, b, c)
    w = wide(x)
    row = w[:, 0] + w[:, -1] + w[:, 2:6].sum(1) + w[:, :, 3].sum(1)[:, None] + w[:, b - 2]
    return {"x": x}, [row]


@case("indexing", [(6, 9)])
def gathers(n, c):
    x, ids = normal(n + 1, c), np.random.default_rng(n).integers(0, n, n).astype(np.int32)
    flags = np.arange(n) % 2 == 0
    return {"x": x, "ids": ids, "flags": flags}, [np.broadcast_to(x[n - 1], (n, c)), (flags | (ids > 0)).astype(np.int8)]


@case("indexing", [(1,), (37,)])
def masked(n):
    x, y = np.abs(normal(n)), normal(n + 1)
    keep = np.arange(n) < n // 2
    v = np.where(keep, x, 0).astype(np.float64)
    return {"x": x, "y": y}, [np.where(keep, 0, v * (y[1:] - y[:-1])) + v, v.max(keepdims=True)]


@case("carried", [(5, 7), (37, 53)])
def combined(m, n):
    x = normal(m, n)
    w = wide(x)
    return {"x": x}, [w.sum(1) + w.max(1) + w.min(1) + (w > 0).sum(1)]


@case("reductions", [(5, 7)])
def positions(m, n):
    x = normal(m, n, dtype="float16")
    return {"x": x}, [x.argmax(1) + x.argmin(1), None]


@case("reductions", [(5, 7)])
def statistics(m, n):
    x = normal(m, n)
    return {"x": x}, [wide(x).var(1) + wide(x).mean(1)]


@case("reductions", [(5, 7)])
def softmaxes(m, n):
    x = normal(m, n)
    lse = np.log(np.exp(wide(x)).sum(1))
    return {"x": x}, [wide(x) - lse[:, None], lse]


def along(function, x, axis=1):
    """From the ends of the rows."""
    return np.flip(function(np.flip(x, axis), axis), axis)


@case("scans", [(5, 7), (1, 1), (3, 0), (37, 53)])
def running(m, n):
    x = normal(m, n)
    w = wide(x)
    return {"x": x}, [np.array([np.cumsum(w, 1), along(np.cumsum, w), np.cumprod(w, 1), along(np.cumprod, w),
                                np.maximum.accumulate(w, 1), along(np.cumsum, w)])]


@case("scans", [(5, 7)])
def whole(m, n):
    x = np.random.default_rng(n).integers(-9, 9, (m, n)).astype(np.int32)
    return {"x": x}, [np.array([np.cumsum(x, 1), np.cumsum(x, 1), np.cumprod(x, 1), x + x[:, :1]])]


def sums_within(x, ids):
    out = x.copy()
    for at in range(1, x.shape[1]):
        out[:, at] += np.where(ids[:, at] == ids[:, at - 1], out[:, at - 1], 0)
    return out


@case("scans", [(5, 7), (1, 1), (37, 53)])
def pairs(m, n):
    x, ids = normal(m, n), np.sort(np.random.default_rng(n).integers(0, 5, (m, n)), 1)
    back = np.flip(sums_within(np.flip(wide(x), 1), np.flip(ids, 1)), 1)
    return {"x": x, "ids": ids}, [np.array([sums_within(wide(x), ids), back, np.cumsum(wide(x), 1)])]


@case("scans", [(5, 7), (1, 1), (37, 53)])
def triples(m, n):
    x, ids = normal(m, n), np.random.default_rng(n).integers(-3, 4, (m, n))
    sums = wide(x)
    for at in range(n - 1)[::-1]:
        sums[:, at] += np.where(ids[:, at] > 2, 0, sums[:, at + 1])
    return {"x": x, "ids": ids}, [sums, along(np.maximum.accumulate, ids)]


@case("scans", [(5, 7), (37, 53)])
def jagged_scans(m, n):
    x, lengths = np.abs(normal(m, n)) + 1, row_lengths(m, n)
    inside = np.arange(n) < lengths[:, None]
    return {"x": x, "lengths": lengths}, [np.where(inside, np.cumsum(wide(x) + 1, 1), 0),
                                          [wide(x)[row, :length].min(initial=100) for row, length in enumerate(lengths)]]


@case("products", [(5, 7)])
def precise(m, n):
    x, y = normal(m, 8), normal(8, n)
    return {"x": x, "y": y}, [wide(x) @ wide(y)]


@case("products", [(5, 7, 9)])
def integers(m, k, n):
    rng = np.random.default_rng(k)
    x, y = (rng.integers(-100, 100, shape).astype(np.int8) for shape in ((m, k), (k, n)))
    return {"x": x, "y": y}, [x.astype(np.int32) @ y.astype(np.int32)]


@case("host-arithmetic", [(5, 7, 3)])
def sums(a, b, c):
    x = np.full((a, b, c), 1, dtype=np.float32)
    return {"x": x}, [np.full((b, c), a), np.full(a, b * c, dtype=np.int32)]


@case("host-arithmetic", [(5, 7)])
def ordered(m, n):
    x, y = normal(m, n), normal(n, m).T.copy()
    w = wide(x)
    return {"x": x, "y": y}, [w.sum(), w.mean(0) * 3, w.sum(0) * 2, w.sum(), (w + 1).sum()]


def row_lengths(count, most):
    """Lengths from 0 to `most`, both among them."""
    return (np.arange(count) * 3 % (most + 1)).astype(np.int64)


@case("jagged", [(5, 7), (37, 53)])
def jagged_rows(m, n):
    x, lengths = normal(m, n) - 3, row_lengths(m, n)
    inside = np.arange(n) < lengths[:, None]
    longest = np.where(inside, wide(x), -np.inf).max(1, keepdims=True)
    return {"x": x, "lengths": lengths}, [np.where(inside, np.exp(wide(x)), 0).sum(1),
                                          np.where(inside, wide(x) + 5 - np.where(lengths[:, None], longest, 0), 0)]


@case("jagged", [(3, 4, 6, 5), (7, 20, 37, 9)])
def jagged_product(b, k, d, n):
    offsets = np.concatenate([[0], np.cumsum(row_lengths(b, k))])
    x, w = normal(offsets[-1], d), normal(b, k, n)
    parts = [np.exp(wide(x[low:high])).T @ (wide(w[i, :high - low]) + 1)
             for i, (low, high) in enumerate(zip(offsets, offsets[1:]))]
    return {"x": x, "offsets": offsets, "w": w}, [np.stack(parts)]


@case("jagged", [(3, 4, 6), (7, 20, 37)])
def jagged_nested(b, k, d):
    offsets = np.concatenate([[0], np.cumsum(row_lengths(b, k))])
    x, widths = normal(offsets[-1], d), row_lengths(b, d).astype(np.int32)
    sums = np.stack([(wide(x[low:high]) - 1).sum(0) for low, high in zip(offsets, offsets[1:])])
    return {"x": x, "offsets": offsets, "widths": widths}, [np.where(np.arange(d) < widths[:, None], sums, 0)]


@case("functions", [(5, 7)])
def inlined(m, n):
    x, bias = normal(m, n), normal(n)
    return {"x": x, "bias": bias}, [np.maximum(wide(x) + bias, 0) * 0.25 + 128 + 3 + 256 + 1]


@case("host-part", [(5, 7)])
def equal(m, n):
    x, y, w = normal(m, n), normal(m, n) + 1, normal(n)
    return {"x": x, "y": y, "w": w}, [(wide(x) + y) * w]


@case("host-part", [(2, 3, 5, 7)])
def reshaped(b, h, m, n):
    x, bias = normal(b, h, m, n), normal(n, m, h, b).T.copy()
    return {"x": x, "bias": bias}, [(wide(x) + bias).sum((2, 3))]


@case("branches", [(5, 7), (37, 53)])
def branches(m, n):
    x = normal(m, n)
    w = wide(x)
    row = np.where(w[:, :1] > 0, w * 2, w - 1)
    even = np.arange(m) % 2 == 0
    return {"x": x}, [row + np.where(even, 10, 5)[:, None], even.astype(np.float64)]


def signature(arguments, fixed):
    words = []
    for name, value in arguments.items():
        if isinstance(value, float):
            words.append(f"{name}=f32")
            continue
        sizes = [str(size) if f"{name}.{dim}" in fixed else "?" for dim, size in enumerate(value.shape)]
        words.append(f"{name}={DTYPES[value.dtype.name]}[{','.join(sizes)}]")
    return " ".join(words)


def import_kernel(file, kernel, text, out):
    example = EXAMPLES / file / f"{file}.py"
    path = example if example.exists() else TESTS / f"{file}.test"
    subprocess.run(["helion-translate", "--import-helion", path, "--kernel", kernel, "--args", text, "-o", out], check=True)


def run_kernel(kernel, arguments, results):
    narrow = any(value.dtype == np.uint16 for value in arguments.values() if not isinstance(value, float))
    command = ["helion-run", "--interpret", "--two-bindings", str(kernel), f"--tolerance={8e-3 if narrow else 1e-5}"]
    for name, value in arguments.items():
        if isinstance(value, float):
            command.append(f"--arg={name}={value}")
            continue
        np.save(SCRATCH / f"{name}.npy", value.view(np.int8) if value.dtype == bool else value)
        command.append(f"--arg={name}={SCRATCH / name}.npy")
        if value.dtype == np.uint16:
            command.append(f"--dtype={name}=bf16")
    paths = [SCRATCH / f"result{i}.npy" for i in range(len(results))]
    command.append("--out=" + ",".join(map(str, paths)))
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if done.returncode else [np.load(path) for path in paths]


def compare(seen, expected):
    """What differs, or nothing."""
    if seen.shape != expected.shape:
        return f"shape {seen.shape}, expected {expected.shape}"
    if seen.dtype.kind in "ib":
        return "" if (seen == expected).all() else f"{(seen != expected).sum()} integers differ"
    name = "bfloat16" if seen.dtype.kind in "uV" else seen.dtype.name
    values = wide(seen.view(np.uint16)) if name == "bfloat16" else wide(seen)
    scale = max(np.abs(expected).max(initial=0), 1e-30)
    error = np.abs(values - expected).max(initial=0) / scale
    return "" if error <= TOLERANCE[name] else f"relative error {error:.2e}"


def check(name):
    file, shapes, fixed, make = CASES[name]
    for shape in shapes:
        arguments, expected = make(*shape)
        kernel = SCRATCH / f"{name}.mlir"
        import_kernel(file, name, signature(arguments, fixed), kernel)
        seen = run_kernel(kernel, arguments, expected)
        if isinstance(seen, str):
            yield f"{name} {shape}: {seen.strip()}"
            continue
        for i, (have, want) in enumerate(zip(seen, expected)):
            problem = compare(have, np.asarray(want)) if want is not None else ""
            if problem:
                yield f"{name} {shape}: result {i}: {problem}"


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    names = CHOSEN or list(CASES)
    problems = [problem for name in names for problem in check(name)]
    print("\n".join(problems + [f"{len(names)} kernels, {len(problems)} problems"]))
    return 1 if problems else 0


sys.exit(main())
