# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Legal configs of one kernel that cover the values of its choices, compiled for one target and compared with numpy and the
interpreter on hard calls. Every second call's inputs end at a page that may not be read.

Where accesses are a choice, whose values rely on facts, the universal config is among them.

Use: conformance.py KERNEL [--dtype f32] [--configs 20] [--seed 1] [--target cpu:native] [--work DIR] [--carry]
With --carry nothing runs here: DIR keeps the artifacts and what the interpreter says, for carried.py on a machine with the device.
Prints one line per config and a summary. A config may need more of the device than it has, and is then refused. Fails on a wrong value, a crash, a byte outside the buffers, a config that does not
compile, fewer distinct artifacts than three in four configs (of a space of that size), a value of a choice that no config
has although there is place for it, and a call that no config may serve.
"""
import argparse
import ctypes
import dataclasses
import hashlib
import json
import mmap
import multiprocessing
import os
import subprocess
import sys

import numpy

import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "test", "codegen", "Driver", "Inputs"))
import run_artifact  # noqa: E402

# Half a unit in the last place of 1, and the least step of the type.
ROUNDING = {"f32": (2.0 ** -24, 2.0 ** -149), "f16": (2.0 ** -11, 2.0 ** -24), "bf16": (2.0 ** -8, 2.0 ** -133)}


class Refused(RuntimeError):
    """The second kind of legality: what a config needs of the device is known only after compilation."""


# Of the messages of codegen.
LIMITS = ("bytes of shared memory; at most", "threads; at most", "; 1 is allowed")


def tool(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and any(limit in done.stderr for limit in LIMITS):
        raise Refused(done.stderr.strip().splitlines()[0])
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr}")
    return done.stdout


# Types.


def dtypes_of(signature):
    """Name -> type of each tensor and scalar of a signature."""
    pairs = (word.split("=") for word in signature.split())
    return {name: kind.split("[")[0] for name, kind in pairs}


def is_compact(array):
    """Row-major without gaps; numpy's own flag does not look at the strides of dims of one element."""
    return array.strides == numpy.empty(array.shape, array.dtype).strides


