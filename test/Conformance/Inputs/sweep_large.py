#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of more than 2^31 elements, on a machine with a GPU, from a folder that sweep.py packed with the rows
vector_add:bf16,softmax:bf16,embedding:bf16.

Use: sweep_large.py DIR [--configs 6] [--limit 2147483648] [--compile-seconds 60]
Values follow from the index by remainders of primes, so what an index of 32 bits would reach is another value; results are
compared on the device in pieces, all elements. With a small --limit a folder for a CPU tries the same here.
"""
import argparse
import json
import os
import subprocess
import sys

import numpy

import run_artifact
import sweep
import sweep_memory

PIECE = 1 << 26
MOST_PROGRAMS = 2 ** 31 - 1  # Along the first axis of a grid.
WIDTH, LOOKED_UP, ROW = 4096, 200, 64


class Memory:
    """Flat bf16 tensors of numpy (as bits) or torch."""

    def __init__(self, place):
        self.place, self.math, self.isHost = place, place.math, place.math is numpy

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


# Cases: arguments, and what a piece of the result is.


def add_whole(memory, limit):
    count = limit + 5
    arguments = {name: View(memory.filled(count, prime), [count], [1]) for name, prime in (("x", 97), ("y", 89))}
    return arguments, lambda begin, end: sum(pattern(memory.numbers(begin, end), prime) for prime in (97, 89)), 0


def add_strided(memory, limit):
    """Offsets, not sizes, pass the limit."""
    count = limit // 2 + 5
    arguments = {"x": View(memory.filled(2 * count, 97), [count], [2]), "y": View(memory.filled(count, 89), [count], [1])}
    return arguments, lambda begin, end: pattern(2 * memory.numbers(begin, end), 97) + pattern(memory.numbers(begin, end), 89), 0


def look_up(memory, limit):
    rows = limit // WIDTH + 3
    ids = [rows - 1 - step * (rows // LOOKED_UP) for step in range(LOOKED_UP)]
    arguments = {"ids": View(memory.integers(ids), [len(ids)], [1]), "w": View(memory.filled(rows * WIDTH, 97), [rows, WIDTH], [WIDTH, 1])}
    picked = memory.integers(ids)

    def wanted(begin, end):
        numbers = memory.numbers(begin, end)
        return pattern(picked[numbers // WIDTH] * WIDTH + numbers % WIDTH, 97)

    return arguments, wanted, 0


def softmax_rows(memory, limit):
    rows = limit // ROW + 3
    x = memory.filled(rows * ROW, 97)

    def wanted(begin, end):
        e = memory.math.exp(pattern(memory.numbers(begin, end), 97).reshape(-1, ROW))
        return (e / e.sum(1).reshape(-1, 1)).reshape(-1)

    return {"x": View(x, [rows, ROW], [ROW, 1])}, wanted, 2.0 ** -7


CASES = [("vector_add:bf16", add_whole), ("vector_add:bf16", add_strided), ("embedding:bf16", look_up), ("softmax:bf16", softmax_rows)]


def check(memory, artifact, arguments, wanted, relative):
    """None, or why there is nothing to compare, and None or what is wrong."""
    plan, names = artifact.manifest["plan"], artifact.names({})
    names.update(arguments)
    if not all(artifact.holds(pred, names) for pred in artifact.manifest["facts"] + [check["pred"] for check in plan["checks"]]):
        return "its facts do not hold", None
    grids = [int(artifact.evaluate(size, names)) for step in plan["steps"] if step["step"] == "launch" for size in step["grid"][:1]]
    if max(grids) > MOST_PROGRAMS:
        return f"{max(grids)} programs", None
    buffers = {name: Address(memory.place, view.tensor) for name, view in arguments.items()}
    made = {}
    for output in plan["outputs"] + plan["workspace"]:
        sizes = output["sizes"] if "sizes" in output else [output["elements"]]
        count = 1
        for size in sizes:
            count *= int(artifact.evaluate(size, names))
        made[output["name"]] = memory.empty(count * sweep_memory.itemsize(output["dtype"]) // 2)
        buffers[output["name"]] = Address(memory.place, made[output["name"]])
    for step in plan["steps"]:
        getattr(artifact, step["step"])(step, names, {}, buffers)
    memory.place.synchronize()
    result = made[plan["outputs"][0]["name"]]
    piece = PIECE // WIDTH * WIDTH
    for begin in range(0, len(result), piece):
        end = min(begin + piece, len(result))
        got, want = memory.wide(result[begin:end]), wanted(begin, end)
        right = abs(got - want) <= relative * abs(want)
        if not bool(right.all()):
            first = int(memory.math.argwhere(~right)[0][0])
            return None, f"element {begin + first} of {len(result)}: {float(got[first])!r}, not {float(want[first])!r}"
    return None, None


def run_case(options, memory, label, make):
    with open(os.path.join(options.folder, label.replace(":", "-") + ".configs.json")) as file:
        record = json.load(file)
    arguments, wanted, relative = make(memory, options.limit)
    right = bad = 0
    for number, config in enumerate(record["configs"]):
        if right + bad == options.configs:
            break
        folder = os.path.join(options.folder, f"large-{number}")
        source = os.path.join(options.folder, label.replace(":", "-") + ".mlir")
        command = [os.path.join(options.folder, "helion-translate"), "--emit-artifact", folder, source, "--target", record["target"],
                   "--config", config]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.compile_seconds)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode:
            continue
        artifact = memory.place.load(folder)
        skipped, wrong = check(memory, artifact, arguments, wanted, relative)
        right += not skipped and not wrong
        bad += bool(wrong)
        if wrong:
            print(f"wrong: {make.__name__} {config}: {wrong}", flush=True)
    print(f"{make.__name__}: {right} configs right, {bad} wrong", flush=True)
    return right > 0 and bad == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--configs", type=int, default=6)
    parser.add_argument("--limit", type=int, default=2 ** 31)
    parser.add_argument("--compile-seconds", type=float, default=60)
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    sweep.unpack(options.folder)
    with open(os.path.join(options.folder, "vector_add-bf16.configs.json")) as file:
        memory = Memory(sweep_memory.place_of(json.load(file)["target"]))
    sys.exit(0 if all([run_case(options, memory, label, make) for label, make in CASES]) else 1)


if __name__ == "__main__":
    main()
