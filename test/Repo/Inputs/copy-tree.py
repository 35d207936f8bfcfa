#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies the files of the tree (no build, no git) to a fresh folder, where a test plants a violation.

Use: copy-tree.py ROOT TARGET
Example: copy-tree.py . copied
"""
import pathlib
import shutil
import sys

root, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "utils" / "checks"))
from tree import Tree  # noqa: E402

shutil.rmtree(target, ignore_errors=True)
for path in Tree(root).files:
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(root / path, target / path)