def held_as(array, dtype):
    """What the kernel gets: the values rounded to the type, with the strides of `array`."""
    if dtype == "bf16":
        rounded = run_artifact.bfloat16(array.astype(numpy.float32))
    else:
        with numpy.errstate(over="ignore"):
            rounded = array.astype(run_artifact.NUMPY[dtype])
    if is_compact(array) or array.size == 0:
        return numpy.ascontiguousarray(rounded)
    # The same steps in elements, so that views stay views.
    steps = [stride // array.itemsize for stride in array.strides]
    low = sum(min(step * (size - 1), 0) for step, size in zip(steps, array.shape))
    high = sum(max(step * (size - 1), 0) for step, size in zip(steps, array.shape))
    buffer = numpy.zeros(high - low + 1, rounded.dtype)
    view = numpy.lib.stride_tricks.as_strided(buffer[-low:], array.shape, [step * buffer.itemsize for step in steps])
    view[...] = rounded
    return view


def before_a_wall(array):
    """A copy that ends where a page begins that nobody may touch: a byte read past the end is a crash. It is aligned to its
    elements only."""
    page = mmap.PAGESIZE
    room = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, room + page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    no_access = 0
    if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(address + room), ctypes.c_size_t(page), no_access):
        sys.exit(f"mprotect: {os.strerror(ctypes.get_errno())}")
    copy = numpy.frombuffer(memory, array.dtype, array.size, room - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy


def wide(array, dtype):
    """The values as float64; integers stay as they are."""
    if dtype == "bf16":
        return run_artifact.float32(array.view(numpy.uint16)).astype(numpy.float64)
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


class Call:
    """One call: what the kernel gets, what numpy says, and what the interpreter says once `interpret` ran."""

    def __init__(self, kernel, label, arguments, dtypes, walled):
        self.label, self.dtypes = label, dtypes
        self.given = {name: held_as(value, dtypes[name]) if isinstance(value, numpy.ndarray) else value
                      for name, value in arguments.items()}
        for name, value in self.given.items():
            if walled and isinstance(value, numpy.ndarray) and value.size and is_compact(value):
                self.given[name] = before_a_wall(value)
        seen = {name: wide(value, dtypes[name]) if isinstance(value, numpy.ndarray) else value
                for name, value in self.given.items()}
        with numpy.errstate(all="ignore"):
            results = [result if isinstance(result, tuple) else (result, result) for result in kernel.reference(**seen)]
        self.oracles = {"numpy": [numpy.asarray(value) for value, _ in results]}
        self.sizes = [numpy.asarray(size) for _, size in results]

    def interpret(self, path, work, output_dtypes):
        command = ["helion-run", "--interpret", path]
        for name, value in self.given.items():
            if isinstance(value, numpy.ndarray):
                file = os.path.join(work, f"in-{name}.npy")
                raw = numpy.ascontiguousarray(value)
                numpy.save(file, raw.view("V2") if self.dtypes[name] == "bf16" else raw)
                command += ["--arg", f"{name}={file}"]
                command += ["--dtype", f"{name}=bf16"] if self.dtypes[name] == "bf16" else []
            elif value is not None:
                command += ["--arg", f"{name}={value}"]
        files = [os.path.join(work, f"out-{i}.npy") for i in range(len(output_dtypes))]
        tool(*command, "--out", ",".join(files))
        self.oracles["interpreter"] = [wide(numpy.load(file), dtype) for file, dtype in zip(files, output_dtypes)]


# Comparing.


def on_target(kernel, dtype, target):
    """The kernel with what matrix instructions of the target add to its error; CPUs have none that round operands."""
    rounds = dtype == "f32" and not target.startswith("cpu:")
    return dataclasses.replace(kernel, tolerance=kernel.tolerance + kernel.dots) if rounds else kernel


def bounds(want, size, dtype, kernel, roundings):
    """What a result may be: the value in the result's type, where that is finite, and how far off it may be there. NaN and
    infinities must stand at equal places; other values may be off by roundings to the result's type and by the kernel's own
    error against the largest `size` of the row."""
    relative, least = ROUNDING.get(dtype, (0, 0))
    with numpy.errstate(all="ignore"):
        held = wide(held_as(numpy.asarray(want, numpy.float64), dtype), dtype) if dtype in ROUNDING else want
        finite = numpy.isfinite(held) & numpy.isfinite(want)
        scale = numpy.abs(numpy.where(finite, size, 0)).max(axis=-1, keepdims=True, initial=0)
        own = kernel.tolerance + (kernel.narrow * relative if dtype != "f32" else 0)
        return held, finite, own * scale + roundings * (relative * numpy.abs(want) + least)


def difference(got, want, size, dtype, kernel, roundings):
    """None, or what differs first."""
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if got.size == 0:
        return None
    held, finite, allowed = bounds(want, size, dtype, kernel, roundings)
    with numpy.errstate(all="ignore"):
        right = numpy.where(finite, numpy.abs(got - want) <= allowed, (got == held) | (numpy.isnan(got) & numpy.isnan(held)))
    if right.all():
        return None
    place = tuple(int(i) for i in numpy.argwhere(~right)[0])
    return f"at {list(place)}: {got[place]!r}, not {want[place]!r}; {int((~right).sum())} of {right.size} differ"


def check_interpreter(path, calls, kernel, work, output_dtypes):
    """The oracle and numpy agree before anything is compared with them."""
    for call in calls:
        call.interpret(path, work, output_dtypes)
        for got, want, size, dtype in zip(call.oracles["interpreter"], call.oracles["numpy"], call.sizes, output_dtypes):
            wrong = difference(got, want, size, dtype, kernel, 1)
            if wrong:
                sys.exit(f"{call.label}: interpreter against numpy: {wrong}")


def check_artifact(folder, calls, kernel):
    """The labels of the calls that were served, and the first wrong value."""
    artifact, served = run_artifact.load(folder), []
    output_dtypes = [output["dtype"] for output in artifact.manifest["plan"]["outputs"]]
    for call in calls:
        if not artifact.legal(**call.given):
            continue
        served.append(call.label)
        outputs = artifact.run(**call.given)
        for (name, got), dtype, place in zip(outputs.items(), output_dtypes, range(len(outputs))):
            # Numpy is exact, so one rounding lies between; the interpreter has its own.
            for roundings, (oracle, wants) in enumerate(call.oracles.items(), 1):
                wrong = difference(wide(got, dtype), wants[place], call.sizes[place], dtype, kernel, roundings)
                if wrong:
                    return served, f"{call.label}: {name} against {oracle}: {wrong}"
    return served, None


def isolated(function, *arguments):
    """Calls it in a child, so that a crash is a result like others."""
    def run(pipe):
        try:
            pipe.send(function(*arguments))
        except Exception as error:
            pipe.send(([], f"{type(error).__name__}: {error}"))

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(False)
    child = context.Process(target=run, args=(theirs,))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        child.join()
        return [], f"ended with {child.exitcode}"
    finally:
        child.join()


# Configs.


def import_kernel(key, dtype, path):
    kernel = kernels.KERNELS[key]
    source = os.path.join(ROOT, "examples", kernel.example, kernel.example + ".py")
    signature = kernel.signature.format(t=dtype)
    tool("helion-translate", "--import-helion", source, "--kernel", kernel.name or key, "--args", signature, "-o", path)
    tool("helion-opt", "--helion-normalize", path, "-o", path)
    return kernel, dtypes_of(signature)


def space_of(path, target):
    return json.loads(tool("helion-opt", f"--helion-print-config-space=target={target}", path, "-o", os.devnull))


def draw_configs(path, count, seed, target):
    """`count` config texts, different from each other as far as the space has so many."""
    options = f"target={target} samples={count} seed={seed} cover"
    configs = tool("helion-opt", f"--helion-print-config-space={options}", path, "-o", os.devnull).splitlines()
    if len(configs) != count:
        raise RuntimeError(f"{len(configs)} configs drawn, not {count}: {path} for {target}")
    distinct = len(set(configs))
    if distinct < count and distinct < (size := space_of(path, target)["size"]):
        raise RuntimeError(f"{count} draws gave {distinct} configs of {size}: {path} for {target}")
    return configs


def values_in(config, choice):
    """What a config text says of a choice."""
    text = str(choice["default"]).replace(" ", "").lower()
    for name_of_pass in split_outside(config, ",", "{}"):
        options = name_of_pass.partition("{")[2].rstrip("}")
        for option in filter(None, options.split(" ")):
            key, _, entries = option.partition("=")
            for entry in split_outside(entries, ",", "[]"):
                site, _, value = entry.partition("=")
                if (key, site) == (choice["knob"], choice["site"]):
                    text = value or "true"
    return text


def split_outside(text, mark, brackets):
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == brackets[0]) - (letter == brackets[1])
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def values_missing(space, configs, most=None):
    """Values that no config has, of choices with at most so many values."""
    missing = []
    for choice in space["choices"]:
        values = {str(value).replace(" ", "").lower() for value in choice["values"]}
        if most is None or len(values) <= most:
            seen = {values_in(config, choice) for config in configs}
            missing += [f"{choice['knob']}={choice['site']}={value}" for value in sorted(values - seen)]
    return missing


