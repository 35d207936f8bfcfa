#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a worker on an NVIDIA GPU with hand-written kernels: values, fills, times, and what it says of each mishap.

Use: gpu-check.py [--worker "COMMAND"] [--target nvidia:sm_80] [--artifact FILE.ptx|FILE.cubin] [--boxes FILE] [--megabytes N]
The kernels of --boxes take tensor maps and run on devices of compute capability 9.0 only.
Prints one line a check; the exit status is 0 when all are right. Needs nothing but Python.
"""
import argparse
import array
import base64
import json
import os
import random
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("--worker", default="helion-worker")
parser.add_argument("--target", default="nvidia:sm_80")
parser.add_argument("--artifact", default=os.path.join(HERE, "gpu-kernels.ptx"))
parser.add_argument("--boxes", default=os.path.join(HERE, "gpu-boxes.ptx"))
parser.add_argument("--megabytes", type=int, default=256, help="of each tensor that is timed")
options = parser.parse_args()
failed = []


class Worker:
    """One process, with the kernels loaded."""

    def __init__(self):
        self.process = subprocess.Popen(shlex.split(options.worker), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0
        self.device = self.ask(op="hello", protocol=1, target=options.target)
        self.loaded = self.ask(op="load", artifact="a", path=options.artifact)

    def ask(self, **request):
        self.count += 1
        self.process.stdin.write(json.dumps({"id": self.count, "deadline_ms": 120000, **request}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"ok": False, "error": {"kind": "died", "message": "no answer"}}

    def run(self, case, *steps, **more):
        return self.ask(op="run", case=case, artifact="a", plan={"steps": steps}, **more)

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def launch(symbol, grid, *arguments, threads=256, shared=0):
    words = [a if isinstance(a, dict) else {"pointer": a} if isinstance(a, str) else {"index": a} for a in arguments]
    return {"step": "launch", "symbol": symbol, "grid": grid, "threads": threads, "shared": shared, "arguments": words}


def check(name, good, seen=""):
    print(("ok     " if good else "FAILED ") + name + (f": {seen}" if seen and not good else ""), flush=True)
    if not good:
        failed.append(name)


def tensor(name, values, sizes):
    return {"name": name, "dtype": "f32", "sizes": sizes, "data": base64.b64encode(values.tobytes()).decode()}


def values_of(answer):
    if not answer["ok"]:
        return None
    result = array.array("f")
    result.frombytes(base64.b64decode(answer["outputs"][0]["data"]))
    return result


def small_integers(count):
    """Sums of these are exact in any order."""
    source = random.Random(count)
    return array.array("f", [source.randrange(-8, 9) for _ in range(count)])


def output(count):
    return {"name": "out", "role": "output", "bytes": 4 * count}


def check_values(worker):
    n = 100003
    x, y = small_integers(n), small_integers(n + 1)[:n]
    worker.ask(op="case", case="add", buffers=[tensor("x", x, [n]), tensor("y", y, [n]), output(n)])
    answer = worker.run("add", launch("add", [(n + 255) // 256], "x", "y", "out", n))
    check("add", values_of(answer) == array.array("f", [a + b for a, b in zip(x, y)]), answer.get("error"))

    rows, columns = 1009, 77
    x = small_integers(rows * columns)
    sums = array.array("f", [sum(x[c::columns]) for c in range(columns)])
    worker.ask(op="case", case="sum", buffers=[tensor("x", x, [rows, columns]), output(columns)])
    for threads, shared in ((32, 4), (256, 32), (1024, 65536)):
        answer = worker.run("sum", launch("column_sum", [columns], "x", "out", rows, columns, threads=threads, shared=shared))
        check(f"column_sum, {threads} threads, {shared} shared bytes", values_of(answer) == sums, answer.get("error"))

    worker.ask(op="case", case="fill", buffers=[output(16)])
    for pattern in ("5a", "1234", "12345678", "0123456789abcdef"):
        size = len(pattern) // 2
        steps = [{"step": "fill", "buffer": "out", "bytes": 64, "pattern": "00"},
                 {"step": "fill", "buffer": "out", "byte_offset": 1, "bytes": 7 * size, "pattern": pattern}]
        answer = worker.run("fill", *steps)
        expected = b"\0" + bytes.fromhex(pattern) * 7 + b"\0" * (63 - 7 * size)
        check(f"fill with {pattern}", answer["ok"] and base64.b64decode(answer["outputs"][0]["data"]) == expected, answer)


ELEMENTS = {"f32": ("f", 4), "bf16": ("H", 2), "ui8": ("B", 1)}


def boxes_of(dtype, values, stride, offset, sizes, box, swizzle):
    """What the device has of the boxes of a matrix: rows behind each other, 0 beyond the edges, pieces of 16 bytes swizzled."""
    kind, item = ELEMENTS[dtype]
    result = bytearray()
    for top in range(0, sizes[1], box[1]):
        for left in range(0, sizes[0], box[0]):
            flat = array.array(kind, [values[offset + row * stride + column] if row < sizes[1] and column < sizes[0] else 0
                                      for row in range(top, top + box[1]) for column in range(left, left + box[0])]).tobytes()
            placed = bytearray(len(flat))
            for piece in range(0, len(flat), 16):
                to = piece ^ ((piece >> 7 & (swizzle // 16 - 1)) << 4) if swizzle else piece
                placed[to : to + 16] = flat[piece : piece + 16]
            result += placed
    return bytes(result)


def check_boxes(worker):
    """Boxes that a tensor map copies: with and without edges, an offset, all swizzles."""
    loaded = worker.ask(op="load", artifact="a", path=options.boxes) if worker.ask(op="free", artifact="a")["ok"] else {}
    check("load kernels of boxes", loaded.get("ok"), loaded)
    rows, stride, source = 45, 112, random.Random(7)
    for dtype, columns, skipped, box, swizzle in (
            ("f32", 101, 0, (32, 8), 0), ("f32", 96, 0, (32, 9), 128), ("f32", 101, 3 * stride + 8, (32, 64), 128),
            ("f32", 101, stride + 4, (16, 8), 64), ("f32", 101, 0, (8, 16), 32), ("f32", 101, 4, (256, 1), 0),
            ("bf16", 99, 2 * stride + 16, (64, 32), 128), ("bf16", 99, 8, (24, 5), 0), ("ui8", 111, 16, (128, 16), 128)):
        kind, item = ELEMENTS[dtype]
        values = array.array(kind, [source.randrange(1, 200) for _ in range(rows * stride)])
        dense = array.array(kind, [values[r * stride + c] for r in range(rows) for c in range(columns)])
        sizes = [columns - skipped % stride, rows - skipped // stride]
        grid, size = [-(-sizes[0] // box[0]), -(-sizes[1] // box[1])], box[0] * box[1] * item
        worker.ask(op="free", case="boxes")
        worker.ask(op="case", case="boxes", buffers=[
            {"name": "x", "dtype": dtype, "sizes": [rows, columns], "strides": [stride, 1],
             "data": base64.b64encode(dense.tobytes()).decode()},
            {"name": "out", "role": "output", "bytes": grid[0] * grid[1] * size}])
        box_map = {"map": "x", "byte_offset": skipped * item, "dtype": dtype, "sizes": sizes, "strides": [stride * item],
                   "box": list(box), "swizzle": swizzle}
        step = launch("boxes", grid, box_map, "out", *box, size, threads=128, shared=size + 1024)
        answer = worker.run("boxes", step)
        seen = base64.b64decode(answer["outputs"][0]["data"]) if answer["ok"] else b""
        expected = boxes_of(dtype, values, stride, skipped, sizes, box, swizzle)
        differ = [i for i in range(len(expected)) if seen[i] != expected[i]][:8] if seen else answer
        check(f"boxes of {box[1]} x {box[0]} {dtype}, swizzle {swizzle}, from element {skipped}", seen == expected, f"bytes {differ}")
    timed = worker.ask(op="time", case="boxes", artifact="a", mode="graph", repetitions=3, plan={"steps": [step]})
    check("boxes in a graph", timed["ok"], timed)
    refused = worker.run("boxes", launch("boxes", [1, 1], {**box_map, "strides": [stride * item - 8]}, "out", *box, size, shared=size + 1024))
    error = refused.get("error", {"message": ""})
    check("a map that the driver refuses", error.get("kind") == "launch" and "INVALID_VALUE" in error["message"], refused)
    print("       " + error["message"])
    worker.ask(op="free", artifact="a")
    worker.ask(op="load", artifact="a", path=options.artifact)


def check_times(worker):
    n = options.megabytes << 18
    buffers = [{"name": name, "dtype": "f32", "sizes": [n], "init": "normal", "seed": 1} for name in "xy"]
    worker.ask(op="case", case="time", buffers=buffers + [output(n)])
    for mode, repetitions in (("cold", 20), ("warm", 5), ("graph", 5)):
        plan = {"steps": [launch("add", [(n + 255) // 256], "x", "y", "out", n)]}
        answer = worker.ask(op="time", case="time", artifact="a", mode=mode, warmup=3, repetitions=repetitions, plan=plan)
        check(f"times, {mode}", answer["ok"] and len(answer["ns"]) == repetitions and min(answer["ns"]) > 0, answer)
        if answer["ok"]:
            ns = sorted(answer["ns"])
            print(f"       {12 * n / statistics.median(ns):.0f} GB/s; us: {ns[0] / 1e3:.2f} to {ns[-1] / 1e3:.2f}; "
                  f"{answer['calls_per_sample']} calls, clocks {answer.get('clocks')}")
    worker.ask(op="case", case="small", buffers=[{"name": "x", "dtype": "f32", "sizes": [1024], "init": "normal"}, output(1024)])
    for mode in ("cold", "warm", "graph"):
        plan = {"steps": [launch("add", [4], "x", "x", "out", 1024)]}
        answer = worker.ask(op="time", case="small", artifact="a", mode=mode, warmup=3, repetitions=20, plan=plan)
        check(f"times of a small kernel, {mode}", answer["ok"], answer)
        if answer["ok"]:
            print(f"       us: {' '.join(f'{ns / 1e3:.2f}' for ns in sorted(answer['ns']))}")


def check_refusals(worker):
    refusals = [("memory", worker.ask(op="case", case="huge", buffers=[{"name": "x", "role": "output", "bytes": 1 << 39}])),
                ("launch", worker.run("fill", launch("poke", [1], "out", 0, threads=2048))),
                ("launch", worker.run("fill", launch("poke", [1], "out", 0, shared=1 << 20))),
                ("load", worker.run("fill", launch("none", [1]))),
                ("load", worker.ask(op="load", artifact="b", path=__file__))]
    for kind, answer in refusals:
        check(f"refused: {kind}", not answer["ok"] and answer["error"]["kind"] == kind, answer)
        print("       " + answer.get("error", {}).get("message", "").replace("\n", " "))
    check("goes on after refusals", worker.run("fill", launch("poke", [1], "out", 0))["ok"])


def check_end(name, kind, status, *steps, text="", **more):
    """A mishap that ends the worker."""
    worker = Worker()
    worker.ask(op="case", case="c", buffers=[{"name": "x", "dtype": "f32", "sizes": [3], "init": "zeros"}, output(3)])
    answer = worker.run("c", *steps, **more)
    ended = worker.end()
    error = answer.get("error", {})
    check(name, error.get("kind") == kind and text in error.get("message", "") and ended == status, f"{answer}, exit {ended}")
    print("       " + error.get("message", ""))


worker = Worker()
check("hello", worker.device["ok"], worker.device)
if failed:
    sys.exit(1)
print("       " + json.dumps(worker.device["device"]))
check("load", worker.loaded["ok"], worker.loaded)
if not failed:
    check_values(worker)
    if worker.device["device"]["compute_capability"] == "9.0":
        check_boxes(worker)
    else:
        print("       no boxes: compute capability " + worker.device["device"]["compute_capability"])
    check_refusals(worker)
    check_times(worker)
    check("ends well", worker.end() == 0)
    check_end("writes behind a buffer", "red_zone", 3, launch("poke", [1], "out", 3, threads=1))
    check_end("writes to an input", "input_changed", 3, launch("poke", [1], "x", 1, threads=1))
    check_end("illegal address", "device", 4, launch("illegal_address", [1]), text="CUDA_ERROR_ILLEGAL_ADDRESS")
    check_end("hangs", "deadline", 124, launch("hang", [1], "x"), deadline_ms=1500)
    check_end("works after that", "red_zone", 3, launch("poke", [1], "out", 3, threads=1))
print(f"{len(failed)} checks failed" if failed else "all checks passed")
sys.exit(1 if failed else 0)
