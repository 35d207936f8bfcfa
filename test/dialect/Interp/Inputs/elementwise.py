# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Elementwise ops against numpy: writes one kernel per family and element type that applies each op of a table to the same
# operands, one result per op.
# Use: elementwise.py FAMILY SCRATCH
import math
import os
import sys

import numpy as np

from floats import INTEGERS, rounded
from harness import Case, rng, run_all

COUNT = 203


def vector(dtype):
    return f"tensor<?x{dtype}, #helion.dims<bi@i>>"


def kernel_text(operands, ops):
    """`operands`: name -> dtype; `ops`: [(text with {name} and {t:name}, result dtype)]."""
    lines = [f"!{n} = {vector(t)}" for n, t in operands.items()]
    arguments = ", ".join(f'%{n}_: memref<?x{t}, strided<[?], offset: ?>> {{helion.name = "{n}"}}'
                          for n, t in operands.items())
    results = ", ".join(f"memref<?x{t}>" for _, t in ops)
    first, first_type = next(iter(operands.items()))
    lines += ['module attributes {helion.form = "kernel"} {',
              f"helion.kernel @ops({arguments}) -> ({results}) attributes {{helion.facts = []}} {{",
              "%c0 = arith.constant 0 : index",
              f"%n = memref.dim %{first}_, %c0 : memref<?x{first_type}, strided<[?], offset: ?>>"]
    lines += [f'%out{i} = helion.empty(%n) {{name = "out{i}"}} : memref<?x{t}>' for i, (_, t) in enumerate(ops)]
    lines += ["helion.block @bi tile", 'helion.launch "ops" {',
              'helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {']
    lines += [f'%{n} = helion.load %{n}_[%i] site "{n}" : memref<?x{t}, strided<[?], offset: ?>>, '
              f"(!helion.tile<bi@i>) -> {vector(t)}" for n, t in operands.items()]
    for i, (text, t) in enumerate(ops):
        lines += [f"%r{i} = {text}",
                  f'helion.store %r{i}, %out{i}[%i] site "out{i}" : {vector(t)}, memref<?x{t}>, (!helion.tile<bi@i>)']
    outs = ", ".join(f"%out{i}" for i in range(len(ops)))
    return "\n".join(lines + ["}", "}", f"helion.return {outs} : {results}", "}", "}", ""])


def check(name, scratch, operands, ops, ulps=0):
    """`operands`: name -> (array, dtype); `ops`: [(text, result dtype, expected array)]."""
    os.makedirs(scratch, exist_ok=True)
    path = os.path.join(scratch, "ops.mlir")
    with open(path, "w") as file:
        file.write(kernel_text({n: t for n, (_, t) in operands.items()}, [(text, t) for text, t, _ in ops]))
    case = Case(operands, [{"bi": 16}, {"bi": 64}, {"bi": 1}], lambda _: [(want, t) for _, t, want in ops], ulps=ulps)
    run_all(name, path, scratch, [case])


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, -0.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 5e-324]


def floats(edge_first=True):
    values = rng.standard_normal(COUNT) * 10.0 ** rng.integers(-3, 4, COUNT)
    values[: len(EDGES)] = EDGES if edge_first else rng.permutation(EDGES)
    return values


def binary(op):
    return f"{op} %a, %b : !a"


