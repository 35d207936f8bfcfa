#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the code that an NVIDIA target has for each f32 function on every f32 number, on a device, and compares with f64: the largest
error in units of the last place, and how many special values are wrong.

Use: utils/measure-device-math.py emit FOLDER [--chip sm_90a] [--build DIR]    Here: PTX of each function, and a cubin where ptxas is.
     FOLDER/measure-device-math.py run FOLDER [FUNCTION..]                     There: needs the driver, Python and torch.
Example: utils/measure-device-math.py emit ../math ; ../math/measure-device-math.py run ../math exp tanh
"""
import argparse
import ctypes
import os
import shutil
import subprocess
import sys

LLVM = "/usr/lib/llvm-22/bin"
THREADS, CHUNK = 256, 1 << 26
TINY, LARGEST = 2.0**-126, 3.4028234663852886e38
UNARY = ["exp", "exp2", "expm1", "tanh", "erf", "log", "log2", "log1p", "sqrt", "rsqrt"]
SHARED = "  %b = vector.broadcast %d : f32 to vector<4xf32>\n  %r = arith.divf %v, %b fastmath<arcp> : vector<4xf32>"
# A divisor that no two elements are known to share.
OWN = ("  %b = vector.broadcast %d : f32 to vector<4xf32>\n  %o = arith.mulf %b, %ones : vector<4xf32>\n"
       "  %r = arith.divf %v, %o fastmath<arcp> : vector<4xf32>")
SIGMOID = ("  %m = arith.negf %v : vector<4xf32>\n  %e = math.exp %m : vector<4xf32>\n  %s = arith.addf %e, %ones : vector<4xf32>\n"
           "  %r = arith.divf %ones, %s fastmath<arcp> : vector<4xf32>")
BODIES = {name: f"  %r = math.{name} %v : vector<4xf32>" for name in UNARY}
BODIES.update(shared=SHARED, own=OWN, sigmoid=SIGMOID)
# Where only few bits are wanted (docs/design/0021-functions-for-few-bits.md): 128 units are allowed.
FEW = "few_"
BODIES.update({FEW + name: BODIES[name].replace("%v :", "%v {helion.few_bits} :") for name in ("exp", "tanh", "erf")})
BODIES[FEW + "shared"] = SHARED.replace("arcp>", "arcp> {helion.few_bits}")
QUOTIENTS = ("shared", "own", FEW + "shared")
DIVISORS = [1.0, 3.0, -0.1, 7e-39, 1e-45, 1.1754944e-38, 3e38, 1.7e38, 0.0, float("inf"), float("nan")]


def text():
    functions = ""
    for name, body in BODIES.items():
        functions += f"""
