# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Config texts out of manifests that helion-aot made, replayed in fresh processes through every door: equal bytes.

Use: replay.py --plugin libHelionPlugin.so [--static DIR] [--examples softmax matmul] [--configs 2] [--work DIR]
helion-aot collects twice, with one job and with several, elsewhere; both journals must hold the same artifacts. Then the
kernel is imported again and each manifest's text is replayed by helion-opt, stock mlir-opt with the plugin, and (--static)
the self-contained helion-opt, each here and elsewhere: another folder, time zone, language and thread count. All print one
IR. helion-translate makes of that IR, and of the kernel and the text, the object and the manifest of the journal.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# Elsewhere: what a machine may change and a compiler must not see.
ENVIRONMENT = {"TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "HOME": "/", "COLUMNS": "40"}
KERNELS = {"long_sum_split": "long_sum", "softmax_online": "softmax", "attention_causal": "attention"}


class Doors:
    """Runs tools here or elsewhere; counts what was compared."""

    def __init__(self, options):
        self.work = os.path.abspath(options.work)
        self.elsewhere = os.path.join(self.work, "else where")
        os.makedirs(self.elsewhere, exist_ok=True)
        plugin = os.path.abspath(options.plugin)
        self.optimizers = {"helion-opt": ["helion-opt"],
                           "plugin": ["mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]}
        self.translators = {"helion-translate": ["helion-translate"]}
        if options.static:
            self.optimizers["static helion-opt"] = [os.path.join(options.static, "helion-opt")]
            self.translators["static helion-translate"] = [os.path.join(options.static, "helion-translate")]
        self.compared = 0

    def run(self, command, away=False):
        environment = dict(os.environ, **ENVIRONMENT) if away else None
        done = subprocess.run(command, capture_output=True, cwd=self.elsewhere if away else self.work, env=environment)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr.decode()}")
        return done.stdout

    def equal(self, what, got, want):
        self.compared += 1
        if got != want:
            sys.exit(f"{what}: {len(got)} bytes that differ from the {len(want)} expected")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_config(manifest):
    fields = json.loads(manifest)
    del fields["config"]
    return json.dumps(fields, sort_keys=True)


def signature_of(manifest):
    """The arguments as helion-translate takes them; sizes that the manifest fixes are in its facts."""
    fixed = {}
    for fact in manifest["facts"]:
        left, _, right = fact.partition(" == ")
        if ".size(" in left and right.isdigit():
            fixed[left] = right
    words = []
    for argument in manifest["arguments"]:
        name = argument["name"]
        if "none" in argument:
            words.append(f"{name}=none")
        elif "scalar" in argument:
            words.append(f"{name}={argument.get('value', argument['scalar'])}")
        else:
            sizes = [fixed.get(f"{name}.size({dim})", "?") for dim in range(argument["rank"])]
            words.append(f"{name}={argument['dtype']}[{','.join(sizes)}]")
    return " ".join(words)


def collect(doors, kernel, source, configs, away):
    """Hash -> manifest text and object of what helion-aot compiled."""
    run = os.path.join(doors.work, f"{kernel}-{'away' if away else 'here'}")
    corpus = os.path.join(os.path.dirname(source), "shapes.jsonl")
    rows = [row for row in open(corpus) if json.loads(row)["kernel"] == kernel][:2]
    small = os.path.join(doors.work, kernel + ".jsonl")
    with open(small, "w") as file:
        file.writelines(rows)
    doors.run(["helion-aot", source, "--kernel", kernel, "--corpus", small, "--phase", "collect", "-o", run + ".out",
               "--run-dir", run, "--pool", str(configs), "--jobs", "3" if away else "1", "--threads", "1"], away)
    with sqlite3.connect(os.path.join(run, "journal.sqlite")) as journal:
        return {hash: (manifest, bytes(object)) for hash, manifest, object in
                journal.execute("SELECT hash, manifest, object FROM artifact")}


def replay(doors, kernel, path, manifest, object):
    fields = json.loads(manifest)
    config, target = fields["config"], fields["target"]
    pipeline = f"--pass-pipeline=builtin.module(helion-normalize,{config},helion-lower{{target={target}}})"
    lowered = doors.run(["helion-opt", pipeline, path])
    for name, command in doors.optimizers.items():
        for away in (False, True):
            threads = ["--mlir-disable-threading"] if away else []
            given = os.path.relpath(path, doors.elsewhere) if away else path
            doors.equal(f"{kernel} by {name}: {config}", doors.run([*command, pipeline, *threads, given], away), lowered)
    file = os.path.join(doors.work, kernel + ".lowered.mlir")
    with open(file, "wb") as out:
        out.write(lowered)
    for name, command in doors.translators.items():
        for away in (False, True):
            folder = os.path.join(doors.elsewhere if away else doors.work, "artifact")
            doors.run([*command, "--emit-artifact", folder, file], away)
            what = f"{kernel} by {name}: {config}"
            doors.equal(f"object of {what}", read(os.path.join(folder, fields["kernel"] + ".o")), object)
            again = read(os.path.join(folder, "manifest.json")).decode()
            doors.equal(f"manifest of {what}", without_config(again), without_config(manifest))
            doors.run([*command, "--emit-artifact", folder, path, "--target", target, "--config", config], away)
            doors.equal(f"object by text of {what}", read(os.path.join(folder, fields["kernel"] + ".o")), object)
            again = read(os.path.join(folder, "manifest.json")).decode()
            doors.equal(f"manifest by text of {what}", again.strip(), manifest.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--static")
    parser.add_argument("--examples", nargs="+", default=["softmax", "matmul", "rms_norm_bwd"])
    parser.add_argument("--configs", type=int, default=2)
    parser.add_argument("--work", default="replay")
    options = parser.parse_args()
    doors = Doors(options)
    for kernel in options.examples:
        example = KERNELS.get(kernel, kernel)
        source = os.path.join(ROOT, "examples", example, example + ".py")
        here, away = (collect(doors, kernel, source, options.configs, there) for there in (False, True))
        doors.equal(f"artifacts of {kernel} with one job and several", here, away)
        if len(here) < options.configs:
            sys.exit(f"{kernel}: only {len(here)} artifacts; {options.configs} were asked for")
        path = os.path.join(doors.work, kernel + ".mlir")
        chosen = [here[hash] for hash in sorted(here)[: options.configs]]
        for manifest, object in chosen:
            signature = signature_of(json.loads(manifest))
            doors.run(["helion-translate", "--import-helion", source, "--kernel", kernel, "--args", signature, "-o", path])
            replay(doors, kernel, path, manifest, object)
        print(f"{kernel}: {len(chosen)} of {len(here)} manifests replayed by {', '.join([*doors.optimizers, *doors.translators])}", flush=True)
    print(f"{doors.compared} comparisons")


if __name__ == "__main__":
    main()
