# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what `conformance.py --carry` left in folders on this machine's NVIDIA GPU. Needs the driver, Python and numpy.

Use: carried.py DIR.. ; prints one line per wrong config and one per kernel, fails when something is wrong or never served.
"""
import importlib
import json
import os
import sys

import numpy

import conformance
import cuda_artifact
import kernels


def check(folder, record):
    """Each config in a child, so that an error that stays with the device ends nothing else."""
    with open(os.path.join(folder, record)) as file:
        carried = json.load(file)
    importlib.reload(kernels)  # Random numbers from the start, as in a process of its own.
    kernel = conformance.on_target(kernels.KERNELS[carried["kernel"]], carried["dtype"], carried["target"])
    label = f"{carried['kernel']}-{carried['dtype']}"
    dtypes = conformance.dtypes_of(kernel.signature.format(t=carried["dtype"]))
    calls = [conformance.Call(kernel, name, arguments, dtypes, False) for name, arguments in kernel.calls()]
    for number, call in enumerate(calls):
        with numpy.load(os.path.join(folder, f"{label}-call-{number}.npz")) as saved:
            call.oracles["interpreter"] = [saved[name] for name in saved.files]
    served, wrongs, count = set(), 0, 0
    for number, config in enumerate(carried["configs"]):
        artifact = os.path.join(folder, f"{label}-{number}")
        if number in carried["missing"]:
            continue
        count += 1
        labels, wrong = conformance.isolated(conformance.check_artifact, artifact, calls, kernel)
        served.update(labels)
        if wrong:
            wrongs += 1
            print(f"wrong {config} {wrong}", flush=True)
    missing = sorted({call.label for call in calls} - served)
    print(f"{label}: {count} configs, {len(carried['missing'])} that did not compile, {wrongs} wrong, {len(calls)} calls, not served: {missing}", flush=True)
    return wrongs == 0 and not missing


def main():
    conformance.run_artifact.load = cuda_artifact.load
    results = [check(folder, record) for folder in sys.argv[1:] for record in sorted(os.listdir(folder))
               if record.endswith(".json")]
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
