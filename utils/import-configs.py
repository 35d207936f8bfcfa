#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the configs that a Helion checkout publishes for its pretuned kernels, and says which are legal here and why not.

Reads each `pretuned_kernels/NAME/_helion_aot_NAME_DEVICE.py` as text (nothing of it is run), takes its config dicts, imports
the kernel for the signature of a row of SIGNATURES, and gives each config to `helion-opt --helion-print-config` and to the passes of
the choices. Prints a table as Markdown; a kernel without a row or that does not import is listed with the reason.

Use: utils/import-configs.py CHECKOUT [--device cuda_sm90] [--target nvidia:sm_90a] [--tools build/bin]
Example: utils/import-configs.py ../helion
"""
import argparse
import ast
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What Helion's own benchmark of the kernel calls it with.
SIGNATURES = {
    "vector_add": "x=f32[?] y=f32[?]",
    "softmax": "x=bf16[?,?]",
    "rms_norm": "x=bf16[?,?] weight=bf16[?] eps=f32",
    "layer_norm": "x=bf16[?,?] weight=bf16[?] bias=bf16[?]",
    "cross_entropy": "logits=bf16[?,?] labels=i64[?]",
    "rope_fwd": "q=bf16[?,32,?,64] k=bf16[?,8,?,64] cos=bf16[?,?,64] sin=bf16[?,?,64]",
    "rope_bwd": "grad_q_out=bf16[?,32,?,64] grad_k_out=bf16[?,8,?,64] cos=bf16[?,?,64] sin=bf16[?,?,64]",
}


def configs_in(node, module, seen):
    """Config dicts that stand in the node, or in what it names at the file's top level."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Dict) and any(isinstance(key, ast.Constant) and key.value == "block_sizes" for key in inner.keys):
            yield ast.literal_eval(inner)
        elif isinstance(inner, ast.Name) and inner.id in module and inner.id not in seen:
            yield from configs_in(module[inner.id], module, seen | {inner.id})


def published(file):
    """Config dicts by kernel: those that its function `autotune_KERNEL` chooses from, each once."""
    module = {}
    for statement in ast.parse(file.read_text()).body:
        if isinstance(statement, ast.FunctionDef):
            module[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            module.update((target.id, statement.value) for target in statement.targets if isinstance(target, ast.Name))
    for name, node in module.items():
        if name.startswith("autotune_"):
            configs = {json.dumps(config): config for config in configs_in(node, module, {name})}
            yield name.removeprefix("autotune_"), list(configs.values())


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stdout, done.stderr


def first_error(text):
    lines = [line for line in text.splitlines() if "error: " in line]
    return lines[0].split("error: ", 1)[1] if lines else "no message"


def check_config(options, kernel_file, config, work):
    """`legal`, or the reason; with the keys that have no meaning here."""
    as_json = work / "config.json"
    as_json.write_text(json.dumps(config))
    opt = str(options.tools / "helion-opt")
    good, text, messages = run([opt, f"--helion-print-config=file={as_json} target={options.target}", str(kernel_file), "-o", "/dev/null"])
    ignored = [line.split("ignored ", 1)[1] for line in messages.splitlines() if "ignored " in line]
    if not good:
        return first_error(messages), ignored
    (work / "config.txt").write_text(text)
    config = text.strip()
    good, _, messages = run([opt, f"--pass-pipeline=builtin.module(helion-normalize,{config})", str(kernel_file), "-o", "/dev/null"])
    return ("legal" if good else first_error(messages)), ignored


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, help="folder of a Helion checkout")
    parser.add_argument("--device", default="cuda_sm90", help="ending of the published files (default: cuda_sm90)")
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/bin")
    options = parser.parse_args()
    files = sorted(options.checkout.glob(f"pretuned_kernels/*/_helion_aot_*_{options.device}.py"))
    if not files:
        print(f"import-configs.py: `{options.checkout}` has no pretuned_kernels/*/_helion_aot_*_{options.device}.py", file=sys.stderr)
        return 1
    print("| kernel | configs | legal | else |\n|---|---|---|---|")
    ignored = collections.Counter()
    legal = total = 0
    for file in files:
        source = file.parent / (file.parent.name + ".py")
        for kernel, configs in published(file):
            with tempfile.TemporaryDirectory() as folder:
                work = pathlib.Path(folder)
                if kernel not in SIGNATURES:
                    print(f"| `{kernel}` | {len(configs)} | - | no signature in this script |")
                    continue
                good, _, messages = run([str(options.tools / "helion-translate"), "--import-helion", str(source), "--kernel", kernel, "--args",
                                         SIGNATURES[kernel], "-o", str(work / "k.mlir")])
                if not good:
                    print(f"| `{kernel}` | {len(configs)} | - | not imported: {first_error(messages)} |")
                    continue
                reasons = collections.Counter()
                for config in configs:
                    reason, keys = check_config(options, work / "k.mlir", config, work)
                    reasons[reason] += 1
                    ignored.update(keys)
                legal, total = legal + reasons["legal"], total + len(configs)
                others = "; ".join(f"{count} x {reason}" for reason, count in reasons.items() if reason != "legal")
                print(f"| `{kernel}` | {len(configs)} | {reasons['legal']} | {others} |")
    print(f"\n{legal} of {total} configs of imported kernels are legal.")
    if ignored:
        print("\nSaid by the import of keys that have no meaning here:\n")
        for remark, count in ignored.most_common():
            print(f"- {remark} ({count} configs)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
