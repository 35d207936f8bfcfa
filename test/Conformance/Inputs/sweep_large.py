#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of more than 2^31 elements, on a machine with a GPU, from a folder that sweep.py packed with `--rows large`.

Use: sweep_large.py DIR [--configs 6] [--seconds 100] [--jobs N] [--limit 2147483648] [--compile-seconds 20] [--cases CASE,..]
Values follow from the index by remainders of primes, so what an index of 32 bits would reach is another value. Results are
compared on the device in pieces, all elements, and so are the inputs behind each case. Takes at most 30 GiB of the device; a
case without a right config, or that the seconds are too few for, fails. With a small --limit a folder for a CPU
tries the same here.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time

import numpy

import run_artifact
import sweep
import sweep_memory

PIECE = 1 << 26
MOST_PROGRAMS = 2 ** 31 - 1, 65535, 65535  # Along the axes of a grid.
MOST_STEPS = 1 << 20  # Of one program: more take seconds.
WIDTH, LOOKED_UP, ROW = 4096, 200, 64
ROUNDED = 2.0 ** -8 + 2.0 ** -14  # To bf16, and what comes before it.


class Memory:
    """Flat bf16 tensors of numpy (as bits) or torch."""

    def __init__(self, place):
        self.place, self.math, self.isHost = place, place.math, place.math is numpy

    def release(self):
        """What earlier cases had goes back to the device."""
        if not self.isHost:
            self.math.cuda.empty_cache()

    def exact(self, values):
        return values.astype(numpy.float64) if self.isHost else values.double()

    def numbers(self, begin, end):
        return numpy.arange(begin, end) if self.isHost else self.math.arange(begin, end, device="cuda")

    def narrow(self, values):
        return run_artifact.bfloat16(values.astype(numpy.float32)) if self.isHost else values.to(self.math.bfloat16)

    def wide(self, piece):
        return run_artifact.float32(piece).astype(numpy.float64) if self.isHost else piece.double()

    def empty(self, count):
        if self.isHost:
            return numpy.full(count, 0x7B7B, numpy.uint16)
        return self.math.full((count,), 3e36, dtype=self.math.bfloat16, device="cuda")

    def filled(self, count, prime):
        tensor = self.empty(count)
        for begin in range(0, count, PIECE):
            end = min(begin + PIECE, count)
            tensor[begin:end] = self.narrow(pattern(self.numbers(begin, end), prime))
        return tensor

    def compared(self, tensor, wanted, relative, piece=PIECE):
        """None, or the first element that is off."""
        for begin in range(0, len(tensor), piece):
            end = min(begin + piece, len(tensor))
            got, want = self.wide(tensor[begin:end]), wanted(begin, end)
            right = abs(got - want) <= relative * abs(want)
            if not bool(right.all()):
                first = int(self.math.argwhere(~right)[0][0])
                return f"element {begin + first} of {len(tensor)}: {float(got[first])!r}, not {float(want[first])!r}"
        return None

    def integers(self, values):
        values = numpy.asarray(values, numpy.int64)
        return values if self.isHost else self.math.from_numpy(values).cuda()