func.func @k_{name}(%in: !llvm.ptr {{llvm.align = 16 : i64}}, %out: !llvm.ptr {{llvm.align = 16 : i64}}, %d: f32) attributes {{helion.entry, warps = {THREADS // 32} : i64}} {{
  %block = gpu.block_id x
  %thread = gpu.thread_id x upper_bound {THREADS}
  %size = arith.constant {THREADS} : index
  %first = arith.muli %block, %size : index
  %number = arith.addi %first, %thread : index
  %i = arith.index_cast %number : index to i64
  %ones = arith.constant dense<1.0> : vector<4xf32>
  %from = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
  %to = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
  %v = llvm.load %from {{alignment = 16 : i64}} : !llvm.ptr -> vector<4xf32>
{body}
  llvm.store %r, %to {{alignment = 16 : i64}} : vector<4xf32>, !llvm.ptr
  return
}}
"""
    return functions


def emit(options):
    os.makedirs(options.folder, exist_ok=True)
    at = lambda suffix: os.path.join(options.folder, "math." + suffix)  # noqa: E731
    with open(at("mlir"), "w") as file:
        file.write(text())
    target = ["-mtriple=nvptx64-nvidia-cuda", "-mcpu=" + options.chip]
    for command in ([f"{options.build}/bin/helion-opt", "--helion-lower-nvidia", at("mlir"), "-o", at("llvm.mlir")],
                    [f"{LLVM}/mlir-translate", "--mlir-to-llvmir", at("llvm.mlir"), "-o", at("ll")],
                    [f"{LLVM}/opt", "-O3", *target, at("ll"), "-o", at("bc")],
                    [f"{LLVM}/llc", "-O3", *target, at("bc"), "-o", at("ptx")]):
        subprocess.run(command, check=True)
    if shutil.which("ptxas"):
        subprocess.run(["ptxas", "-arch=" + options.chip, at("ptx"), "-o", at("cubin")], check=True)
    shutil.copy(os.path.abspath(__file__), options.folder)


class Device:
    def __init__(self, folder):
        self.library, self.module = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        names = [name for name in ("math.cubin", "math.ptx") if os.path.exists(os.path.join(folder, name))]
        with open(os.path.join(folder, names[0]), "rb") as file:
            image = file.read() + b"\0"
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            sys.exit(f"measure-device-math: {name} gives status {status}")

    def run(self, name, x, out, divisor):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, f"k_{name}".encode())
        words = [ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(out.data_ptr()), ctypes.c_float(divisor)]
        parameters = (ctypes.c_void_p * len(words))(*[ctypes.addressof(word) for word in words])
        self.call("cuLaunchKernel", function, x.numel() // 4 // THREADS, 1, 1, THREADS, 1, 1, 0, None, parameters, None)
        self.call("cuCtxSynchronize")


def divisors(name):
    """A quotient of few bits has no divisor below the normal numbers."""
    if name not in QUOTIENTS:
        return [1.0]
    return [divisor for divisor in DIVISORS if not (name.startswith(FEW) and 0 < abs(divisor) < TINY)]


def exact(torch, name, x, divisor):
    if name in QUOTIENTS:
        return x / torch.tensor(divisor, dtype=torch.float32, device="cuda").double()
    return getattr(torch, name.removeprefix(FEW))(x)


def compare(torch, got, value):
    """Error in units, its index; counts of wrong special values and of zeros for results that are not much above the least normal number."""
    rounded = value.float()
    isSpecial = ~torch.isfinite(rounded) | (value == 0)
    same = (torch.isnan(got) & torch.isnan(rounded)) | ((got == rounded) & (torch.signbit(got) == torch.signbit(rounded)))
    edge = torch.isfinite(value) & (value.abs() > 3.40282e38) & (got.abs() > 3.40282e38)
    wrong = (isSpecial & ~same & ~edge).sum().item()
    flushed = (got == 0) & ~isSpecial & (value.abs() < 1.00002 * TINY)
    exponent = torch.frexp(value.abs().clamp(min=TINY))[1]
    unit = torch.ldexp(torch.ones_like(value), exponent - 24)
    error = torch.where(isSpecial | edge | flushed, torch.zeros_like(value), (got.double() - value).abs() / unit)
    error = torch.where(torch.isnan(error), torch.full_like(error, float("inf")), error)
    worst, index = error.max(0)
    return worst.item(), index.item(), wrong, flushed.sum().item()


def measure(torch, device, name, divisor):
    worst, at, wrongs, zeros = 0.0, None, 0, 0
    for start in range(-(1 << 31), 1 << 31, CHUNK):
        x = torch.arange(start, start + CHUNK, dtype=torch.int64, device="cuda").to(torch.int32).view(torch.float32)
        out = torch.full_like(x, 7)
        torch.cuda.synchronize()
        device.run(name, x, out, divisor)
        error, index, wrong, flushed = compare(torch, out, exact(torch, name, x.double(), divisor))
        if error > worst:
            worst, at = error, (x[index].item(), out[index].item())
        wrongs, zeros = wrongs + wrong, zeros + flushed
    label = f"{name} by {divisor:g}" if name in QUOTIENTS else name
    print(f"| {label} | {worst:.3f} | {at} | {wrongs} | {zeros} |", flush=True)
    return wrongs == 0


def run(options):
    import torch  # Not where code is emitted.

    torch.zeros(1, device="cuda")
    device = Device(options.folder)
    print(f"{torch.cuda.get_device_name()}\n| function | largest error, units | at (x, result) | wrong special values | zeros for denormals |\n"
          "|---|---|---|---|---|")
    right = True
    for name in options.functions or BODIES:
        for divisor in divisors(name):
            right &= measure(torch, device, name, divisor)
    sys.exit(0 if right else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["emit", "run"])
    parser.add_argument("folder")
    parser.add_argument("functions", nargs="*", help=f"of {', '.join(BODIES)}; all when none is named")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build"))
    options = parser.parse_args()
    unknown = sorted(set(options.functions) - set(BODIES))
    if unknown:
        parser.error(f"`{unknown[0]}` is no function; known are {', '.join(BODIES)}")
    {"emit": emit, "run": run}[options.what](options)


if __name__ == "__main__":
    main()
