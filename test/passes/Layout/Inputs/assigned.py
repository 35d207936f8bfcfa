# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configs of the kernels of the conformance suite in form S and, after helion-assign-layouts, in form L: the form holds, and the
interpreter computes the same from both, which is what numpy says.

Use: assigned.py KERNEL.. [--dtype f32] [--configs 2] [--seed 1] [--work DIR]
Prints one line per kernel. Fails on the first config that differs.
"""
import argparse
import os
import re
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
sys.path.insert(0, os.path.join(ROOT, "test", "Conformance", "Inputs"))
import conformance  # noqa: E402
import kernels  # noqa: E402

SCHEDULE = {"helion-roll-reductions", "helion-order-loops", "helion-bind-blocks", "helion-flatten-loops", "helion-map-programs",
            "helion-unroll-loops"}
# What the device's row and the config say, in turn.
VARIANTS = ["", "warps=1", "warps=8 dot-instruction=mma16x8x16,mma16x8x8,mma16x8x32", "lanes=64 warps=2", "warps=6 vector-bytes=4", "dot-instruction=mma16x8x16"]

# Elements of a tile, for the interpreter's sake.
LARGEST_TILE = 16384


def schedule_of(config):
    """The choices of a config that make form S; the others are a target's."""
    passes = conformance.split_outside(config, ",", "{}")
    return ",".join(text for text in passes if text.partition("{")[0] in SCHEDULE)


def opt(passes, source, path):
    conformance.tool("helion-opt", source, f"--pass-pipeline=builtin.module({passes})", "-o", path)


def largest_tile(path):
    """Elements of the largest tile of a text."""
    with open(path) as file:
        shapes = re.findall(r"tensor<((?:\d+x)+)", file.read())
    return max((numpy.prod([int(extent) for extent in shape.split("x") if extent]) for shape in shapes), default=0)


def check_call(call, scheduled, laidout, kernel, work, output_dtypes):
    call.interpret(scheduled, work, output_dtypes)
    wants = call.oracles["interpreter"]
    call.interpret(laidout, work, output_dtypes)
    for got, want, exact, size, dtype in zip(call.oracles["interpreter"], wants, call.oracles["numpy"], call.sizes, output_dtypes):
        if not numpy.array_equal(got, want, equal_nan=got.dtype.kind == "f"):
            return "forms L and S differ"
        wrong = conformance.difference(got, exact, size, dtype, kernel, 1)
        if wrong:
            return wrong
    return None


def check_kernel(key, options):
    os.makedirs(options.work, exist_ok=True)
    path = os.path.join(options.work, f"{key}-{options.dtype}.mlir")
    kernel, dtypes = conformance.import_kernel(key, options.dtype, path)
    calls = [conformance.Call(kernel, name, arguments, dtypes, False) for name, arguments in kernel.calls()]
    drawn = conformance.draw_configs(path, 6 * options.configs, options.seed, "cpu:x86-64-v3")
    configs = list(dict.fromkeys(map(schedule_of, drawn)))
    conformance.compile_config(path, configs[0], "cpu:x86-64-v3", path + ".first")
    plan = conformance.run_artifact.load(path + ".first").manifest["plan"]
    output_dtypes = [output["dtype"] for output in plan["outputs"]]
    served = number = 0
    for config in configs:
        variant = VARIANTS[(number + sorted(kernels.KERNELS).index(key)) % len(VARIANTS)]
        scheduled, laidout = f"{path}.{number}.s.mlir", f"{path}.{number}.l.mlir"
        opt(f"helion-normalize,{config}", path, scheduled)
        if largest_tile(scheduled) > LARGEST_TILE:
            continue
        number += 1
        opt(f"helion-assign-layouts{{{variant}}}", scheduled, laidout)
        opt("helion-verify-form{form=laidout}", laidout, laidout + ".again")
        for call in calls:
            try:
                wrong = check_call(call, scheduled, laidout, kernel, options.work, output_dtypes)
            except RuntimeError as error:
                if "does not hold" not in str(error):
                    raise
                continue
            if wrong:
                sys.exit(f"{key}: {config} with `{variant}`: {call.label}: {wrong}")
            served += 1
        if number == options.configs:
            break
    print(f"{key} {options.dtype}: {number} configs, {served} of {number * len(calls)} calls are equal", flush=True)
    return served


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", choices=sorted(kernels.KERNELS))
    parser.add_argument("--dtype", default="f32", choices=sorted(conformance.ROUNDING))
    parser.add_argument("--configs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", default="assigned")
    options = parser.parse_args()
    for key in options.kernels:
        if not check_kernel(key, options):
            sys.exit(f"{key}: no call is served by any config")


if __name__ == "__main__":
    main()
