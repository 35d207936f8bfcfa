# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each example under legal configs that are drawn with a fixed seed and cover the values of its choices.

Use: compile-examples.py CONFORMANCE_INPUTS WORK ptx|cubin CONFIGS MORE   CONFIGS each, MORE of three kernels, one of them with products
`ptx` hides the toolkit. Prints a line per kernel and a sum, and fails when a config is refused, an artifact lacks what it should have,
fewer than three in four artifacts of a kernel differ, or a folder of examples has no kernel here.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

INPUTS, WORK, KIND = sys.argv[1:4]
EXAMPLES = os.path.join(INPUTS, "..", "..", "..", "examples")
CONFIGS, MORE = map(int, sys.argv[4:])
sys.path.insert(0, INPUTS)
import conformance  # noqa: E402
import kernels  # noqa: E402

LARGER = ("matmul", "rms_norm", "softmax")
TARGET = {"ptx": "nvidia:sm_80", "cubin": "nvidia:sm_90a"}[KIND]
ENVIRONMENT = dict(os.environ, CUDA_HOME=os.path.join(WORK, "none")) if KIND == "ptx" else dict(os.environ)


def compiled(path, config, folder):
    """The manifest and the bytes; None where the config is refused."""
    done = subprocess.run(["helion-translate", "--emit-artifact", folder, path, "--target", TARGET, "--config", config],
                          capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        print(f"refused: {path} {config}: {done.stderr.strip().splitlines()[0]}", flush=True)
        return None
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    with open(os.path.join(folder, f"{manifest['kernel']}.{KIND}"), "rb") as file:
        return manifest, file.read()


def check(manifest, code):
    launches = [step for step in manifest["plan"]["steps"] if step["step"] == "launch"]
    assert launches and manifest["target"] == TARGET, manifest
    for step in launches:
        assert step["symbol"].encode() in code and step["threads"] % 32 == 0 and 32 <= step["threads"] <= 1024, step
    if KIND == "cubin":
        resources = manifest["resources"]
        assert code[:4] == b"\x7fELF" and 0 < resources["registers"] <= 255, resources
        return
    text = code.decode()
    assert re.search(rf"^\.target {TARGET.partition(':')[2]}$", text, re.M), "another target"
    assert text.count(".visible .entry") == len({step["symbol"] for step in launches}), "another number of kernels"
    assert ".extern .func" not in text, "a function without a body"


def one_kernel(key):
    dtype = "bf16" if key in ("matmul", "bmm", "attention", "attention_causal", "rope") else "f32"
    path = os.path.join(WORK, f"{key}.mlir")
    conformance.import_kernel(key, dtype, path)
    count, artifacts = 0, set()
    wanted = MORE if key in LARGER else CONFIGS
    for place, config in enumerate(conformance.draw_configs(path, wanted, 1, TARGET)):
        result = compiled(path, config, os.path.join(WORK, f"{key}-{place}"))
        if result:
            check(*result)
            count += 1
            artifacts.add(result[0]["object_hash"])
    isRight = count == wanted and len(artifacts) * 4 >= count * 3
    return isRight, f"{key} {dtype}: {count} compiled, {'distinct' if len(artifacts) * 4 >= count * 3 else len(artifacts)}"


def without_kernel():
    named = {kernel.example for kernel in kernels.KERNELS.values()}
    return [name for name in sorted(os.listdir(EXAMPLES)) if os.path.exists(os.path.join(EXAMPLES, name, name + ".py")) and name not in named]


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    right = []
    for isRight, line in pool.map(one_kernel, sorted(kernels.KERNELS)):
        print(line, flush=True)
        right.append(isRight)
missing = without_kernel()
print(f"{sum(right)} of {len(right)} kernels, examples without one: {missing}")
sys.exit(not all(right) or bool(missing))
