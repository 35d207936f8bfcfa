#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many configs of many kernels, compiled and run on a machine that has neither LLVM nor this tree, compared with numpy.

Use: sweep.py pack DIR [--configs 300] [--seed 1] [--target nvidia:sm_90a] [--rows KERNEL:TYPE,..|large] [--translate PROGRAM]
         Here. DIR gets all that the other machine needs: kernels in form K, configs that cover the values of every choice,
         helion-translate (linked statically, stripped, compressed) and these scripts.
     sweep.py run DIR [--seconds N] [--jobs N] [--runners N] [--compile-seconds N] [--results FILE] [--rows ..] [--no-run]
         There, with Python and numpy, and torch where the target is a GPU. Compiles and runs what FILE (DIR/results.jsonl)
         does not have yet, at most N seconds long, and says what FILE has then.
     sweep.py show DIR [--results FILE]
Every call of the conformance tests, and the largest contiguous one with its inputs and its results elsewhere, is run where the
code's facts allow it. Each input in turn, the results, and all of them are moved behind a multiple of 256 bytes by every
multiple of the element size below 16: for f32 and bf16 these are all offsets that PyTorch can make. Outputs start as garbage,
buffers lie between red zones, inputs may not change, all elements are compared. A config that compiles too long is `slow`; one
that needs more of the device than it has is `refused`. The table at the end says how much of each space was run.
"""
import argparse
import collections
import concurrent.futures
import json
import lzma
import os
import queue
import select
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = ("vector_add:bf16,softmax:bf16,rms_norm:bf16,layer_norm:f32,cross_entropy:f32,rope:bf16,matmul:bf16,matmul:f16,matmul:f32,"
        "int8_gemm:bf16,bmm:bf16,attention:bf16,cumsum:bf16,segment_sum:f32")
LARGE = "vector_add:bf16,embedding:bf16,scatter_rows:bf16,softmax:bf16,matmul:bf16"  # Of sweep_large.py.
SCRIPTS = ("sweep.py", "sweep_large.py", "sweep_memory.py", "conformance.py", "cuda_artifact.py", "kernels.py")
RUN_SECONDS = 60  # Of one config's calls; more is a hang.
GRANULE = 16


# Here: what is carried.


def pack(options):
    import conformance

    os.makedirs(options.folder, exist_ok=True)
    sources = [os.path.join(HERE, name) for name in SCRIPTS]
    for source in sources + [conformance.run_artifact.__file__]:
        shutil.copy(source, options.folder)
    for label in options.rows.split(","):
        kernel, dtype = label.split(":")
        path = os.path.join(options.folder, f"{kernel}-{dtype}.mlir")
        conformance.import_kernel(kernel, dtype, path)
        space = conformance.space_of(path, options.target)
        configs = conformance.draw_configs(path, options.configs, options.seed, options.target)
        if "indexing" in {choice["knob"] for choice in space["choices"]}:
            configs = list(dict.fromkeys([space["universal"]] + configs))
        with open(path.replace(".mlir", ".configs.json"), "w") as file:
            json.dump({"kernel": kernel, "dtype": dtype, "target": options.target, "configs": configs, "space": space}, file)
        print(f"{label}: {len(configs)} configs of {space['size']:.4g}", flush=True)
    program = os.path.join(options.folder, "helion-translate")
    shutil.copy(options.translate or shutil.which("helion-translate"), program)
    subprocess.run(["strip", program], check=True)
    with open(program, "rb") as file, lzma.open(program + ".xz", "wb") as packed:
        shutil.copyfileobj(file, packed)
    os.remove(program)
    size = sum(entry.stat().st_size for entry in os.scandir(options.folder))
    print(f"{options.folder}: {size / (1 << 20):.1f} MiB")
    return 0


# There: one process that runs.


class PreparedCall:
    """One call in the memory of the device, with the results that it may have."""

    def __init__(self, place, call, kernel, outputs, output_low=0):
        import numpy

        import conformance
        import sweep_memory

        self.place, self.call, self.label, self.output_low = place, call, call.label, output_low
        self.buffers = {name: sweep_memory.of_array(place, value) for name, value in call.given.items()
                        if isinstance(value, numpy.ndarray)}
        self.wanted = []
        for want, size, output in zip(call.oracles["numpy"], call.sizes, outputs):
            arrays = conformance.bounds(want, size, output["dtype"], kernel, 1)
            shape = numpy.shape(want)
            arrays = [numpy.ascontiguousarray(numpy.broadcast_to(array, shape)).reshape(-1) for array in (want, *arrays)]
            self.wanted.append((shape, [place.upload(array) for array in arrays] if want.size else None))
        self.made = {}

    def garbage(self, output, elements, low):
        """For an output or a workspace; made once for each size."""
        import sweep_memory

        key = output["name"], elements
        if key not in self.made:
            self.made[key] = sweep_memory.garbage(self.place, elements, output["dtype"], low)
        self.made[key].reset()
        return self.made[key]

    def wrong(self, number, buffer, dtype):
        """None, or what is wrong with an output."""
        import numpy

        shape, wanted = self.wanted[number]
        if wanted is None:
            return None
        math, (want, held, finite, allowed) = self.place.math, wanted
        got = self.place.floats(buffer.inside(), dtype)
        if got.shape != want.shape:
            return f"{len(got)} elements, not {len(want)}"
        with numpy.errstate(all="ignore"):
            right = math.where(finite, abs(got - want) <= allowed, (got == held) | (math.isnan(got) & math.isnan(held)))
        if bool(right.all()):
            return None
        first = int(math.argwhere(~right)[0][0])
        return (f"element {first} of {list(shape)}: {float(got[first])!r}, not {float(want[first])!r}; "
                f"{int((~right).sum())} differ")

    def run(self, artifact, names):
        plan, buffers = artifact.manifest["plan"], dict(self.buffers)
        for output in plan["outputs"]:
            elements = 1
            for size in output["sizes"]:
                elements *= int(artifact.evaluate(size, names))
            buffers[output["name"]] = self.garbage(output, elements, self.output_low)
        for space in plan["workspace"]:
            buffers[space["name"]] = self.garbage(space, int(artifact.evaluate(space["elements"], names)), 0)
        for step in plan["steps"]:
            getattr(artifact, step["step"])(step, names, self.call.given, buffers)
        self.place.synchronize()
        writes = {argument["name"] for argument in artifact.manifest["arguments"] if argument.get("writes")}
        for name, buffer in buffers.items():
            isInput = name in self.buffers
            if isInput and name not in writes and not buffer.is_unchanged():
                return f"input {name} or the bytes around it were written"
            if not buffer.is_red_around():
                return f"bytes beside {name} were written"
            if isInput and name in writes:
                buffer.reset()
        for number, output in enumerate(plan["outputs"]):
            wrong = self.wrong(number, buffers[output["name"]], output["dtype"])
            if wrong:
                return f"{output['name']}: {wrong}"
        return None


def at_offset(array, offset):
    """The same values, strides and order, `offset` bytes behind a multiple of 256."""
    import numpy

    raw = numpy.empty(array.nbytes + 512, numpy.uint8)
    begin = -raw.ctypes.data % 256 + offset
    copy = raw[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Row:
    """A kernel and a type: its calls, prepared when the first artifact comes."""

    def __init__(self, place, folder, label):
        import conformance
        import kernels

        with open(os.path.join(folder, label.replace(":", "-") + ".configs.json")) as file:
            self.record = json.load(file)
        self.place = place
        self.kernel = conformance.on_target(kernels.KERNELS[self.record["kernel"]], self.record["dtype"], self.record["target"])
        self.dtypes = conformance.dtypes_of(self.kernel.signature.format(t=self.record["dtype"]))
        self.calls = None

    def prepare(self, outputs):
        import conformance

        plain = [conformance.Call(self.kernel, name, arguments, self.dtypes, False) for name, arguments in self.kernel.calls()]
        self.calls = [PreparedCall(self.place, call, self.kernel, outputs) for call in plain]
        self.calls += self.offsets(plain, outputs)

    def offsets(self, plain, outputs):
        """The largest call of contiguous tensors, each input in turn, the results, and all of them elsewhere."""
        import copy

        import numpy

        import sweep_memory

        def tensors(call):
            return {name: value for name, value in call.given.items() if isinstance(value, numpy.ndarray)}

        whole = [call for call in plain if all(value.flags.c_contiguous for value in tensors(call).values())]
        base = max(whole, key=lambda call: sum(value.nbytes for value in tensors(call).values()))
        result_sizes = [sweep_memory.itemsize(output["dtype"]) for output in outputs]
        steps = {name: value.itemsize for name, value in tensors(base).items()}
        moves = [(name, [name], range(step, GRANULE, step), False) for name, step in steps.items()]
        for label, names, sizes in (("results", [], result_sizes), ("all", list(steps), result_sizes + list(steps.values()))):
            step = numpy.lcm.reduce(sizes)
            moves.append((label, names, range(step, GRANULE, step), True))
        moved = []
        for label, names, offsets, are_results_moved in moves:
            for offset in offsets:
                call = copy.copy(base)
                call.given = dict(base.given, **{name: at_offset(base.given[name], offset) for name in names})
                call.label = f"{label} + {offset} bytes"
                moved.append(PreparedCall(self.place, call, self.kernel, outputs, offset if are_results_moved else 0))
        return moved

    def names(self, artifact, call):
        import run_artifact

        names = artifact.names(call.call.given)
        low = call.output_low
        for output in artifact.manifest["plan"]["outputs"] if low else []:
            names[output["name"]] = type("Output", (), {"align": run_artifact.Integer(low & -low)})
        return names

    def check(self, folder):
        artifact = self.place.load(folder)
        plan = artifact.manifest["plan"]
        if self.calls is None:
            self.prepare(plan["outputs"])
        served, wrong = [], None
        for call in self.calls:
            names = self.names(artifact, call)
            preds = artifact.manifest["facts"] + [check["pred"] for check in plan["checks"]]
            if not all(artifact.holds(pred, names) for pred in preds):
                continue
            served.append(call.label)
            wrong = call.run(artifact, names)
            if wrong:
                wrong = f"{call.label}: {wrong}"
                break
        artifact.close()
        return {"status": "wrong" if wrong else "right", "why": wrong, "served": served, "calls": len(self.calls)}


def serve(options):
    """Lines on stdin name artifacts; each is answered by a line. A crash or an error of the device ends the process."""
    import sweep_memory

    place, rows = sweep_memory.place_of(options.target), {}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        label, folder = json.loads(line)
        if label not in rows:
            rows[label] = Row(place, options.folder, label)
        try:
            answer = rows[label].check(folder)
        except (RuntimeError, AssertionError) as error:
            print(json.dumps({"status": "wrong", "why": f"{type(error).__name__}: {error}", "ends": True}), flush=True)
            return 1  # What the device says once it says for all that follows.
        print(json.dumps(answer), flush=True)
    return 0


# There: the process that compiles.


class Runner:
    """One serving process, made again when it ends."""

    def __init__(self, options, target):
        self.command = [sys.executable, os.path.join(options.folder, "sweep.py"), "serve", options.folder, "--target", target]
        self.child = None

    def answer(self, seconds):
        ready, _, _ = select.select([self.child.stdout], [], [], seconds)
        line = self.child.stdout.readline() if ready else b""
        if line:
            answer = json.loads(line)
            if answer.pop("ends", False):
                self.child.wait()
                self.child = None
            return answer
        self.child.kill()
        status, self.child = self.child.wait(), None
        return {"status": "wrong", "why": f"ended with {status}" if ready else f"no answer for {seconds} s"}

    def check(self, label, folder):
        if self.child is None or self.child.poll() is not None:
            self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            started = self.answer(2 * RUN_SECONDS)
            if "ready" not in started:
                return started
        self.child.stdin.write(json.dumps([label, folder]).encode() + b"\n")
        self.child.stdin.flush()
        return self.answer(RUN_SECONDS)

    def close(self):
        if self.child is not None:
            self.child.stdin.close()
            self.child.wait()


class Sweep:
    def __init__(self, options):
        self.options, self.end = options, time.monotonic() + options.seconds
        self.program = os.path.join(options.folder, "helion-translate")
        self.work = os.path.join(options.folder, "artifacts")
        os.makedirs(self.work, exist_ok=True)
        self.compiled, self.lock = queue.Queue(), threading.Lock()

    def left(self):
        return self.end - time.monotonic()

    def record(self, label, number, config, **more):
        line = json.dumps({"row": label, "number": number, "config": config, **more})
        with self.lock, open(self.options.results, "a") as file:
            file.write(line + "\n")

    def compile(self, label, number, config, target):
        folder, limit = os.path.join(self.work, f"{label.replace(':', '-')}-{number}"), self.options.compile_seconds
        if self.left() <= 0:
            return
        command = [self.program, "--emit-artifact", folder, os.path.join(self.options.folder, label.replace(":", "-") + ".mlir"),
                   "--target", target, "--config", config]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=max(min(limit, self.left()), 0.1))
        except subprocess.TimeoutExpired:
            if self.left() > 0:
                self.record(label, number, config, status="slow", why=f"not compiled in {limit} s")
            return
        seconds = round(time.monotonic() - begin, 2)
        if done.returncode == 0:
            self.compiled.put((label, number, config, folder, seconds))
            return
        import conformance

        refused = any(text in done.stderr for text in conformance.LIMITS)
        first = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[0]
        self.record(label, number, config, status="refused" if refused else "failed", why=first, compile_seconds=seconds)

    def run_all(self, target):
        runner = Runner(self.options, target)
        while True:
            item = self.compiled.get()
            if item is None:
                break
            label, number, config, folder, seconds = item
            if self.left() > 0:
                begin = time.monotonic()
                answer = {"status": "compiled"} if self.options.no_run else runner.check(label, folder)
                self.record(label, number, config, compile_seconds=seconds, run_seconds=round(time.monotonic() - begin, 2), **answer)
            shutil.rmtree(folder, ignore_errors=True)
        runner.close()


def records_of(options):
    """Label -> what was packed."""
    records = {}
    for name in sorted(os.listdir(options.folder)):
        if name.endswith(".configs.json"):
            with open(os.path.join(options.folder, name)) as file:
                record = json.load(file)
            records[f"{record['kernel']}:{record['dtype']}"] = record
    wanted = options.rows.split(",") if options.rows else list(records)
    return {label: records[label] for label in wanted}


def lines_of(options):
    if not os.path.exists(options.results):
        return []
    with open(options.results) as file:
        return [json.loads(line) for line in file]


def unpack(folder):
    program = os.path.join(folder, "helion-translate")
    if not os.path.exists(program):
        with lzma.open(program + ".xz") as packed, open(program + ".part", "wb") as file:
            shutil.copyfileobj(packed, file)
        os.chmod(program + ".part", 0o755)
        os.rename(program + ".part", program)


def run(options):
    unpack(options.folder)
    sweep, records = Sweep(options), records_of(options)
    done = {(line["row"], line["number"]) for line in lines_of(options) if line["status"] != "compiled"}
    # All kernels move on together, so that whatever time there is all of them have some.
    jobs = [(number, label) for label, record in records.items() for number in range(len(record["configs"]))
            if (label, number) not in done]
    target = next(iter(records.values()))["target"]
    runners = [threading.Thread(target=sweep.run_all, args=(target,)) for _ in range(options.runners)]
    for thread in runners:
        thread.start()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, label in sorted(jobs):
            pool.submit(sweep.compile, label, number, records[label]["configs"][number], target)
    for _ in runners:
        sweep.compiled.put(None)
    for thread in runners:
        thread.join()
    return show(options)


def show(options):
    """The table, and FILE.json beside the lines. Status 1 when something is wrong, failed or was never run."""
    import conformance

    rows, bad = [], 0
    lines = collections.defaultdict(list)
    for line in lines_of(options):
        lines[line["row"]].append(line)
    print("| kernel | configs | right | wrong | failed | refused | slow | compiled only | to do | calls | not served | values not hit | slowest compile |")
    print("|---" * 13 + "|")
    for label, record in records_of(options).items():
        own = list({line["number"]: line for line in lines[label]}.values())  # The last word on each.
        count = collections.Counter(line["status"] for line in own)
        right = [line for line in own if line["status"] == "right"]
        served = collections.Counter(name for line in right for name in line["served"])
        calls = max((line.get("calls", 0) for line in own), default=0)
        missed = conformance.values_missing(record["space"], [line["config"] for line in right])
        row = {"row": label, "configs": len(record["configs"]), **{name: count[name] for name in ("right", "wrong", "failed", "refused", "slow", "compiled")},
               "to_do": len(record["configs"]) - len(own), "calls": calls, "runs": sum(served.values()), "served": len(served),
               "values": sum(len(choice["values"]) for choice in record["space"]["choices"]), "values_not_hit": missed, "space": record["space"]["size"],
               "slowest_compile": max((line.get("compile_seconds", 0) for line in own), default=0)}
        rows.append(row)
        bad += row["wrong"] + row["failed"] + (not own)
        print(f"| `{label}` | {row['configs']} | {row['right']} | {row['wrong']} | {row['failed']} | {row['refused']} | {row['slow']} | {row['compiled']} | {row['to_do']} "
              f"| {row['runs']} of {calls} kinds | {calls - len(served)} | {len(missed)}: {', '.join(missed[:4])} | {row['slowest_compile']} s |")
    for line in sum(lines.values(), []):
        if line["status"] in ("wrong", "failed"):
            print(f"{line['status']}: {line['row']} {line['config']}: {line['why']}")
    print_covered(rows)
    with open(options.results + ".json", "w") as file:
        json.dump(rows, file, indent=1)
    return 1 if bad else 0


def print_covered(rows):
    """In short: how much of each space the right and wrong configs are."""
    print("\n| kernel | configs run | of | values of choices hit | calls | wrong |\n|---|---|---|---|---|---|")
    for row in rows:
        print(f"| `{row['row']}` | {row['right'] + row['wrong']} | {row['space']:.2g} | {row['values'] - len(row['values_not_hit'])} of {row['values']} "
              f"| {row['runs']} | {row['wrong']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("pack", "run", "show", "serve"))
    parser.add_argument("folder")
    parser.add_argument("--configs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--translate")
    parser.add_argument("--rows")
    parser.add_argument("--seconds", type=float, default=360)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--runners", type=int, default=3)
    parser.add_argument("--compile-seconds", type=float, default=30)
    parser.add_argument("--no-run", action="store_true", help="only compile: what can be tried without the device")
    parser.add_argument("--results")
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    options.results = options.results or os.path.join(options.folder, "results.jsonl")
    options.rows = LARGE if options.rows == "large" else options.rows or (ROWS if options.command == "pack" else None)
    sys.exit({"pack": pack, "run": run, "show": show, "serve": serve}[options.command](options))


if __name__ == "__main__":
    main()
