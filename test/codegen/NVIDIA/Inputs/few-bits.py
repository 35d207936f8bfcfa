# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples whose results are 16-bit floats, from form S to one thread's code with marked functions (helion-mark-math) and the hardware's
instructions, emulated at the edges of what those may give (math.cpp), every thread of every block, compared with numpy: all calls of the
conformance suite, and rows of the widest numbers, where each result is within a rounding and what the marks allow.

Use: few-bits.py COMMON_INPUTS WORK
Prints one line per kernel and type. Fails on the first wrong value, on a config that serves no call, and where nothing was marked.
"""
import ctypes
import os
import sys

COMMON, WORK = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, COMMON)
import numpy  # noqa: E402
import simulated  # noqa: E402
import threads  # noqa: E402
from simulated import conformance, kernels  # noqa: E402

threads.sources = [os.path.join(HERE, "math.cpp")]
# Choices of passes, and options of helion-assign-layouts.
ANY = "helion-choose-access{indexing=out.0=any,x.0=any}"
PERSISTENT = [("helion-bind-blocks{block_sizes=bi=1,rn=1024}", "warps=4"), ("helion-bind-blocks{block_sizes=bi=4,rn=256}", "warps=1"),
              ("helion-bind-blocks{block_sizes=bi=1,rn=1024}," + ANY, "warps=2")]
WALKED = [("helion-roll-reductions{reduction_loops=slice.n=128},helion-bind-blocks{block_sizes=bi=2}", "warps=2")]
ONLINE = [("helion-bind-blocks{block_sizes=bi=2,bn=128}", "warps=2"),
          ("helion-bind-blocks{block_sizes=bi=1,bn=32},helion-choose-access{indexing=out.0=any,x.0=any,x.1=any}", "warps=1")]
CASES = {"softmax": PERSISTENT + WALKED, "softmax_online": ONLINE}
ORDER = ["helion-roll-reductions", "helion-order-loops", "helion-bind-blocks", "helion-flatten-loops", "helion-map-programs",
         "helion-unroll-loops", "helion-choose-access"]
# Bits of each type, and how far a result may be from the exact one, in units: half of one, and the roundings in f32 of a difference, a
# sum and what is marked, all together within 2^-15 of the result.
BITS = {"bf16": 8, "f16": 11}
LEAST = {"bf16": 2.0 ** -126, "f16": 2.0 ** -14}


def wide_rows():
    """Rows whose differences go from nothing to what exp makes 0 of, near 0 and far from it."""
    random = numpy.random.default_rng(5)
    rows = [random.uniform(-scale, scale, 248) for scale in (1e-38, 1e-3, 1, 30, 100, 1e4, 6e4)]
    rows += [numpy.linspace(-95, 0, 248) + offset for offset in (0, 700, -3000)]
    return numpy.array(rows + [random.choice([-1, 1, 0.5], 248) * 3e38])


def compile_threads(key, dtype, path, choices, variant, folder, harness):
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    given = {text.partition("{")[0]: text for text in conformance.split_outside(choices, ",", "{}")}
    passes = ",".join(given.get(name, name) for name in ORDER)
    simulated.opt(f"helion-normalize,helion-config{{v=1}},{passes}", path, at("scheduled.mlir"))
    simulated.opt(f"canonicalize,cse,helion-assign-layouts{{{variant}}},canonicalize,cse", at("scheduled.mlir"), at("laidout.mlir"))
    simulated.opt("helion-outline-launches{programs=block}", at("laidout.mlir"), at("outlined.mlir"))
    simulated.opt("func.func(helion-fill-loads,helion-mark-math)", at("outlined.mlir"), at("marked.mlir"))
    simulated.opt("func.func(helion-lower-threads,canonicalize,cse,helion-widen-pairs,helion-expand-device-math)", at("marked.mlir"),
                  at("threads.mlir"))
    simulated.opt("helion-simulate-matrices,helion-simulate-threads", at("threads.mlir"), at("simulated.mlir"))
    simulated.finish(folder, harness)
    with open(at("marked.mlir")) as file:
        return file.read().count("helion.few_bits")


def units_off(got, exact, dtype):
    """Of the last place of the exact result; of the least normal one where that is smaller. exp gives 0 below 1.17551e-38."""
    assert (numpy.isnan(got) == numpy.isnan(exact)).all()
    got, exact = got[~numpy.isnan(exact)], exact[~numpy.isnan(exact)]
    exact = numpy.where((got == 0) & (exact < 1.17551e-38), 0, exact)
    unit = numpy.exp2(numpy.floor(numpy.log2(numpy.maximum(numpy.abs(exact), LEAST[dtype]))) - (BITS[dtype] - 1))
    return (numpy.abs(got - exact) / unit).max()


def run_all(folder, calls, kernel, dtype):
    """Labels of the calls that were served, what is wrong, and the largest error of the wide rows in units."""
    artifact, served, worst = simulated.Simulated(folder), [], 0.0
    conformance.run_artifact.load = lambda _: artifact
    artifact.library.lean_to.argtypes = [ctypes.c_double]
    wide = conformance.Call(kernel, "wide", dict(x=wide_rows()), {"x": dtype}, False)
    for side in (-1, 0, 1):
        artifact.library.lean_to(side)
        served, wrong = conformance.check_artifact(folder, calls, kernel)
        if wrong:
            return served, wrong, worst
        got = conformance.wide(artifact.run(**wide.given)["out"], dtype)
        worst = max(worst, units_off(got, wide.oracles["numpy"][0], dtype))
    return served, None, worst


def child(*arguments):
    served, wrong, worst = run_all(*arguments)
    return (served, worst), wrong


def check(key, dtype, harness):
    path = os.path.join(WORK, f"{key}-{dtype}.mlir")
    kernel, dtypes = conformance.import_kernel(key, dtype, path)
    calls = [conformance.Call(kernel, name, arguments, dtypes, number % 2 == 1)
             for number, (name, arguments) in enumerate(kernel.calls())]
    total, marks, worst = set(), [], 0.0
    for number, (choices, variant) in enumerate(CASES[key]):
        folder = f"{path}.{number}"
        marks.append(compile_threads(key, dtype, path, choices, variant, folder, harness))
        result, wrong = conformance.isolated(child, folder, calls, kernel, dtype)
        if wrong or not result:
            sys.exit(f"{key} {dtype}: {choices} with `{variant}`: {wrong or 'serves no call'}")
        total.update(result[0])
        worst = max(worst, result[1])
    limit = 0.5 + 2.0 ** (BITS[dtype] - 15)
    if worst > limit:
        sys.exit(f"{key} {dtype}: {worst} units, not {limit}")
    print(f"{key} {dtype}: {len(total)} of {len(calls)} calls equal numpy, marks {marks}, wide rows within {worst:.3f} units", flush=True)


def main():
    os.makedirs(WORK, exist_ok=True)
    harness = threads.harness(os.path.join(WORK, "all"), os.path.join(COMMON, "harness.cpp"))
    for key in CASES:
        for dtype in BITS:
            check(key, dtype, harness)


if __name__ == "__main__":
    main()
