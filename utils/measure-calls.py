#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what a package costs its caller, beside a bare launch of the same kernels and beside torch.add, in turn in one process.

Use: utils/measure-calls.py PACKAGE.. [--rows FILE].. [--only TEXT] [--processes N] [--rounds N] [--most-mib N] [--no-torch]
     [--build DIR] [--json FILE]
Example: utils/measure-calls.py out/softmax --rows examples/softmax/gpu.jsonl --json calls.jsonl
A PACKAGE is a folder that helion-aot wrote, for a CPU or an NVIDIA GPU; it is built by CMake in DIR (PACKAGE-calls) with
measure-calls.cpp. Rows are lines of corpora.
- First calls: in each of N fresh processes (20) all rows once; the context, the tensors and nothing of the package are there
  before. The first row is the first call; a later row whose variant was not called yet is a further variant's.
- Choosing: medians of 200 calls in turn; single calls after 1 MiB of other code and 4 or 256 MiB of other data were touched.
- Calls: the host's time, 20 without waiting. Bare: cuLaunchKernel with the functions and arguments that the call itself used.
  New pointers: four sets of tensors in turn. Fills that a plan has are in the call and not in the bare launches.
- torch: an operator that makes DLTensors and the result, beside torch.add on the first tensor. Called through torch.ops where
  autograd's keys have torch's boxed fallback (fallback) and where they have a kernel (op), by its overload (overload), by a
  binding that asks the dispatcher in C++ (dispatched), and by a plain binding that asks nobody (binding). Needs torch with a GPU
  and CUDA's headers; left out without.