def pattern(numbers, prime):
    """Exact in bf16, and so are sums of two."""
    return (numbers % prime - prime // 2) / 16.0


class View:
    """What a manifest's expressions ask of a tensor."""

    def __init__(self, tensor, shape, strides):
        self.tensor, self.shape, self.strides = tensor, shape, strides
        self.align = run_artifact.Integer(16)

    def size(self, dim):
        return run_artifact.Integer(self.shape[dim])

    def stride(self, dim):
        return run_artifact.Integer(self.strides[dim])


class Address:
    def __init__(self, place, tensor):
        self.address = place.address(tensor)


# Cases: arguments, what a piece of the result is, how far it may be off, and the prime of each argument of patterns.


def add_whole(memory, limit):
    count = limit + 5
    arguments = {name: View(memory.filled(count, prime), [count], [1]) for name, prime in (("x", 97), ("y", 89))}
    return arguments, lambda begin, end: sum(pattern(memory.numbers(begin, end), prime) for prime in (97, 89)), 0


def add_strided(memory, limit):
    """Offsets, not sizes, pass the limit."""
    count = limit // 2 + 5
    arguments = {"x": View(memory.filled(2 * count, 97), [count], [2]), "y": View(memory.filled(count, 89), [count], [1])}
    return arguments, lambda begin, end: pattern(2 * memory.numbers(begin, end), 97) + pattern(memory.numbers(begin, end), 89), 0


def rows_of(limit):
    rows = limit // WIDTH + 3
    return rows, [rows - 1 - step * max(rows // LOOKED_UP, 1) for step in range(min(LOOKED_UP, rows))]


def look_up(memory, limit):
    rows, ids = rows_of(limit)
    arguments = {"ids": View(memory.integers(ids), [len(ids)], [1]), "w": View(memory.filled(rows * WIDTH, 97), [rows, WIDTH], [WIDTH, 1])}
    picked = memory.integers(ids)

    def wanted(begin, end):
        numbers = memory.numbers(begin, end)
        return pattern(picked[numbers // WIDTH] * WIDTH + numbers % WIDTH, 97)

    return arguments, wanted, 0


def scatter(memory, limit):
    """Rows of a large result, of which the others are 0. Of `like` the shape alone is used."""
    rows, ids = rows_of(limit)
    arguments = {"ids": View(memory.integers(ids), [len(ids)], [1]), "x": View(memory.filled(len(ids) * WIDTH, 97), [len(ids), WIDTH], [WIDTH, 1]),
                 "like": View(memory.empty(16), [rows, WIDTH], [WIDTH, 1])}
    places = numpy.full(rows, -1, numpy.int64)
    places[ids] = numpy.arange(len(ids))
    places = memory.integers(places)

    def wanted(begin, end):
        numbers = memory.numbers(begin, end)
        row = places[numbers // WIDTH]
        return pattern(row * WIDTH + numbers % WIDTH, 97) * (row >= 0)

    return arguments, wanted, 0


def softmax_of(memory, number_of):
    """Of rows whose elements have these numbers."""
    def wanted(begin, end):
        numbers = memory.numbers(begin, end)
        e = memory.math.exp(pattern(number_of(numbers // ROW, numbers % ROW), 97).reshape(-1, ROW))
        return (e / e.sum(1).reshape(-1, 1)).reshape(-1)

    return wanted


def softmax_rows(memory, limit):
    rows = limit // ROW + 3
    x = memory.filled(rows * ROW, 97)
    return {"x": View(x, [rows, ROW], [ROW, 1])}, softmax_of(memory, lambda row, column: row * ROW + column), ROUNDED


def softmax_far_rows(memory, limit):
    """A few rows, far from each other."""
    rows, far = 5, limit // 2 + 8
    x = memory.filled((rows - 1) * far + ROW, 97)
    return {"x": View(x, [rows, ROW], [far, 1])}, softmax_of(memory, lambda row, column: row * far + column), ROUNDED


def softmax_far_columns(memory, limit):
    rows, far = 999, limit // 32 + 1024
    x = memory.filled((ROW - 1) * far + rows, 97)
    return {"x": View(x, [rows, ROW], [1, far])}, softmax_of(memory, lambda row, column: row + column * far), ROUNDED


def dot_far_rows(memory, limit):
    """What copies into a ring add to a pointer. All sums are exact in f32."""
    m, k, n, far = 96, 64, 160, limit // 32 + 64
    x, y = memory.filled((m - 1) * far + k, 97), memory.filled(k * n, 89)
    rows, columns = memory.numbers(0, m).reshape(-1, 1), memory.numbers(0, k).reshape(1, -1)
    left = memory.exact(pattern(rows * far + columns, 97))
    product = (left @ memory.exact(pattern(memory.numbers(0, k * n), 89)).reshape(k, n)).reshape(-1)
    return {"x": View(x, [m, k], [far, 1]), "y": View(y, [k, n], [n, 1])}, lambda begin, end: product[begin:end], ROUNDED


CASES = {"add_whole": ("vector_add:bf16", add_whole), "add_strided": ("vector_add:bf16", add_strided),
         "look_up": ("embedding:bf16", look_up), "scatter": ("scatter_rows:bf16", scatter),
         "softmax_rows": ("softmax:bf16", softmax_rows), "softmax_far_rows": ("softmax:bf16", softmax_far_rows),
         "softmax_far_columns": ("softmax:bf16", softmax_far_columns), "dot_far_rows": ("matmul:bf16", dot_far_rows)}
PRIMES = {"y": 89}  # Of the arguments that do not have 97.


# One config of a case.


def why_not(record, config, artifact, names):
    """Why a config is no candidate, or None."""
    import conformance

    plan = artifact.manifest["plan"]
    if not all(artifact.holds(pred, names) for pred in artifact.manifest["facts"] + [check["pred"] for check in plan["checks"]]):
        return "its facts do not hold"
    grids = [[int(artifact.evaluate(size, names)) for size in step["grid"]] for step in plan["steps"] if step["step"] == "launch"]
    if any(size > most for grid in grids for size, most in zip(grid, MOST_PROGRAMS)):
        return "too many programs"
    elements = block = 1
    for size in plan["outputs"][0]["sizes"]:
        elements *= int(artifact.evaluate(size, names))
    for choice in record["space"]["choices"]:
        if choice["knob"] == "block_sizes":
            block *= int(conformance.values_in(config, choice))
    programs = min(grid[0] * grid[1] * grid[2] for grid in grids)
    return "too few elements at once" if elements > block * programs * MOST_STEPS else None


def check(memory, artifact, names, arguments, wanted, relative):
    """None, or what is wrong with the first result."""
    plan = artifact.manifest["plan"]
    buffers = {name: Address(memory.place, view.tensor) for name, view in arguments.items()}
    made = {}
    for output in plan["outputs"] + plan["workspace"]:
        count = 1
        for size in output["sizes"] if "sizes" in output else [output["elements"]]:
            count *= int(artifact.evaluate(size, names))
        made[output["name"]] = memory.empty(-(-count * sweep_memory.itemsize(output["dtype"]) // 2))
        buffers[output["name"]] = Address(memory.place, made[output["name"]])
    for step in plan["steps"]:
        if step["step"] == "fill" and step["dtype"] == "bf16":  # Not through gigabytes of the host.
            value = numpy.full(1, float(step["value"]))
            made[step["buffer"]][: int(artifact.evaluate(step["elements"], names))] = (
                memory.narrow(value)[0] if memory.isHost else float(value[0]))
        else:
            getattr(artifact, step["step"])(step, names, {}, buffers)
    memory.place.synchronize()
    return memory.compared(made[plan["outputs"][0]["name"]], wanted, relative, PIECE // WIDTH * WIDTH)


class Case:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.label, self.make = CASES[name]
        self.source = os.path.join(options.folder, self.label.replace(":", "-") + ".mlir")
        with open(self.source.replace(".mlir", ".configs.json")) as file:
            self.record = json.load(file)

    def compile(self, number):
        """The artifact's folder, or why there is none."""
        if self.options.left() <= 0:
            return None, "out of time"
        folder = os.path.join(self.options.folder, f"large-{self.name}-{number}")
        command = [os.path.join(self.options.folder, "helion-translate"), "--emit-artifact", folder, self.source, "--target",
                   self.record["target"], "--config", self.record["configs"][number]]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.compile_seconds)
        except subprocess.TimeoutExpired:
            return None, "slow to compile"
        return (folder, None) if done.returncode == 0 else (None, "not compiled")

    def run(self, memory, compiled):
        """Whether all that was run is right, and something was."""
        arguments, wanted, relative = self.make(memory, self.options.limit)
        right, bad, skipped = 0, 0, collections.Counter()
        for number, future in enumerate(compiled):
            if right + bad == self.options.configs:
                break
            folder, why = future.result()
            if folder and self.options.left() <= 0:
                why = "out of time"
            if not why:
                artifact = memory.place.load(folder)
                names = artifact.names({})
                names.update(arguments)
                config = self.record["configs"][number]
                why = why_not(self.record, config, artifact, names)
                wrong = None if why else check(memory, artifact, names, arguments, wanted, relative)
                right, bad = right + (not why and not wrong), bad + bool(wrong)
                if wrong:
                    print(f"wrong: {self.name} {config}: {wrong}", flush=True)
                artifact.close()
            skipped.update([why] if why else [])
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
        changed = self.changed(memory, arguments)
        left_out = ", ".join(f"{count} {why}" for why, count in sorted(skipped.items()))
        print(f"{self.name}: {right} configs right, {bad} wrong{f' ({left_out})' if left_out else ''}{changed}", flush=True)
        return right > 0 and bad == 0 and not changed

    def changed(self, memory, arguments):
        for name, view in arguments.items():
            if name not in ("ids", "like"):
                prime = PRIMES.get(name, 97)
                wrong = memory.compared(view.tensor, lambda begin, end: pattern(memory.numbers(begin, end), prime), 0)
                if wrong:
                    return f"; {name} was changed: {wrong}"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--configs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=2 ** 31)
    parser.add_argument("--compile-seconds", type=float, default=20)
    parser.add_argument("--cases", type=lambda text: text.split(","), default=list(CASES))
    options = parser.parse_args()
    options.folder, end = os.path.abspath(options.folder), time.monotonic() + options.seconds
    options.left = lambda: end - time.monotonic()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        sys.exit(f"sweep_large: there is no case `{unknown[0]}`; there are: {', '.join(CASES)}")
    lacking = [CASES[name][0] for name in options.cases
               if not os.path.exists(os.path.join(options.folder, CASES[name][0].replace(":", "-") + ".configs.json"))]
    if lacking:
        sys.exit(f"sweep_large: `{options.folder}` lacks `{lacking[0]}`; pack it with `sweep.py pack DIR --rows large`")
    sweep.unpack(options.folder)
    sys.exit(0 if run_cases(options) else 1)


def run_cases(options):
    cases = [Case(options, name) for name in options.cases]
    memory = Memory(sweep_memory.place_of(cases[0].record["target"]))
    good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # Some serve none of a case's calls; a few more than are wanted are compiled at once, of each case in turn.
        compiled = [[pool.submit(case.compile, number) for number in range(min(4 * options.configs, len(case.record["configs"])))]
                    for case in cases]
        for number, (case, futures) in enumerate(zip(cases, compiled)):
            memory.release()
            try:
                good &= case.run(memory, futures)
            except RuntimeError as error:  # It stays with the process.
                print(f"wrong: {case.name}: {str(error).splitlines()[0]}", flush=True)
                pool.shutdown(cancel_futures=True)
                rest = options.cases[number + 1 :]
                if rest:
                    subprocess.run([sys.executable, *sys.argv, "--cases", ",".join(rest), "--seconds", str(max(options.left(), 1))])
                return False
            for future in futures:
                future.cancel()
    return good


if __name__ == "__main__":
    main()
