#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures packages for an NVIDIA GPU, called through their C ABI, in turn with torch, torch.compile and copies of as many
bytes, in one process. Rows are lines of corpora. Caches are cold by default. Times are of the device's events; figures are
medians, and medians and quartiles of the ratios of neighbouring runs. Values are checked against float64 after the timed runs.

Use: utils/measure-gpu.py PACKAGE.. [--rows FILE].. [--tuned FILE].. [--only TEXT] [--rounds N] [--mode cold|graph] [--flush read|write]
     [--no-compile] [--check] [--json FILE]
Example: utils/measure-gpu.py out/softmax --tuned examples/softmax/gpu.jsonl
`--tuned` adds the rows of a corpus to those of `--rows`. Each row says what the package itself says of its shape: tuned, between
tuned ones, or outside. The second table has, for each kernel, these and three classes of sizes, the least and the median of
copy / ours; copy is the faster of the driver's and our own.
A PACKAGE is a folder that helion-aot wrote; it is built here by CMake, beside it. `--check` only checks values. Needs Python
with torch on a machine with a GPU, CMake and a C++ compiler.
"""
import argparse
import ctypes
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f8e4m3": torch.float8_e4m3fn,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8, "bool": torch.bool}
CODES = {torch.bool: 6, torch.bfloat16: 4, torch.float8_e4m3fn: 10}  # DLPack's; floats are 2, signed integers 0, others 1.
FLUSH_BYTES = 512 << 20
GRAPH_CALLS = 20
CHUNK = 1 << 24  # Elements that are checked at a time.
VOID = ctypes.c_void_p
COPIES = ["memcpy", "our copy"]


class Peer:
    """What torch has for a kernel; `rows` names the arguments whose first dims go together, which a check takes in parts."""

    def __init__(self, rows, eager, reference, flops=None):
        self.rows, self.eager, self.reference, self.flops = rows, eager, reference, flops


def rms_norm_reference(x, w, eps):
    r = torch.rsqrt((x * x).mean(-1) + eps)
    return [x * r[:, None] * w, r]


def product(x, y):
    return x @ y


def cross_entropy_reference(logits, labels):
    return [torch.logsumexp(logits, 1) - logits.gather(1, labels[:, None])[:, 0]]


def rope(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)


def attention_reference(q, k, v):
    """A head at a time: the scores of all would not fit."""
    out = torch.empty_like(q)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            out[b, h] = torch.softmax(q[b, h] @ k[b, h].T / q.shape[3] ** 0.5, -1) @ v[b, h]
    return [out]


PEERS = {
    "vector_add": Peer(["x", "y"], lambda x, y: x + y, lambda x, y: [x + y]),
    "softmax": Peer(["x"], lambda x: torch.softmax(x, -1), lambda x: [torch.softmax(x, -1)]),
    "rms_norm": Peer(["x"], lambda x, w, eps: F.rms_norm(x, w.shape, w, eps), rms_norm_reference),
    "layer_norm": Peer(["x"], lambda x, w, bias, eps: F.layer_norm(x, w.shape, w, bias, eps),
                       lambda x, w, bias, eps: [F.layer_norm(x, w.shape, w, bias, eps)]),
    "matmul": Peer(["x"], product, lambda x, y: [x @ y], lambda x, y: 2 * x.shape[0] * x.shape[1] * y.shape[1]),
    "bmm": Peer(["x", "y"], product, lambda x, y: [x @ y], lambda x, y: 2 * x.numel() * y.shape[2]),
    "cross_entropy": Peer(["logits", "labels"], lambda logits, labels: F.cross_entropy(logits, labels, reduction="none"),
                          cross_entropy_reference),
    "rope": Peer(["x"], rope, lambda x, cos, sin: [rope(x, cos, sin)]),
    "attention": Peer(["q", "k", "v"], lambda q, k, v: F.scaled_dot_product_attention(q, k, v), attention_reference,
                      lambda q, k, v: 4 * q.numel() * k.shape[2]),
}


#===-- Packages -----------------------------------------------------------------------------------------------------===#


class DLTensor(ctypes.Structure):
    _fields_ = [("data", VOID), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", VOID), ("strides", VOID),
                ("byte_offset", ctypes.c_uint64)]


class Shape(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("ndim", ctypes.c_int32),
                ("sizes", ctypes.c_int64 * 8)]


def code_of(dtype):
    return CODES.get(dtype, 2 if dtype.is_floating_point else 0 if dtype.is_signed else 1)


def dlpack(tensor):
    """The DLTensor, and what must outlive it."""
    shape = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
    strides = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.stride())
    view = DLTensor(tensor.data_ptr(), 2 if tensor.is_cuda else 1, tensor.device.index or 0, tensor.dim(), code_of(tensor.dtype),
                    8 * tensor.element_size(), 1, ctypes.addressof(shape), ctypes.addressof(strides), 0)
    view.keep = (shape, strides, tensor)
    return view


if shutil.which("ninja"):  # Make need not be there.
    os.environ.setdefault("CMAKE_GENERATOR", "Ninja")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"measure-gpu: `{' '.join(command)}` failed:\n{done.stdout}")
    return done.stdout


class Package:
    """The library of a package's folder, and the parameters of its function by the header."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        tuned = [name for name in os.listdir(self.folder) if name.endswith("-config.cmake")]
        if len(tuned) != 1:
            sys.exit(f"measure-gpu: `{folder}` is no package; name a folder that helion-aot wrote")
        self.kernel = tuned[0][: -len("-config.cmake")]
        build = self.folder + "-build"
        run("cmake", "-S", self.folder, "-B", build, "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build, "-j", str(os.cpu_count()))
        self.library = ctypes.CDLL(os.path.join(build, f"lib{self.kernel}.so"))
        self.library[f"{self.kernel}_strerror"].restype = ctypes.c_char_p
        with open(os.path.join(self.folder, self.kernel + ".h")) as file:
            found = re.search(rf"_API int {self.kernel}\((.*?)\);", file.read(), re.S)
        self.parameters = [part.split("*")[-1].split()[-1] for part in found[1].split(",")][:-2]

    def check(self, status):
        if status:
            raise RuntimeError(f"{self.kernel}: {self.library[self.kernel + '_strerror'](status).decode()}")

    def call(self, name, *arguments):
        function = self.library[self.kernel + name]
        function.restype = ctypes.c_int
        self.check(function(*arguments))

    def bind(self, values):
        """A function that puts one call on torch's current stream, and its results."""
        names = [name.rstrip("_") if name.rstrip("_") in values else name for name in self.parameters]
        arguments = [self.argument(values[name]) for name in names if name in values]
        outputs = []
        for index in range(len(names) - len(arguments)):
            shape = Shape()
            self.call("_output_shape", *arguments, index, ctypes.byref(shape))
            dtype = next(dtype for dtype in DTYPES.values()
                         if code_of(dtype) == shape.code and torch.empty(0, dtype=dtype).element_size() * 8 == shape.bits)
            outputs.append(torch.empty(list(shape.sizes[: shape.ndim]), dtype=dtype, device="cuda"))
        workspace = ctypes.c_int64()
        self.call("_workspace", *arguments, ctypes.byref(workspace))
        memory = torch.empty(workspace.value, dtype=torch.uint8, device="cuda")
        views = [dlpack(output) for output in outputs]
        words = arguments + [ctypes.byref(view) for view in views]
        function, last = self.library[self.kernel], VOID(memory.data_ptr() if workspace.value else None)

        def call():
            self.check(function(*words, VOID(torch.cuda.current_stream().cuda_stream), last))

        call.keep = (views, memory)
        return call, outputs

    def argument(self, value):
        if value is None:
            return VOID(None)
        if isinstance(value, torch.Tensor):
            view = dlpack(value)
            pointer = ctypes.byref(view)
            return pointer
        return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)

    def choice(self, values):
        """The config's text that a call gets."""
        names = [name for name in self.parameters if name in values or name.rstrip("_") in values]
        arguments = [self.argument(values[name if name in values else name.rstrip("_")]) for name in names]
        buffer = ctypes.create_string_buffer(4096)
        self.library[self.kernel + "_explain"](*arguments, buffer, ctypes.c_size_t(len(buffer)))
        return buffer.value.decode()


