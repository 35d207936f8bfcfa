#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs two builds of one tool on every .mlir file of a folder and compares status and both outputs, byte by byte.

Use: compare-tools.py TOOL OTHER FOLDER
Example: compare-tools.py helion-opt build-static/bin/helion-opt test/dialect/IR/forms
"""
import pathlib
import subprocess
import sys

tool, other, folder = sys.argv[1:]
files = sorted(pathlib.Path(folder).glob("*.mlir"))
different = [
    file.name for file in files
    if len({(done.returncode, done.stdout, done.stderr)
            for done in (subprocess.run([each, str(file)], capture_output=True) for each in (tool, other))}) != 1
]
print(f"{len(files)} files, different: {different}")
sys.exit(0 if files and not different else 1)