Cells are: median [lower quartile, upper quartile] largest.
"""
import argparse
import functools
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# DLPack's code and bits.
DTYPES = {"f64": (2, 64), "f32": (2, 32), "f16": (2, 16), "bf16": (4, 16), "f8e4m3": (10, 8), "f8e5m2": (12, 8), "i64": (0, 64),
          "i32": (0, 32), "i16": (0, 16), "i8": (0, 8), "ui8": (1, 8), "bool": (6, 8)}
WAYS = ["fallback", "op", "overload", "dispatched", "binding"]  # Of calling the operator.
TORCH_NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn",
               "f8e5m2": "float8_e5m2", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "ui8": "uint8", "bool": "bool"}


def fail(text):
    sys.exit(f"measure-calls: {text}")


if shutil.which("ninja"):  # Make need not be there.
    os.environ.setdefault("CMAKE_GENERATOR", "Ninja")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        fail(f"`{' '.join(command)}` failed:\n{done.stdout}")
    return done.stdout


#===-- Packages -----------------------------------------------------------------------------------------------------===#


class Package:
    """A package's folder, the arguments of its function by the header, and the program that measures it."""

    def __init__(self, folder, build):
        self.folder = os.path.abspath(folder)
        configs = [name for name in os.listdir(self.folder) if name.endswith("-config.cmake")]
        if len(configs) != 1:
            fail(f"`{folder}` is no package; name a folder that helion-aot wrote")
        self.kernel = configs[0][: -len("-config.cmake")]
        self.has_driver = os.path.exists(os.path.join(self.folder, "runtime", "Cuda.cpp"))
        with open(os.path.join(self.folder, self.kernel + ".h")) as file:
            self.header = file.read()
        self.arguments = self.parameters(self.kernel + "_choose")[:-1]
        self.results = self.parameters(self.kernel)[len(self.arguments) : -2]
        self.build = os.path.join(os.path.abspath(build), self.kernel) if build else self.folder + "-calls"

    def parameters(self, function):
        """Type and name of each."""
        found = re.search(rf"_API int {function}\((.*?)\);", self.header, re.S)
        return [re.fullmatch(r"(.*?)(\w+)", " ".join(part.split())).groups() for part in found[1].split(",")]

    def case(self):
        """case.h: the package's functions by names that all packages share."""
        members = {"DLTensor": "tensor", "int64_t": "integer", "double": "real"}
        values = ["a[%d].%s" % (i, next(member for word, member in members.items() if word in kind))
                  for i, (kind, _) in enumerate(self.arguments)]
        results = [f"r[{i}]" for i in range(len(self.results))]
        k = self.kernel
        listed = lambda *words: ", ".join([*values, *words])
        return f"""#pragma once
#include "{k}.h"
#define CASE_HAS_DRIVER {int(self.has_driver)}
namespace the_case {{
struct Value {{
  DLTensor *tensor;
  int64_t integer;
  double real;
}};
using Choice = {k}_choice;
using Shape = {k}_shape;
constexpr int kResults = {len(results)};
inline int call([[maybe_unused]] const Value *a, [[maybe_unused]] DLTensor *const *r, void *stream, void *workspace) {{
  return {k}({", ".join([*values, *results, "stream", "workspace"])});
}}
inline int choose([[maybe_unused]] const Value *a, Choice *choice) {{ return {k}_choose({listed("choice")}); }}
inline int workspace([[maybe_unused]] const Value *a, int64_t *bytes) {{ return {k}_workspace({listed("bytes")}); }}
inline int outputShape([[maybe_unused]] const Value *a, int index, Shape *shape) {{
  return {k}_output_shape({listed("index", "shape")});
}}
inline const char *text(int status) {{ return {k}_strerror(status); }}
}} // namespace the_case
"""

    def make(self):
        os.makedirs(self.build, exist_ok=True)
        self.write("case.h", self.case())
        self.write("CMakeLists.txt", f"""cmake_minimum_required(VERSION 3.16)
project(calls LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_subdirectory({self.folder} package)
add_executable(measure-calls {HERE}/measure-calls.cpp)
target_include_directories(measure-calls PRIVATE ${{CMAKE_CURRENT_SOURCE_DIR}})
target_link_libraries(measure-calls PRIVATE {self.kernel}::{self.kernel} ${{CMAKE_DL_LIBS}})
""")
        binary = os.path.join(self.build, "build")
        run("cmake", "-S", self.build, "-B", binary, "-DBUILD_SHARED_LIBS=OFF")
        run("cmake", "--build", binary, "-j", str(os.cpu_count()))
        return os.path.join(binary, "measure-calls")

    def write(self, name, text):
        path = os.path.join(self.build, name)
        if not os.path.exists(path) or open(path).read() != text:
            with open(path, "w") as file:
                file.write(text)


#===-- Rows ---------------------------------------------------------------------------------------------------------===#


def title(row):
    shapes = [f"{value['dtype']}[{'x'.join(map(str, value['shape']))}]" for value in row["args"].values() if isinstance(value, dict)]
    return row.get("row") or f"{row['kernel']} {' '.join(shapes)}"