#===-- Copies -------------------------------------------------------------------------------------------------------===#


def copy_text(unroll, threads):
    """PTX: each thread copies `unroll` words of 16 bytes, a block's apart; `count` words in all."""
    lines = [".version 7.0", ".target sm_80", ".address_size 64",
             ".visible .entry copy(.param .u64 to, .param .u64 from, .param .u64 count)", "{",
             f"  .reg .b64 %d<{8 + 2 * unroll}>;", f"  .reg .b32 %r<{4 + 4 * unroll}>;", f"  .reg .pred %p<{unroll}>;",
             "  ld.param.u64 %d0, [to];", "  ld.param.u64 %d1, [from];", "  ld.param.u64 %d2, [count];",
             "  cvta.to.global.u64 %d0, %d0;", "  cvta.to.global.u64 %d1, %d1;",
             "  mov.u32 %r0, %ctaid.x;", "  mov.u32 %r1, %tid.x;", f"  mul.wide.u32 %d3, %r0, {unroll * threads};",
             "  cvt.u64.u32 %d4, %r1;", "  add.u64 %d3, %d3, %d4;"]
    for i in range(unroll):
        lines += [f"  add.u64 %d{8 + 2 * i}, %d3, {i * threads};", f"  setp.lt.u64 %p{i}, %d{8 + 2 * i}, %d2;",
                  f"  shl.b64 %d{8 + 2 * i}, %d{8 + 2 * i}, 4;", f"  add.u64 %d{9 + 2 * i}, %d1, %d{8 + 2 * i};"]
    words = ["{" + ", ".join(f"%r{4 + 4 * i + j}" for j in range(4)) + "}" for i in range(unroll)]
    lines += [f"  @%p{i} ld.global.nc.v4.u32 {words[i]}, [%d{9 + 2 * i}];" for i in range(unroll)]
    for i in range(unroll):
        lines += [f"  add.u64 %d{9 + 2 * i}, %d0, %d{8 + 2 * i};", f"  @%p{i} st.global.v4.u32 [%d{9 + 2 * i}], {words[i]};"]
    return "\n".join(lines + ["  ret;", "}"]).encode() + b"\0"