def compile_config(path, config, target, folder):
    pipeline = f"builtin.module(helion-normalize,{config},helion-lower{{target={target}}})"
    tool("helion-opt", path, f"--pass-pipeline={pipeline}", "-o", folder + ".mlir")
    tool("helion-translate", "--emit-artifact", folder, folder + ".mlir")


def artifact_name(folder):
    """Two artifacts are one if all but the config and the toolchain is equal (docs/design/0002)."""
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    del manifest["config"], manifest["toolchain"]
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def carry(calls, configs, missing, options):
    """What carried.py needs beside the artifacts; it makes the calls again. `missing`: numbers of configs without one."""
    for number, call in enumerate(calls):
        name = f"{options.kernel}-{options.dtype}-call-{number}.npz"
        numpy.savez_compressed(os.path.join(options.work, name), *call.oracles["interpreter"])
    with open(os.path.join(options.work, f"{options.kernel}-{options.dtype}.json"), "w") as file:
        json.dump({"kernel": options.kernel, "dtype": options.dtype, "target": options.target, "configs": configs,
                   "missing": missing}, file)


def check_configs(path, configs, calls, kernel, options):
    served, names, wrongs, refused, missing = set(), set(), [], 0, []
    for number, config in enumerate(configs):
        folder = f"{path.removesuffix('.mlir')}-{number}"
        try:
            compile_config(path, config, options.target, folder)
            names.add(artifact_name(folder))
            everything = [call.label for call in calls], None
            labels, wrong = everything if options.carry else isolated(check_artifact, folder, calls, kernel)
            served.update(labels)
        except Refused as error:
            refused += 1
            missing.append(number)
            print(f"refused {config} {error}", flush=True)
            continue
        except RuntimeError as error:
            wrong = str(error)
            missing.append(number)
        wrongs += [wrong] if wrong else []
        print(f"{'wrong' if wrong else 'right'} {config}{' ' + wrong if wrong else ''}", flush=True)
    if options.carry:
        carry(calls, configs, missing, options)
    return served, names, wrongs, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=sorted(kernels.KERNELS))
    parser.add_argument("--dtype", default="f32", choices=sorted(ROUNDING))
    parser.add_argument("--configs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="cpu:native")
    parser.add_argument("--work", default="conformance")
    parser.add_argument("--carry", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    label = f"{options.kernel} {options.dtype}"
    path = os.path.join(options.work, label.replace(" ", "-") + ".mlir")
    kernel, dtypes = import_kernel(options.kernel, options.dtype, path)
    kernel = on_target(kernel, options.dtype, options.target)
    calls = [Call(kernel, name, arguments, dtypes, number % 2 == 1) for number, (name, arguments) in enumerate(kernel.calls())]
    space = space_of(path, options.target)
    configs = draw_configs(path, options.configs, options.seed, options.target)
    # Where accesses are a choice few drawn configs serve calls of odd sizes and strides.
    if "indexing" in {choice["knob"] for choice in space["choices"]} and space["universal"] not in configs:
        configs.append(space["universal"])
    compile_config(path, configs[0], options.target, path + ".first")
    with open(os.path.join(path + ".first", "manifest.json")) as file:
        outputs = json.load(file)["plan"]["outputs"]
    check_interpreter(path, calls, kernel, options.work, [output["dtype"] for output in outputs])
    served, names, wrongs, refused = check_configs(path, configs, calls, kernel, options)
    missing = sorted({call.label for call in calls} - served)
    lacking = values_missing(space, configs, len(configs) // 2)
    enough = refused * 2 <= len(configs) and len(names) * 4 >= min(len(configs) - refused, space["size"]) * 3
    small = f", the space has only {space['size']}" if space["size"] < len(configs) else ""
    print(f"{label}: {len(configs)} configs{small}, {len(names)} distinct artifacts, {len(wrongs)} wrong, {f'{refused} refused, ' if refused else ''}{len(calls)} calls, "
          f"not served: {missing}, values not drawn: {lacking}")
    sys.exit(1 if wrongs or missing or lacking or not enough else 0)


if __name__ == "__main__":
    main()