def count_bytes(row):
    return sum(DTYPES[value["dtype"]][1] // 8 * size_of(value["shape"]) for value in row["args"].values() if isinstance(value, dict))


def size_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def row_text(package, row):
    lines = ["row " + title(row)]
    for kind, name in package.arguments:
        value = row["args"][name if name in row["args"] else name.rstrip("_")]
        if value is None:
            lines.append("none")
        elif isinstance(value, dict):
            lines.append("tensor %d %d %d " % (*DTYPES[value["dtype"]], len(value["shape"])) + " ".join(map(str, value["shape"])))
        else:
            lines.append(("real " if "double" in kind else "integer ") + repr(value))
    return "\n".join(lines) + "\n"


def read_rows(names):
    rows = []
    for name in names:
        with open(name) as file:
            rows += [json.loads(line) for line in file if line.strip()]
    return rows


def lines_of(program, *arguments):
    return [json.loads(line) for line in run(program, *arguments).splitlines()]


#===-- Figures ------------------------------------------------------------------------------------------------------===#


def spread(values, digits=0, unit=1.0):
    values = [value / unit for value in values]
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return f"{middle:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}] {max(values):.{digits}f}"


def ratios(ours, theirs):
    return [a / b for a, b in zip(ours, theirs)]


def measure_first(program, rows_file, processes):
    """Milliseconds by what the call was."""
    times = {}
    for _ in range(processes):
        called = set()
        for index, line in enumerate(lines_of(program, "first", rows_file)):
            what = "first call" if index == 0 else "known variant" if line["variant"] in called else "further variant"
            called.add(line["variant"])
            times.setdefault(what + ", returned", []).append(line["returned_ns"])
            times.setdefault(what + ", done", []).append(line["done_ns"])
    return times


def report_first(package, times, processes):
    print(f"\n{package.kernel}: first calls, {processes} processes, ms\n\n| what | calls | median [quartiles] largest |\n|---|---|---|")
    for what, values in sorted(times.items(), key=lambda item: ("first", "furth", "known").index(item[0][:5])):
        print(f"| {what} | {len(values)} | {spread(values, 3, 1e6)} |", flush=True)


def heading_steady(package):
    print(f"\n{package.kernel}: choosing and calling, ns; the operator and torch.add, us\n")
    print("| row | variant | choose | choose after 4 MiB | after 256 MiB | call, same pointers | bare | call / bare | call, new pointers "
          "| bare, new | call / bare, new | allocations: choose, call | torch.add | " + " | ".join(f"{way} / add" for way in WAYS) + " |")
    print("|---" * (13 + len(WAYS)) + "|")


def report_steady(line):
    cells = [line["row"], str(line["variant"]), spread(line["choose_ns"], 1), spread(line["choose_cold_ns"]), spread(line["choose_coldest_ns"])]
    for kind in ("", "_new"):
        calls, bare = line[f"call{kind}_ns"], line.get(f"bare{kind}_ns")
        cells.append(spread(calls))
        cells += [spread(bare), spread(ratios(calls, bare), 2)] if bare else ["", ""]
    # Per call of 100.
    cells.append(f"{line['choose_allocations'] / 100:g}, {line['call_allocations'] / 100:g}")
    torch_times = line.get("torch_us")
    if torch_times:
        cells.append(spread(torch_times["add"], 2))
        cells += [spread(ratios(torch_times[way], torch_times["add"]), 2) for way in WAYS]
    else:
        cells += [""] * (1 + len(WAYS))
    print("| " + " | ".join(cells) + " |", flush=True)


#===-- torch --------------------------------------------------------------------------------------------------------===#


class Operator:
    """The package as a torch operator: DLTensors on the stack, the result from torch's allocator, torch's current stream."""

    def __init__(self, package, program):
        import torch
        from torch.utils import cpp_extension

        self.torch, self.package = torch, package
        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        self.name = f"helion_calls_{package.kernel}"
        archive = os.path.join(os.path.dirname(program), "package", f"lib{package.kernel}.a")
        self.module = cpp_extension.load_inline(self.name, [self.source()], extra_include_paths=[package.build, package.folder],
                                                extra_ldflags=[archive, "-ldl"], extra_cflags=["-O2"], with_cuda=True)
        library = getattr(torch.ops, self.name)
        self.ways = {"fallback": library.fallback, "op": library.op, "overload": library.op.default,
                     "dispatched": self.module.dispatched, "binding": self.module.binding}

    def source(self):
        kinds = self.kinds()
        taken = ", ".join(f"{self.types[kind]}p{i}" for i, kind in enumerate(kinds))
        views = "".join(f"  DLTensor v{i} = view(p{i});\n" for i, kind in enumerate(kinds) if kind == "Tensor")
        values = ", ".join({"Tensor": f"{{&v{i}, 0, 0}}", "float": f"{{nullptr, 0, p{i}}}", "int": f"{{nullptr, p{i}, 0}}"}[kind]
                           for i, kind in enumerate(kinds))
        first = kinds.index("Tensor")
        count = len(self.package.results)
        return f"""
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>
#include <torch/library.h>
#include "case.h"
static DLTensor view(const at::Tensor &t) {{
  static const uint8_t codes[][2] = {{{self.codes()}}};
  const uint8_t *type = codes[int(t.scalar_type())];
  return {{t.mutable_data_ptr(), {{kDLCUDA, t.get_device()}}, int32_t(t.dim()), {{type[0], type[1], 1}},
          const_cast<int64_t *>(t.sizes().data()), const_cast<int64_t *>(t.strides().data()), 0}};
}}
static at::ScalarType typeOf(DLDataType type) {{
  static const uint8_t codes[][2] = {{{self.codes()}}};
  for (int i = 0; i < int(sizeof codes / 2); ++i)
    if (codes[i][0] == type.code && codes[i][1] == type.bits)
      return at::ScalarType(i);
  TORCH_CHECK(false, "a dtype that torch lacks");
}}
static std::vector<at::Tensor> op({taken}) {{
{views}  const the_case::Value values[] = {{{values}}};
  std::vector<at::Tensor> results;
  DLTensor views[{count} + 1];
  DLTensor *pointers[{count} + 1];
  results.reserve({count});
  for (int i = 0; i < {count}; ++i) {{
    the_case::Shape shape;
    int status = the_case::outputShape(values, i, &shape);
    TORCH_CHECK(status == 0, the_case::text(status));
    results.push_back(at::empty(at::IntArrayRef(shape.sizes, size_t(shape.ndim)), p{first}.options().dtype(typeOf(shape.dtype))));
    views[i] = view(results.back());
    pointers[i] = &views[i];
  }}
  int64_t bytes = 0;
  at::Tensor workspace;
  int status = the_case::workspace(values, &bytes);
  if (status == 0 && bytes > 0)
    workspace = at::empty({{bytes}}, p{first}.options().dtype(at::kByte));
  if (status == 0)
    status = the_case::call(values, pointers, c10::cuda::getCurrentCUDAStream().stream(), bytes > 0 ? workspace.mutable_data_ptr() : nullptr);
  TORCH_CHECK(status == 0, the_case::text(status));
  return results;
}}
{self.registration(kinds, taken)}"""

    def registration(self, kinds, taken):
        """The ways to the function `op`."""
        schema = ", ".join(f"{kind} p{i}" for i, kind in enumerate(kinds))
        passed = ", ".join(f"p{i}" for i in range(len(kinds)))
        signature = ", ".join(self.types[kind].strip() for kind in kinds)
        asks = " || ".join(f"p{i}.requires_grad()" for i, kind in enumerate(kinds) if kind == "Tensor")
        return f"""static at::Tensor one({taken}) {{ return op({passed})[0]; }}
static at::Tensor withoutDerivative({taken}) {{
  TORCH_CHECK(!(c10::GradMode::is_enabled() && ({asks})), "the operator has no derivative");
  return one({passed});
}}
static at::Tensor dispatched({taken}) {{
  static const auto handle =
      c10::Dispatcher::singleton().findSchemaOrThrow("{self.name}::op", "").typed<at::Tensor({signature})>();
  return handle.call({passed});
}}
TORCH_LIBRARY({self.name}, m) {{
  m.def("op({schema}) -> Tensor");
  m.def("fallback({schema}) -> Tensor");
}}
TORCH_LIBRARY_IMPL({self.name}, CUDA, m) {{
  m.impl("op", &one);
  m.impl("fallback", &one);
}}
TORCH_LIBRARY_IMPL({self.name}, AutogradCUDA, m) {{ m.impl("op", &withoutDerivative); }}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{
  m.def("binding", &one);
  m.def("dispatched", &dispatched);
}}
"""

    types = {"Tensor": "const at::Tensor &", "float": "double ", "int": "int64_t "}

    def kinds(self):
        """Of arguments, in the words of schemas."""
        return ["Tensor" if "DLTensor" in kind else "float" if "double" in kind else "int" for kind, _ in self.package.arguments]

    def codes(self):
        """DLPack's codes by torch's numbers of dtypes, in the order of c10/core/ScalarType.h."""
        order = ["ui8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", None, None, None, "bool", None, None, None, "bf16"]
        return ", ".join("{%d, %d}" % (DTYPES[name] if name else (255, 0)) for name in order)

    def measure(self, row, rounds):
        torch = self.torch
        values = []
        for _, name in self.package.arguments:
            value = row["args"][name if name in row["args"] else name.rstrip("_")]
            if isinstance(value, dict):
                value = torch.zeros(value["shape"], dtype=getattr(torch, TORCH_NAMES[value["dtype"]]), device="cuda")
            values.append(value)
        if any(value is None for value in values):
            return None
        first = next(value for value in values if isinstance(value, torch.Tensor))
        works = {way: functools.partial(call, *values) for way, call in self.ways.items()}
        works["add"] = functools.partial(torch.add, first, first)
        times, names = {name: [] for name in works}, list(works)
        shuffle = random.Random(0)
        for round_ in range(-3, rounds):
            shuffle.shuffle(names)
            for name in names:
                work = works[name]
                torch.cuda.synchronize()
                begin = time.perf_counter_ns()
                for _ in range(20):
                    work()
                spent = (time.perf_counter_ns() - begin) / 20e3
                if round_ >= 0:
                    times[name].append(spent)
        torch.cuda.synchronize()
        return times


def operator_of(package, program, options):
    if options.no_torch or not package.has_driver:
        return None
    try:
        return Operator(package, program)
    except Exception as error:  # Whatever torch's builder raises; the other figures do not need it.
        print(f"measure-calls: without torch: {str(error).splitlines()[0] if str(error) else error}", file=sys.stderr)
        return None


def measure(package, rows, options):
    rows = [row for row in rows if row["kernel"] == package.kernel and options.only in title(row)
            and count_bytes(row) <= options.most_mib << 20]
    if not rows:
        fail(f"no row is of `{package.kernel}`, has a name with `{options.only}`, and takes at most {options.most_mib} MiB")
    program = package.make()
    package.write("rows.txt", "".join(row_text(package, row) for row in rows))
    rows_file = os.path.join(package.build, "rows.txt")
    first = measure_first(program, rows_file, options.processes)
    report_first(package, first, options.processes)
    results = [{"package": package.kernel, "first_ns": first}]
    operator = operator_of(package, program, options)
    heading_steady(package)
    for row, line in zip(rows, lines_of(program, "steady", rows_file, str(options.rounds))):
        if operator:
            line["torch_us"] = operator.measure(row, min(options.rounds, 100))
        report_steady(line)
        results.append({"package": package.kernel, **line})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="+", help="folders that helion-aot wrote")
    parser.add_argument("--rows", action="append", help="corpora; utils/measure-gpu.jsonl where none is given")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--processes", type=int, default=20, help="fresh processes for first calls")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--most-mib", type=int, default=64, help="rows whose arguments take at most this")
    parser.add_argument("--no-torch", action="store_true", help="without the operator and torch.add")
    parser.add_argument("--build", help="the folder for what is built")
    parser.add_argument("--json", help="file to which each result is added as a line, with all times")
    options = parser.parse_args()
    rows = read_rows(options.rows or [os.path.join(HERE, "measure-gpu.jsonl")])
    load = os.getloadavg()[0]
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}; {options.rounds} rounds")
    for folder in options.packages:
        results = measure(Package(folder, options.build), rows, options)
        if options.json:
            with open(options.json, "a") as file:
                file.writelines(json.dumps(result) + "\n" for result in results)


if __name__ == "__main__":
    main()