def arith_float(scratch):
    a, b = floats(), floats(False)
    nan = np.isnan(a) | np.isnan(b)
    condition = a < b
    ops = [
        (binary("arith.addf"), a + b), (binary("arith.subf"), a - b), (binary("arith.mulf"), a * b),
        (binary("arith.divf"), a / b), (binary("arith.remf"), np.fmod(a, b)), ("arith.negf %a : !a", -a),
        (binary("arith.maximumf"), np.where(nan, np.nan, np.fmax(a, b))),
        (binary("arith.minimumf"), np.where(nan, np.nan, np.fmin(a, b))),
        (binary("arith.maxnumf"), np.fmax(a, b)), (binary("arith.minnumf"), np.fmin(a, b)),
    ]
    check("arith_float", scratch, {"a": (a, "f64"), "b": (b, "f64")}, [(t, "f64", w) for t, w in ops])
    compares = {
        "true": np.ones(COUNT, bool), "false": np.zeros(COUNT, bool), "oeq": a == b, "ogt": a > b, "oge": a >= b, "olt": a < b, "ole": a <= b, "one": (a != b) & ~nan, "ord": ~nan,
        "ueq": (a == b) | nan, "ugt": (a > b) | nan, "uge": (a >= b) | nan, "ult": (a < b) | nan,
        "ule": (a <= b) | nan, "une": a != b, "uno": nan,
    }
    check("cmpf", scratch, {"a": (a, "f64"), "b": (b, "f64")},
          [(f"arith.cmpf {p}, %a, %b : !a", "i1", w) for p, w in compares.items()])
    check("select", scratch, {"c": (condition, "i1"), "a": (a, "f64"), "b": (b, "f64")},
          [("arith.select %c, %a, %b : !c, !a", "f64", np.where(condition, a, b))])


def math_float(scratch):
    a, b = floats(), floats(False)
    small = np.clip(a, -1, 1)
    special = np.vectorize(math.erf)(np.nan_to_num(a, nan=0.0))
    erf = np.where(np.isnan(a), np.nan, special)
    ops = {
        "absf": np.abs(a), "asinh": np.arcsinh(a), "atan": np.arctan(a), "cbrt": np.cbrt(a), "ceil": np.ceil(a),
        "cos": np.cos(a), "cosh": np.cosh(a), "erf": erf, "exp": np.exp(a), "exp2": np.exp2(a), "expm1": np.expm1(a),
        "floor": np.floor(a), "log": np.log(a), "log10": np.log10(a), "log1p": np.log1p(a), "log2": np.log2(a),
        "round": np.copysign(np.floor(np.abs(a) + 0.5), a), "roundeven": np.rint(a), "rsqrt": 1 / np.sqrt(a),
        "sin": np.sin(a), "sinh": np.sinh(a), "sqrt": np.sqrt(a), "tan": np.tan(a), "tanh": np.tanh(a),
        "trunc": np.trunc(a),
    }
    check("math", scratch, {"a": (a, "f64")}, [(f"math.{op} %a : !a", "f64", w) for op, w in ops.items()], ulps=4)
    inverse = {"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh}
    check("math_inverse", scratch, {"a": (small, "f64")},
          [(f"math.{op} %a : !a", "f64", f(small)) for op, f in inverse.items()], ulps=4)
    tests = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan}
    check("math_tests", scratch, {"a": (a, "f64")},
          [(f"math.{op} %a : !a", "i1", f(a)) for op, f in tests.items()])
    c = floats(False)
    finite = lambda x: np.nan_to_num(np.clip(x, -1e3, 1e3))
    a, b, c = finite(a), finite(b), finite(c)
    n = rng.integers(-5, 6, COUNT)
    low, high = np.minimum(b, c), np.maximum(b, c)
    check("math_more", scratch,
          {"a": (a, "f64"), "b": (b, "f64"), "l": (low, "f64"), "h": (high, "f64"), "e": (n, "i32")},
          [("math.powf %a, %b : !a", "f64", np.power(a, b)), ("math.atan2 %a, %b : !a", "f64", np.arctan2(a, b)),
           ("math.copysign %a, %b : !a", "f64", np.copysign(a, b)),
           ("math.fpowi %a, %e : !a, !e", "f64", np.power(a, n.astype(float))),
           ("math.clampf %a to [%l, %h] : !a", "f64", np.clip(a, low, high))], ulps=4)
    # Exact products: fma rounds once, so a * a - rounded(a * a) is the rounding error itself.
    whole = rng.integers(1, 1 << 53, COUNT)
    product = whole.astype(object) ** 2
    nearest = whole.astype(float) * whole.astype(float)
    error = np.array([float(p - int(q)) for p, q in zip(product, nearest)])
    check("fma", scratch, {"a": (whole.astype(float), "f64"), "b": (-nearest, "f64")},
          [("math.fma %a, %a, %b : !a", "f64", error)])


