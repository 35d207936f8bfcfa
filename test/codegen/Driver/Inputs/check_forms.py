# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of test/dialect/IR/forms as artifacts, against hand-written numpy in float64.

Use: check_forms.py KERNEL FILE FOLDER CONFIG     Lowers FILE with the choice passes CONFIG into FOLDER; prints the number of
calls that agree; a call that the facts refuse counts as refused.
"""
import itertools
import subprocess
import sys

import numpy

import run_artifact
from run_artifact import bfloat16, float32

random = numpy.random.default_rng(7)
SIZES = [(37, 53), (1, 1), (0, 5), (64, 64), (130, 19)]


def normal(*shape):
    return random.standard_normal(shape).astype(numpy.float32)


def layouts(array):
    """The same values contiguous, as a transposed buffer, and with negative strides."""
    yield array
    yield array.T.copy().T
    window = (slice(None, None, -1),) * array.ndim
    yield array[window].copy()[window]


def vector_add():
    for m, n in SIZES:
        x, y = normal(m * n), normal(m * n)
        for args in zip(layouts(x), layouts(y)):
            yield dict(zip("xy", args)), {"out": x.astype(numpy.float64) + y}, 1e-6


def matmul(out="out", tolerance=0.01):
    for (m, n), k in itertools.product(SIZES, [0, 1, 29, 70]):
        x, y = bfloat16(normal(m, k)), bfloat16(normal(k, n))
        expected = float32(x).astype(numpy.float64) @ float32(y)
        for args in zip(layouts(x), layouts(y)):
            yield dict(zip("xy", args)), {out: expected}, tolerance


def split_k():
    return matmul(tolerance=1e-5)


def doubled():
    for m, n in SIZES:
        x = normal(m, n)
        for layout in layouts(x):
            yield {"x": layout}, {"x_clone": 2 * x.T.astype(numpy.float64), "x_clone_1": x}, 0


def softmax():
    for m, n in SIZES:
        x = bfloat16(4 * normal(m, n))
        exponents = numpy.exp(float32(x).astype(numpy.float64))
        for layout in layouts(x):
            yield {"x": layout}, {"out": exponents / exponents.sum(1, keepdims=True)}, 0.01


def long_sum():
    for m, n in SIZES + [(3, 1000)]:
        x = normal(m, n)
        for layout in layouts(x):
            yield {"x": layout}, {"out": x.sum(1, dtype=numpy.float64)}, 1e-5


def embedding():
    for m, n in SIZES:
        table, ids = normal(11, n).astype(numpy.float16), random.integers(0, 11, m)
        yield {"ids": ids, "w": table}, {"out": table[ids]}, 0


def jagged_mean():
    for m, n in SIZES:
        offsets = numpy.concatenate([[0], numpy.cumsum(random.integers(1, 9, m))])
        x = normal(offsets[-1], n)
        rows = [x[a:b].mean(0, dtype=numpy.float64) for a, b in zip(offsets, offsets[1:])]
        yield {"x": x, "offsets": offsets}, {"out": numpy.array(rows).reshape(m, n)}, 1e-5


def head_norm():
    for m, n in SIZES:
        x, g = bfloat16(normal(m, n, 128)), bfloat16(normal(128))
        f = float32(x).astype(numpy.float64)
        expected = f / numpy.sqrt((f * f).mean(2, keepdims=True) + 1e-3) * float32(g)
        yield {"x": x, "g": g, "bias": None, "eps": 1e-3}, {"out": expected}, 0.02


def rms_norm_bwd():
    for m, n in SIZES:
        dy, x, w = bfloat16(normal(m, n)), bfloat16(normal(m, n)), bfloat16(normal(n))
        g, f, v = (float32(value).astype(numpy.float64) for value in (dy, x, w))
        rstd = (1 / numpy.sqrt((f * f).mean(1) + 1e-5)).astype(numpy.float32) if n else numpy.zeros(m, numpy.float32)
        xn = f * rstd[:, None]
        dx = (g * v - xn * ((g * v * xn).sum(1, keepdims=True) / n)) * rstd[:, None]
        yield {"dy": dy, "x": x, "w": w, "rstd": rstd}, {"dx": dx, "dw": (g * xn).sum(0)}, 0.02


def attention(causal=False):
    for batch, heads, m, n in [(2, 3, 37, 53), (1, 1, 1, 1), (1, 2, 64, 64), (2, 1, 5, 130)]:
        n = max(m, n) if causal else n
        q, k, v = (bfloat16(normal(batch, heads, rows, 128)) for rows in (m, n, n))
        scores = float32(q).astype(numpy.float64) @ float32(k).astype(numpy.float64).swapaxes(2, 3) * 0.1275312
        if causal:
            scores[..., numpy.arange(n) > numpy.arange(m)[:, None]] = -numpy.inf
        weights = numpy.exp2(scores - scores.max(3, keepdims=True))
        yield {"q": q, "k": k, "v": v}, {"out": weights / weights.sum(3, keepdims=True) @ float32(v)}, 0.02


def attention_causal():
    return attention(causal=True)


def compare(artifact, arguments, expected, tolerance):
    dtypes = {output["name"]: output["dtype"] for output in artifact.manifest["plan"]["outputs"]}
    for name, value in artifact.run(**arguments).items():
        got = float32(value) if dtypes[name] == "bf16" else value
        scale = numpy.abs(expected[name]).max(initial=1)
        shapes = [numpy.shape(array) for array in arguments.values()]
        numpy.testing.assert_allclose(got, expected[name], rtol=tolerance, atol=tolerance * scale, err_msg=f"{name} {shapes}")


def build(file, folder, config):
    pipeline = f"builtin.module(helion-normalize,{config},canonicalize,cse)"
    scheduled = subprocess.run(["helion-opt", f"--pass-pipeline={pipeline}", file], check=True, stdout=subprocess.PIPE)
    subprocess.run(["helion-translate", "-", f"--emit-artifact={folder}"], check=True, input=scheduled.stdout)


def main(kernel, file, folder, config):
    build(file, folder, config)
    artifact = run_artifact.load(folder)
    calls = refused = 0
    for arguments, expected, tolerance in globals()[kernel]():
        if artifact.legal(**arguments):
            compare(artifact, arguments, expected, tolerance)
            calls += 1
        else:
            refused += 1
    print(f"{kernel}: {calls} calls equal numpy, {refused} refused")


main(*sys.argv[1:])
