# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a kernel through `helion-run --interpret` on the cases of a generator, each with several block sizes, and compares
# with numpy in float64. Prints how many runs agreed; the first that does not ends the script.
import os
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np

from floats import load, mismatch, rounded, save

rng = np.random.default_rng(7)


@dataclass
class Case:
    arguments: dict  # name -> (array, dtype), or a number
    blocks: list  # one dict per run; {} takes the defaults
    reference: object  # blocks -> [(array, dtype)], one per result
    ulps: float = 1  # of the result's type
    absolute: float = 0.0
    options: list = field(default_factory=list)
    written: list = field(default_factory=list)  # arguments written in place; the reference gives these, not results


def normal(*shape, dtype="bf16"):
    return rounded(rng.standard_normal(shape), dtype)


def special(array):
    """NaN, infinities and a row of -inf, where there is room."""
    array = array.copy()
    rows = array.reshape(-1, array.shape[-1]) if array.size else array
    for row, value in enumerate([np.nan, np.inf, -np.inf]):
        if array.size and row < rows.shape[0]:
            rows[row, rows.shape[1] // 2] = value
    if array.size and rows.shape[0] > 4:
        rows[4, :] = -np.inf
    return array


def run(kernel, scratch, case, blocks, extra=(), is_bound=False):
    """`is_bound`: the kernel's schedule has these blocks already."""
    command = ["helion-run", "--interpret", kernel, *case.options, *extra]
    for name, value in case.arguments.items():
        text = repr(value)
        if isinstance(value, tuple):
            text = os.path.join(scratch, name + ".npy")
            hint = save(text, *value)
            command += ["--dtype", f"{name}={hint}"] if hint else []
        command += ["--arg", f"{name}={text}"]
    if blocks and not is_bound:
        command += ["--blocks", ",".join(f"{name}={extent}" for name, extent in blocks.items())]
    wanted = case.reference(blocks)
    files = [os.path.join(scratch, f"out{i}.npy") for i in range(len(wanted))]
    if case.written:
        command += [f"--out-arg={name}={file}" for name, file in zip(case.written, files)]
    else:
        command += ["--out", ",".join(files)]
    subprocess.run(command, check=True)
    for file, (want, dtype) in zip(files, wanted):
        problem = mismatch(load(file, dtype), np.asarray(want), dtype, case.ulps, case.absolute)
        if problem:
            shapes = {name: np.shape(value[0]) for name, value in case.arguments.items() if isinstance(value, tuple)}
            sys.exit(f"{kernel}: {shapes} with {blocks}: {os.path.basename(file)}: {problem}")


def run_all(name, kernel, scratch, cases, extra=(), bound=None):
    os.makedirs(scratch, exist_ok=True)
    count = 0
    for case in cases:
        for blocks in [bound] if bound else case.blocks:
            run(kernel, scratch, case, blocks, extra, is_bound=bound is not None)
            count += 1
    if not count:
        sys.exit(f"{name}: no case")
    print(f"{name}: {count} runs agree with numpy")