def integers(dtype):
    info = np.iinfo(INTEGERS[dtype])
    values = rng.integers(info.min, info.max, COUNT, dtype=INTEGERS[dtype], endpoint=True)
    values[:6] = [0, 1, -1, info.min, info.max, 2]
    return values


def wrapping(dtype, function, *operands):
    """Exact in Python's integers, then cut to the width."""
    width = np.iinfo(INTEGERS[dtype]).bits
    results = []
    for values in zip(*(x.tolist() for x in operands)):
        cut = function(*values) & ((1 << width) - 1)
        results.append(cut - (1 << width) if cut >> (width - 1) else cut)
    return np.array(results, INTEGERS[dtype])


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def arith_int(scratch):
    for dtype in ("i8", "i16", "i32", "i64", "index"):
        width = np.iinfo(INTEGERS[dtype]).bits
        u = lambda x, width=width: x & ((1 << width) - 1)
        a, b = integers(dtype), rng.permutation(integers(dtype))
        divisor = np.where(b == 0, 3, b).astype(INTEGERS[dtype])
        shift = rng.integers(0, width, COUNT).astype(INTEGERS[dtype])
        both = {
            "addi": lambda x, y: x + y, "subi": lambda x, y: x - y, "muli": lambda x, y: x * y,
            "andi": lambda x, y: x & y, "ori": lambda x, y: x | y, "xori": lambda x, y: x ^ y,
            "maxsi": max, "minsi": min, "maxui": lambda x, y: max(u(x), u(y)), "minui": lambda x, y: min(u(x), u(y)),
        }
        by_divisor = {
            "divsi": quotient, "remsi": lambda x, y: x - quotient(x, y) * y, "floordivsi": lambda x, y: x // y,
            "ceildivsi": lambda x, y: -(-x // y), "divui": lambda x, y: u(x) // u(y),
            "remui": lambda x, y: u(x) % u(y), "ceildivui": lambda x, y: -(-u(x) // u(y)),
        }
        by_shift = {"shli": lambda x, y: x << y, "shrsi": lambda x, y: x >> y, "shrui": lambda x, y: u(x) >> y}
        ops = [(f"arith.{op} %a, %b : !a", dtype, wrapping(dtype, f, a, b)) for op, f in both.items()]
        ops += [(f"arith.{op} %a, %d : !a", dtype, wrapping(dtype, f, a, divisor)) for op, f in by_divisor.items()]
        ops += [(f"arith.{op} %a, %s : !a", dtype, wrapping(dtype, f, a, shift)) for op, f in by_shift.items()]
        if dtype != "index":
            ops += [("math.absi %a : !a", dtype, wrapping(dtype, abs, a)),
                    ("math.ctpop %a : !a", dtype, wrapping(dtype, lambda x: bin(u(x)).count("1"), a)),
                    ("math.ctlz %a : !a", dtype, wrapping(dtype, lambda x: width - u(x).bit_length(), a)),
                    ("math.cttz %a : !a", dtype,
                     wrapping(dtype, lambda x: (u(x) & -u(x)).bit_length() - 1 if x else width, a)),
                    ("math.ipowi %a, %s : !a", dtype, wrapping(dtype, lambda x, y: x**y, a, shift))]
        compares = {
            "eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b,
        }
        ua, ub = [np.array([u(v) for v in x.tolist()], object) for x in (a, b)]
        compares |= {"ult": ua < ub, "ule": ua <= ub, "ugt": ua > ub, "uge": ua >= ub}
        ops += [(f"arith.cmpi {p}, %a, %b : !a", "i1", w.astype(bool)) for p, w in compares.items()]
        check(f"arith_int {dtype}", scratch,
              {"a": (a, dtype), "b": (b, dtype), "d": (divisor, dtype), "s": (shift, dtype)}, ops)
    p, q = rng.integers(0, 2, COUNT).astype(bool), rng.integers(0, 2, COUNT).astype(bool)
    check("arith_int i1", scratch, {"a": (p, "i1"), "b": (q, "i1")},
          [("arith.andi %a, %b : !a", "i1", p & q), ("arith.ori %a, %b : !a", "i1", p | q),
           ("arith.xori %a, %b : !a", "i1", p ^ q), ("arith.addi %a, %b : !a", "i1", p ^ q)])


def ties(dtype):
    """Numbers around the steps of a format: halfway cases, subnormals, the largest."""
    base = rounded(rng.standard_normal(COUNT) * 2.0 ** rng.integers(-20, 12, COUNT), dtype)
    above = rounded(base * (1 + 2.0**-9), dtype)
    values = (base + above) / 2
    tiny = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133, "f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-16}[dtype]
    values[:24] = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, tiny / 2, tiny * 1.5, tiny * 0.49, tiny * 2.5, -tiny * 3.5,
                   448.0, 464.0, 465.0, 65504.0, 65519.0, 65520.0, 57344.0, 61440.0, 3.4028235677973366e38, 3.39e38,
                   1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-40]
    return values


def casts(scratch):
    for dtype in ("f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"):
        a = ties(dtype)
        check(f"truncf {dtype}", scratch, {"a": (a, "f64")},
              [(f"arith.truncf %a : !a to {vector(dtype)}", dtype, rounded(a, dtype))])
        b = rounded(a, dtype)
        check(f"extf {dtype}", scratch, {"a": (b, dtype)}, [(f"arith.extf %a : !a to {vector('f64')}", "f64", b)])
    for dtype in ("i8", "i32", "i64"):
        a = integers(dtype)
        width = np.iinfo(INTEGERS[dtype]).bits
        unsigned = np.array([float(v & ((1 << width) - 1)) for v in a.tolist()])
        check(f"itofp {dtype}", scratch, {"a": (a, dtype)},
              [(f"arith.sitofp %a : !a to {vector('f32')}", "f32", a.astype(np.float32).astype(float)),
               (f"arith.sitofp %a : !a to {vector('bf16')}", "bf16", rounded(a.astype(float), "bf16")),
               (f"arith.uitofp %a : !a to {vector('f64')}", "f64", unsigned)])
    a = np.clip(np.nan_to_num(floats()), -2.0**31, 2.0**31 - 1)
    check("fptoi", scratch, {"a": (a, "f64"), "b": (np.abs(a), "f64")},
          [(f"arith.fptosi %a : !a to {vector('i32')}", "i32", np.trunc(a)),
           (f"arith.fptoui %b : !b to {vector('i64')}", "i64", np.trunc(np.abs(a)))])
    a, b = integers("i64"), integers("i8")
    check("resize", scratch, {"a": (a, "i64"), "b": (b, "i8"), "p": (a > 0, "i1")},
          [(f"arith.trunci %a : !a to {vector('i8')}", "i8", a.astype(np.int8)),
           (f"arith.extsi %b : !b to {vector('i32')}", "i32", b.astype(np.int32)),
           (f"arith.extui %b : !b to {vector('i32')}", "i32", b.view(np.uint8).astype(np.int32)),
           (f"arith.extui %p : !p to {vector('i32')}", "i32", (a > 0).astype(np.int32)),
           (f"arith.extsi %p : !p to {vector('i32')}", "i32", -(a > 0).astype(np.int32)),
           (f"arith.index_cast %b : !b to {vector('index')}", "index", b.astype(np.int64)),
           (f"arith.index_castui %b : !b to {vector('index')}", "index", b.view(np.uint8).astype(np.int64))])
    a = rounded(floats(), "f32")
    check("bitcast", scratch, {"a": (a, "f32"), "b": (integers("i32"), "i32")},
          [(f"arith.bitcast %a : !a to {vector('i32')}", "i32", a.astype(np.float32).view(np.int32))])


if __name__ == "__main__":
    np.seterr(all="ignore")
    globals()[sys.argv[1]](sys.argv[2])