class Copies:
    """Copies that read and write together `size` bytes: the driver's, and our own of several forms."""

    driver, kernels = None, {}

    def __init__(self, size):
        half = max(16, size // 2 // 16 * 16)
        self.source = torch.ones(half, dtype=torch.uint8, device="cuda")
        self.target = torch.empty_like(self.source)
        if not Copies.driver:
            Copies.driver = ctypes.CDLL("libcuda.so.1")
            for unroll in (1, 2, 4, 8):
                for threads in (128, 256, 512):
                    Copies.kernels[unroll, threads] = self.load(copy_text(unroll, threads))

    def do(self, name, *arguments):
        status = Copies.driver[name](*arguments)
        if status:
            raise RuntimeError(f"{name} answered {status}")

    def load(self, text):
        module, function = VOID(), VOID()
        self.do("cuModuleLoadData", ctypes.byref(module), text)
        self.do("cuModuleGetFunction", ctypes.byref(function), module, b"copy")
        return function

    def memcpy(self):
        self.do("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(self.target.data_ptr()), ctypes.c_uint64(self.source.data_ptr()),
                ctypes.c_size_t(self.source.numel()), VOID(torch.cuda.current_stream().cuda_stream))

    def kernel(self, form):
        unroll, threads = form
        words = self.source.numel() // 16
        values = [ctypes.c_uint64(self.target.data_ptr()), ctypes.c_uint64(self.source.data_ptr()), ctypes.c_uint64(words)]
        parameters = (VOID * 3)(*[ctypes.addressof(value) for value in values])
        blocks = -(-words // (unroll * threads))

        def call():
            self.do("cuLaunchKernel", Copies.kernels[form], blocks, 1, 1, threads, 1, 1, 0,
                    VOID(torch.cuda.current_stream().cuda_stream), parameters, None)

        call.keep = values
        return call

    def rivals(self, clock):
        """memcpy and the fastest of our forms."""
        forms = {form: self.kernel(form) for form in Copies.kernels}
        times = clock.race(forms, 7)
        best = min(forms, key=lambda form: statistics.median(times[form]))
        self.target.zero_()
        forms[best]()
        assert torch.equal(self.target, self.source), "our copy does not copy"
        return {"memcpy": self.memcpy, "our copy": forms[best]}


#===-- Time ---------------------------------------------------------------------------------------------------------===#


class Clock:
    """Microseconds of calls in turn. Cold: other memory passes through the caches before each; graph: warm, many calls as one."""

    def __init__(self, mode, flush):
        self.mode, self.flush = mode, flush
        self.other = torch.ones(FLUSH_BYTES // 4, dtype=torch.float32, device="cuda")
        self.random = random.Random(0)

    def evict(self):
        self.other.zero_() if self.flush == "write" else self.other.max()

    def graph_of(self, call):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            call()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(GRAPH_CALLS):
                call()
        return graph.replay

    def race(self, calls, rounds):
        """Times by name, one for each round; the order is another one in each."""
        count = 1
        for call in calls.values():
            call()
        if self.mode == "graph":
            calls, count = {name: self.graph_of(call) for name, call in calls.items()}, GRAPH_CALLS
        names, times = list(calls), {name: [] for name in calls}
        for _ in range(rounds):
            self.random.shuffle(names)
            events = {name: (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for name in names}
            for name in names:
                self.evict() if self.mode == "cold" else calls[name]()
                events[name][0].record()
                calls[name]()
                events[name][1].record()
            torch.cuda.synchronize()
            for name in names:
                times[name].append(events[name][0].elapsed_time(events[name][1]) * 1e3 / count)
        return times


#===-- Rows ---------------------------------------------------------------------------------------------------------===#


def tensor_of(value, generator):
    """Normal values, or those that the corpus asks for."""
    shape, dtype, init = value["shape"], DTYPES[value["dtype"]], value.get("init", "normal")
    if init == "normal":
        return torch.randn(shape, dtype=torch.float32, device="cuda", generator=generator).to(dtype)
    if bounds := re.fullmatch(r"randint\((-?\d+),(-?\d+)\)", init):
        return torch.randint(int(bounds[1]), int(bounds[2]), shape, device="cuda", generator=generator).to(dtype)
    sys.exit(f"measure-gpu: saw init `{init}`; `normal` and `randint(a,b)` can be made here")


def inputs_of(row):
    generator = torch.Generator(device="cuda").manual_seed(0)
    values = {}
    for name, value in row["args"].items():
        if isinstance(value, dict):
            values[name] = tensor_of(value, generator)
        else:
            values[name] = value
    return values


def check(peer, values, call, outputs):
    """The largest error over what is allowed: of rounding to the dtype, and of a sum in float32."""
    for output in outputs:
        output.view(torch.uint8).fill_(0xFF)
    call()
    first = values[peer.rows[0]]
    longest = max(size for value in values.values() if isinstance(value, torch.Tensor) for size in value.shape)
    step = max(1, CHUNK // max(1, first[0].numel()))
    worst = 0.0
    for begin in range(0, first.shape[0], step):
        part = {name: value[begin : begin + step] if name in peer.rows else value for name, value in values.items()}
        wide = {name: value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
                for name, value in part.items()}
        for output, want in zip(outputs, peer.reference(**wide)):
            got = output[begin : begin + step].double()
            scale = want.square().mean().sqrt()
            coarsest = max(torch.finfo(value.dtype).eps for value in [output, first])
            allowed = 2 * coarsest * (want.abs() + scale) + 4 * 2.0**-23 * longest**0.5 * scale
            ratio = ((got - want).abs() / allowed).nan_to_num(nan=float("inf")).max().item()
            worst = max(worst, ratio)
    return worst


def title(row):
    shapes = {name: value for name, value in row["args"].items() if isinstance(value, dict)}
    first = next(iter(shapes.values()))
    return row.get("row") or f"{row['kernel']} {first['dtype']} " + ", ".join("x".join(map(str, v["shape"])) for v in shapes.values()
                                                                         if len(v["shape"]) == len(first["shape"]))


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def shape_kind(text):
    """What `_explain` says of the corpus, in a word."""
    said = re.search(r"^corpus: (.*)$", text, re.M)
    kinds = {"this shape was measured": "tuned", "not measured, between measured shapes": "between"}
    return kinds.get(said[1] if said else "", "outside")


def median_ratio(times, rivals):
    """The fastest of the rivals that ran, by its median, and the ratios of its times to ours; None where none ran."""
    known = [name for name in rivals if name in times]
    if not known:
        return None
    best = min(known, key=lambda name: statistics.median(times[name]))
    return best, [theirs / mine for theirs, mine in zip(times[best], times["ours"])]


# By bytes that are read and written; what lies between the first two is in none.
CLASSES = [("1 - 8 MiB", 1 << 20, 8 << 20), (">= 16 MiB", 16 << 20, None), (">= 256 MiB", 256 << 20, None)]


def is_in(class_, size):
    # A reduction's results, scales and the like make a row a little more than its class.
    return size >= class_[1] * 0.99 and (class_[2] is None or size <= class_[2] * 1.05)


def summary(results):
    """Lines of the second table."""
    groups = {}
    for result in results:
        found = median_ratio(result.get("times_us", {}), COPIES)
        if not found:
            continue
        rate = result["bytes"] / statistics.median(result["times_us"]["ours"]) / 1e6
        for class_ in CLASSES:
            if is_in(class_, result["bytes"]):
                key = (result["kernel"], class_[0], "tuned" if result["shape"] == "tuned" else "held out")
                groups.setdefault(key, []).append((statistics.median(found[1]), rate, result["row"]))
    lines = []
    for (kernel, name, kind), entries in groups.items():
        least = min(entries)
        lines.append(f"| {kernel} | {name} | {kind} | {len(entries)} | {least[0]:.2f} ({least[2]}) | "
                     f"{statistics.median(entry[0] for entry in entries):.2f} | {statistics.median(entry[1] for entry in entries):.2f} |")
    return sorted(lines)


def measure(row, package, clock, options):
    peer, values = PEERS[row["kernel"]], inputs_of(row)
    call, outputs = package.bind(values)
    if options.check:
        worst = check(peer, values, call, outputs)
        target = re.search(r", target (\S+)$", package.choice(values), re.M)
        return {"row": title(row), "kernel": row["kernel"], "target": target[1] if target else "", "error_over_allowed": worst}
    size = sum(value.nbytes for value in list(values.values()) + outputs if isinstance(value, torch.Tensor))
    calls = {"ours": call, "torch": lambda: peer.eager(**values)}
    if not options.no_compile:
        compiled = torch.compile(peer.eager, dynamic=False)
        calls["compiled"] = lambda: compiled(**values)
    if not peer.flops:
        calls.update(Copies(size).rivals(clock))
    times = clock.race(calls, options.rounds)
    choice = package.choice(values)
    return {"row": title(row), "kernel": row["kernel"], "shape": shape_kind(choice), "bytes": size, "flops": peer.flops(**values) if peer.flops else 0, "times_us": times,
            "error_over_allowed": check(peer, values, call, outputs), "choice": choice}


def report(result):
    if "times_us" not in result:
        print(f"| {result['row']} | {result['target']} | {result['error_over_allowed']:.2f} |", flush=True)
        return
    times = result["times_us"]
    median = {name: statistics.median(values) for name, values in times.items()}
    rate = f"{result['flops'] / median['ours'] / 1e6:.0f} TFLOP/s" if result["flops"] else f"{result['bytes'] / median['ours'] / 1e6:.2f} TB/s"
    cells = []
    for rivals in (["torch"], ["compiled"], COPIES):
        found = median_ratio(times, rivals)
        cells.append(f"{found[0] if len(rivals) > 1 else ''} {median[found[0]]:.1f} | {quartiles(found[1])} |" if found else "| |")
    print(f"| {result['row']} | {result['shape']} | {result['bytes'] / 2**20:.1f} | {median['ours']:.1f} | {rate} | " + " ".join(cells) +
          f" {result['error_over_allowed']:.2f} |", flush=True)


def heading(options):
    clocks = run("nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit", "--format=csv,noheader").strip()
    print(f"{clocks}; torch {torch.__version__}, {platform.machine()}; {options.rounds} rounds, {options.mode}"
          f"{', ' + options.flush + ' flush' if options.mode == 'cold' else ''}\n")
    if options.check:
        print("| row | target | error over what is allowed |\n|---|---|---|")
        return
    print("| row | shape | MiB | ours, us | rate | torch, us | torch / ours | compiled, us | compiled / ours | copy, us | copy / ours | error / allowed |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="+", help="folders that helion-aot wrote")
    parser.add_argument("--rows", action="append", help="corpora; utils/measure-gpu.jsonl where none is given")
    parser.add_argument("--tuned", action="append", default=[], help="corpora whose rows are measured too")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--mode", choices=["cold", "graph"], default="cold")
    parser.add_argument("--flush", choices=["read", "write"], default="read", help="how other memory passes through the caches")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--check", action="store_true", help="only check values")
    parser.add_argument("--json", help="file to which each row is added as a line, with all times")
    options = parser.parse_args()
    if not options.no_compile:
        torch._dynamo.config.recompile_limit = 1000
    packages = {package.kernel: package for package in map(Package, options.packages)}
    rows = []
    for name in (options.rows or [os.path.join(HERE, "measure-gpu.jsonl")]) + options.tuned:
        with open(name) as file:
            rows += [json.loads(line) for line in file if line.strip()]
    heading(options)
    clock, wrong, results = Clock(options.mode, options.flush), 0, []
    for row in rows:
        if row["kernel"] not in packages or options.only not in title(row):
            continue
        result = measure(row, packages[row["kernel"]], clock, options)
        report(result)
        results.append(result)
        wrong += not result["error_over_allowed"] <= 1
        if options.json:
            with open(options.json, "a") as file:
                file.write(json.dumps(result) + "\n")
    if lines := summary(results):
        print("\n| kernel | bytes | shapes | rows | least copy / ours | median copy / ours | median TB/s |\n|---|---|---|---|---|---|---|")
        print("\n".join(lines))
    if wrong:
        sys.exit(f"measure-gpu: {wrong} rows are wrong")


if __name__ == "__main__":
    main()
