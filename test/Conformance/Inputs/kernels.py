# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the conformance suite: how each is imported, calls that are hard for it, and what numpy says of them.

A row of KERNELS: the example's file, its signature, a function that yields (label, arguments) and a reference over float64.
To add one: a row, a generator of calls, a reference. Read by conformance.py.
"""
import numpy

RNG = numpy.random.default_rng(7)
INF, NAN = float("inf"), float("nan")


def normal(*shape):
    return RNG.standard_normal(shape).astype(numpy.float32)


def strided(array):
    """The same values, every second element of a larger buffer along each dim."""
    big = numpy.zeros([2 * size + 1 for size in array.shape], array.dtype)
    view = big[tuple(slice(1, 2 * size + 1, 2) for size in array.shape)]
    view[...] = array
    return view


def indexed(*shape):
    """Values that depend on the index, so that a moved element is seen."""
    return (numpy.arange(numpy.prod(shape), dtype=numpy.float32).reshape(shape) % 97 - 48) / 16


def special(rows, columns):
    x = normal(rows, columns)
    x[0, :] = -INF
    x[1, columns // 2] = NAN
    x[2, 0] = INF
    return x


def vector_add_calls():
    for n in (0, 1, 37 * 53, 1024, 5000):
        yield f"{n}", dict(x=normal(n), y=indexed(n))
    yield "strided", dict(x=strided(normal(777)), y=normal(777))
    yield "negative stride", dict(x=normal(300)[::-1], y=normal(300))
    yield "stride 0", dict(x=numpy.broadcast_to(normal(1), (300,)), y=normal(300))
    yield "nan, inf", dict(x=numpy.float32([NAN, INF, -INF, 1]), y=numpy.float32([1, -INF, 1, NAN]))


def row_calls(**more):
    def calls():
        for rows, columns in ((0, 5), (5, 1), (1, 1), (37, 53), (64, 256), (3, 1000)):
            yield f"{rows}x{columns}", dict(x=normal(rows, columns), **more_for(columns))
        yield "strided", dict(x=strided(normal(19, 75)), **more_for(75))
        yield "transposed", dict(x=normal(75, 19).T, **more_for(75))
        yield "special", dict(x=special(5, 130), **more_for(130))

    def more_for(columns):
        return {name: make(columns) for name, make in more.items()}

    return calls


def matmul_calls():
    for m, k, n in ((1, 1, 1), (37, 53, 29), (64, 64, 64), (100, 300, 60), (5, 0, 7), (0, 4, 4), (129, 65, 33)):
        yield f"{m}x{k}x{n}", dict(x=normal(m, k), y=normal(k, n))
    yield "transposed", dict(x=normal(41, 33).T, y=normal(25, 41).T)
    yield "strided", dict(x=strided(normal(33, 40)), y=strided(normal(40, 35)))
    x = normal(33, 17)
    x[3, 4], x[5, 6] = NAN, INF
    yield "nan, inf", dict(x=x, y=normal(17, 20))


def rms_norm_bwd_calls():
    for m, n in ((1, 1), (37, 53), (64, 128), (130, 20)):
        x = normal(m, n)
        rstd = (1 / numpy.sqrt((x.astype(numpy.float64) ** 2).mean(1) + 1e-6)).astype(numpy.float32)
        yield f"{m}x{n}", dict(dy=normal(m, n), x=x, w=normal(n), rstd=rstd)


def layer_norm_calls():
    for rows in (1, 37, 64):
        yield f"{rows}x128", dict(x=normal(rows, 128), w=normal(128), bias=None, eps=1e-5)


def add(x, y):
    with numpy.errstate(invalid="ignore"):
        return [x + y]


def softmax(x):
    with numpy.errstate(invalid="ignore"):
        e = numpy.exp(x - x.max(1, keepdims=True, initial=-INF))
        return [e / e.sum(1, keepdims=True)]


def rms_norm(x, w, eps):
    rstd = 1 / numpy.sqrt((x * x).mean(1) + eps)
    return [x * rstd[:, None] * w, rstd]


def rms_norm_bwd(dy, x, w, rstd):
    normed, wdy = x * rstd[:, None], dy * w
    dx = (wdy - normed * (wdy * normed).mean(1, keepdims=True)) * rstd[:, None]
    return [dx, (dy * normed).sum(0)]


def layer_norm(x, w, bias, eps):
    centred = x - x.mean(1, keepdims=True)
    return [centred / numpy.sqrt((centred * centred).mean(1, keepdims=True) + eps) * w]


# name: (file, signature, calls, reference, relative tolerance against the largest value of a row)
KERNELS = {
    "vector_add": ("vector_add", "x=f32[?] y=f32[?]", vector_add_calls, add, 1e-6),
    "softmax": ("softmax", "x=f32[?,?]", row_calls(), softmax, 1e-5),
    "rms_norm": ("rms_norm", "x=f32[?,?] w=f32[?] eps=f32", row_calls(w=lambda n: normal(n), eps=lambda n: 1e-6), rms_norm, 1e-5),
    "matmul": ("matmul", "x=f32[?,?] y=f32[?,?]", matmul_calls, lambda x, y: [x @ y], 1e-5),
    "long_sum": ("long_sum", "x=f32[?,?]", row_calls(), lambda x: [x.sum(1)], 1e-5),
    "rms_norm_bwd": ("rms_norm_bwd", "dy=f32[?,?] x=f32[?,?] w=f32[?] rstd=f32[?]", rms_norm_bwd_calls, rms_norm_bwd, 3e-5),
    "layer_norm": ("layer_norm", "x=f32[?,128] w=f32[128] bias=none eps=f32", layer_norm_calls, layer_norm, 1e-5),
}
