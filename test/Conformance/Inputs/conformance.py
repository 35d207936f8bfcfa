# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random legal configs of one kernel, compiled for one target and compared with numpy (and the interpreter) on hard calls.

Use: conformance.py KERNEL --configs 20 [--seed 1] [--target cpu:native] [--work DIR] [--interpreter]
Prints one line per config and a summary; fails on a wrong value, a config that does not compile, fewer distinct artifacts than
three in four configs, or a call that no config may serve.
"""
import argparse
import json
import os
import subprocess
import sys

import numpy

import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "test", "codegen", "Driver", "Inputs"))
import run_artifact  # noqa: E402


def tool(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def import_kernel(name, work):
    file, signature = kernels.KERNELS[name][:2]
    path = os.path.join(work, name + ".mlir")
    source = os.path.join(ROOT, "examples", file, file + ".py")
    tool("helion-translate", "--import-helion", source, "--kernel", name, "--args", signature, "-o", path)
    tool("helion-opt", "--helion-normalize", path, "-o", path)
    return path


def draw_configs(path, count, seed, target):
    options = f"target={target} samples={count} seed={seed}"
    return tool("helion-opt", f"--helion-print-config-space={options}", path, "-o", os.devnull).splitlines()


def compile_config(path, config, target, folder):
    lowered = folder + ".mlir"
    pipeline = f"builtin.module(helion-normalize,{config},canonicalize,cse,helion-lower{{target={target}}})"
    tool("helion-opt", path, f"--pass-pipeline={pipeline}", "-o", lowered)
    tool("helion-translate", "--emit-artifact", folder, lowered)
    return run_artifact.load(folder)


def reference_of(name, arguments):
    wide = {key: value.astype(numpy.float64) if isinstance(value, numpy.ndarray) and value.dtype.kind == "f" else value
            for key, value in arguments.items()}
    return kernels.KERNELS[name][3](**wide)


def difference(got, want, tolerance):
    """None, or what differs first. Compared as the target's type holds it; NaN and infinities must stand at equal places."""
    want = numpy.asarray(want).astype(got.dtype)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if got.size == 0:
        return None
    finite = numpy.isfinite(want)
    scale = numpy.abs(numpy.where(finite, want, 0)).max(axis=-1, keepdims=True) if want.ndim else abs(want)
    with numpy.errstate(invalid="ignore"):
        close = numpy.abs(got - want) <= tolerance * numpy.maximum(scale, 1e-30)
    right = numpy.where(finite, close, (got == want) | (numpy.isnan(got) & numpy.isnan(want)))
    if right.all():
        return None
    place = tuple(int(i) for i in numpy.argwhere(~right)[0])
    return f"at {list(place)}: {got[place]!r}, not {want[place]!r}; {int((~right).sum())} of {right.size} differ"


def interpreter_outputs(path, name, arguments, work):
    command = ["helion-run", "--interpret", path]
    for key, value in arguments.items():
        if isinstance(value, numpy.ndarray):
            file = os.path.join(work, f"in-{key}.npy")
            numpy.save(file, numpy.ascontiguousarray(value))
            command += ["--arg", f"{key}={file}"]
        elif value is not None:
            command += ["--arg", f"{key}={value}"]
    count = len(reference_of(name, arguments))
    files = [os.path.join(work, f"out-{i}.npy") for i in range(count)]
    tool(*command, "--out", ",".join(files))
    return [numpy.load(file) for file in files]


def check_reference(path, name, calls, work):
    """The oracle and numpy agree before anything is compared with them."""
    for label, arguments in calls:
        for got, want in zip(interpreter_outputs(path, name, arguments, work), reference_of(name, arguments)):
            wrong = difference(got, want, kernels.KERNELS[name][4])
            if wrong:
                sys.exit(f"{name} {label}: interpreter against numpy: {wrong}")


def check_config(artifact, name, calls, served):
    for label, arguments in calls:
        if not artifact.legal(**arguments):
            continue
        served.add(label)
        outputs = list(artifact.run(**arguments).values())
        for got, want in zip(outputs, reference_of(name, arguments)):
            wrong = difference(got, want, kernels.KERNELS[name][4])
            if wrong:
                return f"{label}: {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=sorted(kernels.KERNELS))
    parser.add_argument("--configs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="cpu:native")
    parser.add_argument("--work", default="conformance")
    parser.add_argument("--interpreter", action="store_true", help="check numpy against helion-run first")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    path = import_kernel(options.kernel, options.work)
    calls = list(kernels.KERNELS[options.kernel][2]())
    if options.interpreter:
        check_reference(path, options.kernel, calls, options.work)
    configs = draw_configs(path, options.configs, options.seed, options.target)
    served, hashes, failures = set(), set(), 0
    for number, config in enumerate(configs):
        artifact = compile_config(path, config, options.target, os.path.join(options.work, f"{options.kernel}-{number}"))
        hashes.add(artifact.manifest["object_hash"])
        wrong = check_config(artifact, options.kernel, calls, served)
        failures += wrong is not None
        print(f"{'wrong' if wrong else 'right'} {config}{' ' + wrong if wrong else ''}")
    missing = sorted({label for label, _ in calls} - served)
    distinct = len(hashes) * 4 >= len(configs) * 3
    print(f"{options.kernel}: {len(configs)} configs, {len(hashes)} distinct artifacts, {failures} wrong, calls not served: {missing}")
    sys.exit(1 if failures or missing or not distinct else 0)


if __name__ == "__main__":
    main()
