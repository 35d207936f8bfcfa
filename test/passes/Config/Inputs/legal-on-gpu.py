# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random and covering configs of products and gathers for a GPU: all are lowered, and some of products have rings.

Use: legal-on-gpu.py CONFIGS SEED WORK
"""
import os
import re
import subprocess
import sys

TARGET = "nvidia:sm_90a"
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "..", "..", "examples")
# By label: the example and its signature.
PRODUCTS = {"matmul": ("matmul", "x=bf16[?,?] y=bf16[?,?]"), "bmm": ("bmm", "x=bf16[?,?,?] y=bf16[?,?,?]"),
            "attention": ("attention", "q=bf16[?,?,?,16] k=bf16[?,?,?,16] v=bf16[?,?,?,16]"),
            "tf32": ("matmul", "x=f32[?,?] y=f32[?,?]"), "constant": ("matmul", "x=f32[?,40] y=f32[40,?]"),
            "int8": ("int8_gemm", "x=i8[?,?] w=i8[?,?] x_scale=bf16[?] w_scale=bf16[?]")}
# Programs that stay may load ahead.
ROWS = {"softmax": "x=bf16[?,?]", "rms_norm": "x=bf16[?,?] w=bf16[?] eps=f32", "layer_norm": "x=f32[?,128] w=f32[128] bias=none eps=f32",
        "vector_add": "x=bf16[?] y=bf16[?]", "cross_entropy": "logits=f32[?,?] labels=i64[?]"}
# Few choices, so that as many draws have the largest blocks with the most warps.
GATHERS = {"gather": "ids=i32[?] w=bf16[?]", "masked_gather": "ids=i32[?] w=bf16[?]"}


def tool(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def lower_all(source, kernel, signature, count, seed, path):
    """The configs, all of which were lowered."""
    tool("helion-translate", "--import-helion", source, "--kernel", kernel, "--args", signature, "-o", path)
    tool("helion-opt", "--helion-normalize", path, "-o", path)
    configs = []
    for cover in ("", " cover"):
        options = f"target={TARGET} samples={count} seed={seed}{cover}"
        configs += tool("helion-opt", f"--helion-print-config-space={options}", path, "-o", os.devnull).splitlines()
    for config in configs:
        tool("helion-opt", path, f"--pass-pipeline=builtin.module(helion-normalize,{config},helion-lower{{target={TARGET}}})",
             "-o", os.devnull)
    return configs


def main():
    count, seed, work = sys.argv[1:]
    for label, (kernel, signature) in PRODUCTS.items():
        source, path = os.path.join(EXAMPLES, kernel, kernel + ".py"), os.path.join(work, label + ".mlir")
        configs = lower_all(source, kernel, signature, count, seed, path)
        rings = [config for config in configs if re.search(r"num_stages=loop\.\w+=[2-5]", config)]
        if not rings:
            sys.exit(f"{label}: none of {len(configs)} configs has a ring")
        print(f"{label}: {len(configs)} configs, {len(rings)} with rings, all lowered", flush=True)
    for kernel, signature in ROWS.items():
        source = os.path.join(EXAMPLES, kernel, kernel + ".py")
        configs = lower_all(source, kernel, signature, count, seed, os.path.join(work, kernel + ".mlir"))
        rings = [config for config in configs if re.search(rf"num_stages={kernel}=[2-5]", config)]
        if not rings:
            sys.exit(f"{kernel}: none of {len(configs)} configs has a ring")
        print(f"{kernel}: {len(configs)} configs, {len(rings)} with rings, all lowered", flush=True)
    for kernel, signature in GATHERS.items():
        configs = lower_all(os.path.join(HERE, "gathers.py"), kernel, signature, str(3 * int(count)), seed, os.path.join(work, kernel + ".mlir"))
        largest = [config for config in configs if re.search(r"block_sizes=bi=(16384|32768)\b", config)]
        print(f"{kernel}: {len(configs)} configs, {len(largest)} of 16384 lanes or more, all lowered", flush=True)


if __name__ == "__main__":
    main()
