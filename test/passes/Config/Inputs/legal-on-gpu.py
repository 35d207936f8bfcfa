# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random and covering configs of products for a GPU: all are lowered, and some have rings.

Use: legal-on-gpu.py CONFIGS SEED WORK
"""
import os
import re
import subprocess
import sys

TARGET = "nvidia:sm_90a"
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "examples")
KERNELS = {"matmul": "x=bf16[?,?] y=bf16[?,?]", "bmm": "x=bf16[?,?,?] y=bf16[?,?,?]",
           "attention": "q=bf16[?,?,?,16] k=bf16[?,?,?,16] v=bf16[?,?,?,16]"}


def tool(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def main():
    count, seed, work = sys.argv[1:]
    for kernel, signature in KERNELS.items():
        path = os.path.join(work, kernel + ".mlir")
        source = os.path.join(EXAMPLES, kernel, kernel + ".py")
        tool("helion-translate", "--import-helion", source, "--kernel", kernel, "--args", signature, "-o", path)
        tool("helion-opt", "--helion-normalize", path, "-o", path)
        configs = []
        for cover in ("", " cover"):
            options = f"target={TARGET} samples={count} seed={seed}{cover}"
            configs += tool("helion-opt", f"--helion-print-config-space={options}", path, "-o", os.devnull).splitlines()
        rings = [config for config in configs if re.search(r"num_stages=loop\.\w+=[2-5]", config)]
        for config in configs:
            tool("helion-opt", path, f"--pass-pipeline=builtin.module(helion-normalize,{config},helion-lower{{target={TARGET}}})",
                 "-o", os.devnull)
        if not rings:
            sys.exit(f"{kernel}: none of {len(configs)} configs has a ring")
        print(f"{kernel}: {len(configs)} configs, {len(rings)} with rings, all lowered", flush=True)


if __name__ == "__main__":
    main()
