# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the conformance suite: how each is imported, calls that are hard for it, and what numpy says of them.

Calls are in float64; conformance.py rounds what the signature marks with `{t}` to the type under test, and the reference
gets the rounded values. To add a kernel: a generator of calls, a reference over float64, a row of KERNELS.
"""
import dataclasses
import typing

import numpy

INF, NAN = float("inf"), float("nan")
RNG = numpy.random.default_rng(7)


def normal(*shape):
    return RNG.standard_normal(shape)


def strided(array, whole=0):
    """The same values, every second element of a larger buffer along each dim but the first `whole`."""
    sizes = array.shape[whole:]
    big = numpy.zeros(array.shape[:whole] + tuple(2 * size + 1 for size in sizes), array.dtype)
    view = big[(..., *(slice(1, 2 * size + 1, 2) for size in sizes))]
    view[...] = array
    return view


def stepped(array):
    """The same values, every second element of a buffer, dims without gaps between them, so that they can be folded."""
    return numpy.repeat(array.reshape(-1), 2)[::2].reshape(array.shape) if array.size else array


def laid_out(array, order):
    """The same values; `order` says where each dim is in memory, as the argument of `transpose` of what lies there does."""
    return numpy.ascontiguousarray(array.transpose(numpy.argsort(order))).transpose(order)


def far(array):
    """The same values; dims of one element have a stride that fits no other dim, which nobody steps over."""
    steps = [stride if size != 1 else 1001 * array.itemsize for size, stride in zip(array.shape, array.strides)]
    return numpy.lib.stride_tricks.as_strided(array, array.shape, steps)


def indexed(*shape):
    """Values that depend on the index, so that a moved element is seen; exact in every float type."""
    return (numpy.arange(numpy.prod(shape), dtype=numpy.float64).reshape(shape) % 97 - 48) / 16


def special(rows, columns):
    """A row of -inf, a row with a NaN, one with an infinity, one with -inf after the first element; then plain rows."""
    x = normal(rows, columns)
    x[0, :] = -INF
    x[1, columns // 2] = NAN
    x[2, 0] = INF
    x[3, 1::3] = -INF
    return x


SIZES = [(0, 5), (5, 0), (5, 1), (1, 1), (37, 53), (64, 256), (3, 1000)]


# Calls.


def vector_add_calls():
    for n in (0, 1, 37 * 53, 1024, 5000):
        yield f"{n}", dict(x=normal(n), y=indexed(n))
    yield "strided", dict(x=strided(normal(777)), y=normal(777))
    yield "negative stride", dict(x=normal(300)[::-1], y=normal(300))
    yield "stride 0", dict(x=numpy.broadcast_to(normal(1), (300,)), y=normal(300))
    yield "nan, inf", dict(x=numpy.array([NAN, INF, -INF, 1]), y=numpy.array([1, -INF, 1, NAN]))


def row_calls(**more):
    """Calls of a kernel over the rows of x; `more` makes further arguments from the number of columns."""
    def with_more(x):
        return dict(x=x, **{name: make(x.shape[1]) for name, make in more.items()})

    def calls():
        for rows, columns in SIZES:
            yield f"{rows}x{columns}", with_more(normal(rows, columns))
        yield "strided", with_more(strided(normal(19, 75)))
        yield "transposed", with_more(normal(75, 19).T)
        yield "special", with_more(special(6, 130))

    return calls


def matmul_calls():
    for m, k, n in ((1, 1, 1), (37, 53, 29), (64, 64, 64), (100, 300, 60), (5, 0, 7), (0, 4, 4), (4, 4, 0), (129, 65, 33)):
        yield f"{m}x{k}x{n}", dict(x=normal(m, k), y=normal(k, n))
    yield "indexed", dict(x=indexed(37, 53), y=numpy.eye(53, 40))
    yield "transposed", dict(x=normal(41, 33).T, y=normal(25, 41).T)
    yield "strided", dict(x=strided(normal(33, 40)), y=strided(normal(40, 35)))
    x = normal(33, 17)
    x[3, 4], x[5, 6], x[7, :] = NAN, INF, -INF
    yield "nan, inf", dict(x=x, y=normal(17, 20))


def int8_gemm_calls():
    def call(m, k, n):
        x, w = RNG.integers(-128, 128, (m, k)), RNG.integers(-128, 128, (n, k))
        return dict(x=x, w=w, x_scale=numpy.abs(normal(m)) / 64, w_scale=numpy.abs(normal(n)))

    for m, k, n in ((1, 1, 1), (37, 53, 29), (64, 64, 64), (100, 300, 60), (5, 0, 7), (0, 4, 4), (4, 4, 0), (129, 65, 33)):
        yield f"{m}x{k}x{n}", call(m, k, n)
    one = call(31, 97, 20)
    one["x"][:], one["w"][:] = -128, -128
    yield "extremes", one
    one = call(41, 33, 25)
    yield "transposed", dict(one, x=laid_out(one["x"], (1, 0)), w=laid_out(one["w"], (1, 0)))
    one = call(33, 40, 35)
    yield "strided", {name: strided(value) for name, value in one.items()}
    one = call(9, 17, 20)
    one["x_scale"][2:4], one["w_scale"][5] = [NAN, INF], -INF
    yield "nan, inf", one


def matmul_constant_calls(k):
    def calls():
        for m, n in ((0, 3), (1, 1), (37, 53), (64, 64), (3, 200)):
            yield f"{m}x{k}x{n}", dict(x=normal(m, k), y=normal(k, n))
        yield "strided", dict(x=strided(normal(33, k)), y=normal(35, k).T)
        x = normal(9, k)
        x[3, 4], x[5, 6], x[7, :] = NAN, INF, -INF
        yield "nan, inf", dict(x=x, y=normal(k, 20))

    return calls


def rms_norm_bwd_calls():
    def call(x):
        with numpy.errstate(invalid="ignore", divide="ignore"):
            rstd = 1 / numpy.sqrt((x ** 2).sum(1) / max(x.shape[1], 1) + 1e-6)
        return dict(dy=normal(*x.shape), x=x, w=normal(x.shape[1]), rstd=rstd)

    for m, n in ((0, 5), (5, 0), (1, 1), (37, 53), (64, 128), (130, 20), (5, 1000)):
        yield f"{m}x{n}", call(normal(m, n))
    x = normal(21, 33)
    x[4, 5], x[7, 0] = NAN, INF
    yield "nan, inf", call(x)
    yield "transposed", call(normal(33, 41).T)


def layer_norm_calls(columns, bias):
    def calls():
        def call(x):
            return dict(x=x, w=normal(columns), bias=normal(columns) if bias else None, eps=1e-5)

        for rows in (0, 1, 37, 64):
            yield f"{rows}x{columns}", call(normal(rows, columns))
        yield "special", call(special(6, columns))
        yield "strided", call(strided(normal(9, columns)))

    return calls


def embedding_calls():
    def call(count, rows, columns, table=indexed):
        return dict(ids=RNG.integers(0, rows, count), w=table(rows, columns))

    for count, rows, columns in ((0, 5, 4), (3, 5, 0), (1, 1, 1), (37, 40, 53), (64, 128, 64), (200, 3, 130)):
        yield f"{count} of {rows}x{columns}", call(count, rows, columns)
    yield "strided", dict(ids=strided(RNG.integers(0, 9, 21)), w=strided(normal(9, 17)))
    yield "special", call(9, 6, 40, special)


def scatter_rows_calls():
    def call(count, rows, columns):
        return dict(ids=RNG.permutation(rows)[:count], x=indexed(count, columns), like=normal(rows, columns))

    for count, rows, columns in ((0, 5, 4), (3, 5, 0), (1, 1, 1), (37, 40, 53), (64, 128, 64), (200, 201, 3), (5, 9, 130)):
        yield f"{count} of {rows}x{columns}", call(count, rows, columns)
    yield "strided", dict(ids=strided(RNG.permutation(40)[:21]), x=strided(normal(21, 17)), like=normal(40, 17))
    yield "special", dict(ids=RNG.permutation(9)[:6], x=special(6, 40), like=normal(9, 40))


def bmm_calls():
    for batch, m, k, n in ((0, 3, 4, 5), (1, 1, 1, 1), (3, 37, 53, 29), (2, 64, 64, 64), (2, 5, 0, 7), (4, 0, 4, 4), (7, 9, 17, 130)):
        yield f"{batch}x{m}x{k}x{n}", dict(x=normal(batch, m, k), y=normal(batch, k, n))
    yield "transposed", dict(x=normal(3, 41, 33).transpose(0, 2, 1), y=normal(25, 3, 41).transpose(1, 2, 0))
    yield "strided", dict(x=strided(normal(2, 33, 40)), y=strided(normal(2, 40, 35)))
    x = normal(2, 9, 17)
    x[0, 3, 4], x[1, 5, 6], x[1, 7, :] = NAN, INF, -INF
    yield "nan, inf", dict(x=x, y=normal(2, 17, 20))


def cross_entropy_calls():
    def call(logits):
        rows, columns = logits.shape
        return dict(logits=logits, labels=RNG.integers(0, max(columns, 1), rows))

    for rows, columns in ((0, 5), (5, 1), (1, 1), (37, 53), (64, 256), (3, 1000)):
        yield f"{rows}x{columns}", call(normal(rows, columns))
    yield "special", call(special(6, 130))
    yield "strided labels", dict(logits=normal(21, 33), labels=strided(RNG.integers(0, 33, 21)))
    # The kernel takes a view(-1), which transposed logits and those with gaps between rows have not.
    yield "strided", dict(logits=stepped(normal(21, 33)), labels=RNG.integers(0, 33, 21))
    yield "strided, special", dict(logits=stepped(special(6, 130)), labels=strided(RNG.integers(0, 130, 6)))
    yield "a row of its own stride", dict(logits=far(normal(1, 53)), labels=RNG.integers(0, 53, 1))


def kl_div_calls():
    def call(log_p, target):
        return dict(log_p=log_p, target=numpy.abs(target))

    for rows, columns in SIZES:
        yield f"{rows}x{columns}", call(normal(rows, columns), normal(rows, columns))
    # Targets of 0 count nothing, whatever the probability.
    x, t = normal(37, 53), normal(37, 53)
    t[3, :] = t[:, 7] = 0
    x[3, 4] = -INF
    yield "zeros", call(x, t)
    yield "strided", call(strided(normal(21, 33)), strided(normal(21, 33)))
    x = normal(4, 9)
    x[2, 3] = NAN
    yield "nan", call(x, normal(4, 9))


def rope_calls(width):
    def calls():
        def call(x):
            angle = normal(x.shape[2], width // 2)
            return dict(x=x, cos=numpy.cos(angle), sin=numpy.sin(angle))

        for batch, heads, length in ((0, 2, 3), (1, 1, 1), (2, 3, 37), (1, 4, 64), (2, 1, 0), (3, 5, 7)):
            yield f"{batch}x{heads}x{length}", call(normal(batch, heads, length, width))
        yield "strided", call(strided(normal(2, 2, 9, width)))
        # Positions outside, heads inside, as projections give them.
        yield "transposed", call(normal(2, 19, 3, width).transpose(0, 2, 1, 3))
        x = normal(1, 2, 9, width)
        x[0, 0, 3, 2], x[0, 1, 4, 0] = NAN, INF
        yield "nan, inf", call(x)

    return calls


def attention_calls(width, causal):
    def calls():
        def call(batch, heads, m, s):
            return dict(q=normal(batch, heads, m, width), k=normal(batch, heads, s, width), v=normal(batch, heads, s, width))

        sizes = [(0, 2, 3, 3), (1, 1, 1, 1), (1, 2, 37, 53), (2, 1, 16, 16), (1, 1, 0, 4), (3, 1, 5, 0), (1, 1, 4, 70)]
        for batch, heads, m, s in sizes:
            s = m if causal else s
            yield f"{batch}x{heads}x{m}x{s}", call(batch, heads, m, s)
        # Heads inside, as projections give them. The kernel folds batch and heads to one dim, so positions are outermost:
        # of [B,S,H,D] no view is that dim, but of one batch, whatever its stride.
        for batch in (1, 2):
            one = call(batch, 3, 19, 19 if causal else 37)
            yield f"views of [S,{batch},H,D]", {tensor: laid_out(value, (1, 2, 0, 3)) for tensor, value in one.items()}
        one = call(1, 3, 19, 19 if causal else 37)
        yield "transposes of [1,S,H,D]", {tensor: far(laid_out(value, (0, 2, 1, 3))) for tensor, value in one.items()}
        one = call(2, 3, 21, 21 if causal else 35)
        yield "transposed k", dict(one, k=laid_out(one["k"], (0, 1, 3, 2)))
        yield "all transposed", {tensor: laid_out(value, (0, 1, 3, 2)) for tensor, value in one.items()}
        yield "strided", {tensor: strided(value, 2) for tensor, value in call(2, 3, 11, 11 if causal else 25).items()}
        yield "every second element", {tensor: stepped(value) for tensor, value in call(2, 2, 17, 17).items()}
        one = call(1, 2, 9, 9)
        one["q"][0, 0, 3, 2], one["q"][0, 1, 4, 0], one["v"][0, 1, 5, 1] = NAN, INF, INF
        yield "nan, inf", one
        # Keys that no query likes: scores of -inf in whole columns.
        one = call(1, 1, 9, 9)
        one["q"] = abs(one["q"])
        one["k"][0, 0, 5] = -INF
        yield "-inf scores", one

    return calls


def segment_sum_calls():
    def call(rows, columns, segments, table=normal):
        return dict(ids=numpy.sort(RNG.integers(0, segments, rows)), x=table(rows, columns), segments=segments)

    for rows, columns, segments in ((0, 5, 4), (3, 0, 5), (1, 1, 1), (37, 53, 9), (64, 128, 64), (200, 3, 1), (300, 20, 5), (5, 130, 900)):
        yield f"{rows}x{columns} to {segments}", call(rows, columns, segments)
    one = call(130, 17, 8)
    yield "not sorted", dict(one, ids=RNG.permutation(one["ids"]))
    yield "strided", dict(ids=strided(one["ids"]), x=strided(one["x"]), segments=8)
    yield "special", call(6, 40, 3, special)


# References over float64: one value per result, or the value and the size of what it is the difference of.


def add(x, y):
    return [x + y]


def softmax(x):
    e = numpy.exp(x - x.max(1, keepdims=True, initial=-INF))
    return [e / e.sum(1, keepdims=True)]


def rms_norm(x, w, eps):
    rstd = 1 / numpy.sqrt(numpy.divide((x * x).sum(1), x.shape[1]) + eps)
    return [x * rstd[:, None] * w, rstd]


def long_sum(x):
    return [x.sum(1)]


def matmul(x, y):
    # The size of what is summed, since sums cancel.
    return [(x @ y, numpy.abs(x) @ numpy.abs(y))]


def int8_gemm(x, w, x_scale, w_scale):
    return [(x.astype(numpy.int64) @ w.astype(numpy.int64).T) * (x_scale[:, None] * w_scale)]


def rms_norm_bwd(dy, x, w, rstd):
    normed, wdy = x * rstd[:, None], dy * w
    shared = normed * numpy.divide((wdy * normed).sum(1, keepdims=True), x.shape[1])
    # The two cancel in short rows.
    size = (numpy.abs(wdy) + numpy.abs(shared)) * rstd[:, None]
    return [((wdy - shared) * rstd[:, None], size), (dy * normed).sum(0)]


def layer_norm(x, w, bias, eps):
    centred = x - x.mean(1, keepdims=True)
    normed = centred / numpy.sqrt((centred * centred).mean(1, keepdims=True) + eps) * w
    return [normed if bias is None else normed + bias]


def embedding(ids, w):
    return [w[ids]]


def cross_entropy(logits, labels):
    largest = logits.max(1, keepdims=True, initial=-INF)
    total = numpy.log(numpy.exp(logits - largest).sum(1)) + largest[:, 0]
    picked = logits[numpy.arange(len(labels)), labels]
    # The two cancel.
    return [(total - picked, numpy.abs(total) + numpy.abs(picked))]


def cross_entropy_mean(logits, labels):
    (losses, size), = cross_entropy(logits, labels)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        return [(numpy.asarray(numpy.divide(losses.sum(), len(losses))), numpy.asarray(size.sum() / max(len(losses), 1)))]


def kl_div(log_p, target):
    with numpy.errstate(all="ignore"):
        logs = numpy.log(target)
        total = numpy.where(target > 0, target * (logs - log_p), 0).sum()
        size = numpy.where(target > 0, target * (numpy.abs(logs) + numpy.abs(log_p)), 0).sum()
        return [(numpy.asarray(numpy.divide(total, len(log_p))), numpy.asarray(size / max(len(log_p), 1)))]


def rope(x, cos, sin):
    half = x.shape[3] // 2
    first, second = x[..., :half], x[..., half:]
    size = numpy.abs(x)
    turned = numpy.concatenate([first * cos - second * sin, second * cos + first * sin], axis=3)
    return [(turned, size + numpy.concatenate([size[..., half:], size[..., :half]], axis=3))]


def rope_interleaved(x, cos, sin):
    (turned, size), = rope(numpy.concatenate([x[..., 0::2], x[..., 1::2]], axis=3), cos, sin)
    halves = turned.shape[:3] + (2, turned.shape[3] // 2)
    return [tuple(part.reshape(halves).swapaxes(3, 4).reshape(x.shape) for part in (turned, size))]


def cumsum(x):
    # Of f32 sums in another order.
    return [(numpy.cumsum(x, 1), numpy.cumsum(numpy.where(numpy.isfinite(x), numpy.abs(x), 0), 1))]


def segment_sum(ids, x, segments):
    out, size = numpy.zeros((segments, x.shape[1])), numpy.zeros((segments, x.shape[1]))
    numpy.add.at(out, ids, x)
    numpy.add.at(size, ids, numpy.abs(x))
    return [(out, size)]


def scatter_rows(ids, x, like):
    out = numpy.zeros_like(like)
    out[ids] = x
    return [out]


def attention(q, k, v):
    scores = numpy.einsum("bhmd,bhsd->bhms", q, k) / numpy.sqrt(q.shape[-1])
    return [attend(scores, v)]


def attention_causal(q, k, v):
    scores = numpy.einsum("bhmd,bhsd->bhms", q, k) / numpy.sqrt(q.shape[-1])
    m = q.shape[2]
    return [attend(numpy.where(numpy.tri(m, m, dtype=bool), scores, -INF), v)]


def attend(scores, v):
    p = numpy.exp(scores - scores.max(-1, keepdims=True, initial=-INF))
    return numpy.einsum("bhms,bhsd->bhmd", p, v) / p.sum(-1, keepdims=True)


# The table.


@dataclasses.dataclass
class Kernel:
    example: str
    signature: str  # `{t}` is the type under test.
    calls: typing.Callable
    reference: typing.Callable
    tolerance: float  # Of f32 arithmetic, against the largest value of a row.
    narrow: float = 0  # The same for values that the kernel itself rounds to a type narrower than f32 on the way, in roundings.
    name: str = ""  # In the example, if not the key.
    dots: float = 0  # Error of its f32 dots beside, where a target rounds their operands as their precision allows.


def attention_row(reference, width, causal=False):
    arguments = " ".join(f"{name}={{t}}[?,?,?,{width}]" for name in "qkv")
    return Kernel("attention", arguments, attention_calls(width, causal), reference, 2e-5, 2)


TF32 = 2.0 ** -10  # Of a product whose operands are both rounded to 11 binary digits.

KERNELS = {
    "vector_add": Kernel("vector_add", "x={t}[?] y={t}[?]", vector_add_calls, add, 1e-6),
    "softmax": Kernel("softmax", "x={t}[?,?]", row_calls(), softmax, 1e-5),
    "softmax_online": Kernel("softmax", "x={t}[?,?]", row_calls(), softmax, 1e-5),
    "rms_norm": Kernel("rms_norm", "x={t}[?,?] w={t}[?] eps=f32", row_calls(w=normal, eps=lambda n: 1e-6), rms_norm, 1e-5),
    "matmul": Kernel("matmul", "x={t}[?,?] y={t}[?,?]", matmul_calls, matmul, 3e-6, dots=TF32),
    "matmul_constant": Kernel("matmul", "x={t}[?,40] y={t}[40,?]", matmul_constant_calls(40), matmul, 3e-6, name="matmul", dots=TF32),
    "int8_gemm": Kernel("int8_gemm", "x=i8[?,?] w=i8[?,?] x_scale={t}[?] w_scale={t}[?]", int8_gemm_calls, int8_gemm, 1e-6),
    "long_sum": Kernel("long_sum", "x={t}[?,?]", row_calls(), long_sum, 1e-5),
    "long_sum_split": Kernel("long_sum", "x={t}[?,?]", row_calls(), long_sum, 1e-5),
    "rms_norm_bwd": Kernel("rms_norm_bwd", "dy={t}[?,?] x={t}[?,?] w={t}[?] rstd=f32[?]", rms_norm_bwd_calls, rms_norm_bwd, 3e-5),
    "layer_norm": Kernel("layer_norm", "x={t}[?,128] w={t}[128] bias=none eps=f32", layer_norm_calls(128, False), layer_norm, 1e-5),
    "layer_norm_bias": Kernel("layer_norm", "x={t}[?,53] w={t}[53] bias={t}[53] eps=f32", layer_norm_calls(53, True), layer_norm,
                              1e-5, name="layer_norm"),
    "scatter_rows": Kernel("scatter_rows", "ids=i64[?] x={t}[?,?] like={t}[?,?]", scatter_rows_calls, scatter_rows, 0),
    "cumsum": Kernel("cumsum", "x={t}[?,?]", row_calls(), cumsum, 1e-5),
    "cumsum_long": Kernel("cumsum", "x={t}[?,?]", row_calls(), cumsum, 1e-5),
    "segment_sum": Kernel("segment_sum", "ids=i64[?] x={t}[?,?] segments=i64", segment_sum_calls, segment_sum, 1e-5),
    "bmm": Kernel("bmm", "x={t}[?,?,?] y={t}[?,?,?]", bmm_calls, matmul, 3e-6),
    "cross_entropy": Kernel("cross_entropy", "logits={t}[?,?] labels=i64[?]", cross_entropy_calls, cross_entropy, 1e-5),
    "cross_entropy_mean": Kernel("cross_entropy", "logits={t}[?,?] labels=i64[?]", cross_entropy_calls, cross_entropy_mean, 1e-5),
    "kl_div": Kernel("kl_div", "log_p={t}[?,?] target={t}[?,?]", kl_div_calls, kl_div, 1e-5),
    "rope": Kernel("rope", "x={t}[?,?,?,16] cos=f32[?,8] sin=f32[?,8]", rope_calls(16), rope, 1e-6),
    "rope_pairs": Kernel("rope", "x={t}[?,?,?,16] cos=f32[?,8] sin=f32[?,8]", rope_calls(16), rope, 1e-6),
    "rope_interleaved": Kernel("rope", "x={t}[?,?,?,16] cos=f32[?,8] sin=f32[?,8]", rope_calls(16), rope_interleaved, 1e-6),
    "embedding": Kernel("embedding", "ids=i64[?] w={t}[?,?]", embedding_calls, embedding, 0),
    "attention": attention_row(attention, 16),
    "attention_causal": attention_row(attention_causal, 20, causal=True),
}
