#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Includes point only the way utils/checks/layers.toml says, and rooms shared by all targets name no vendor.

Reports: an include of a folder that the includer's row does not name; a folder without a row; a row that names another
vendor, or a cycle of rows; a vendor's word in a shared room. CMake checks the same table when it links.
Use: utils/checks/layers.py [--root DIR]
Example: utils/checks/layers.py
"""
import re
import tomllib

from tree import run

TABLE = "utils/checks/layers.toml"
ROOMS = ("dialect", "passes", "codegen", "aot-runner", "tools", "test/Unit")
INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+"((?:dialect|passes|codegen|aot-runner|tools|test)/[^"]+)"')
VENDORS = ("NVIDIA", "AMD", "SPIRV", "CPU")
SHARED = ("dialect/IR/", "passes/", "codegen/Common/")
VENDOR_WORD = re.compile(
    r"\b(nvidia|nvvm|nvgpu|nvptx|cuda\w*|ptx(?:as)?|cubin|sm_\d+\w*|hopper|wgmma|mma_sync|ldmatrix|tma"
    r"|amd|amdgpu|rocdl|rocm|hip|hsaco|gfx\d+\w*|mfma|wmma|spirv|spir-v|vulkan|intel|avx\w*|x86\w*)\b", re.IGNORECASE)


def owner(path, table):
    """The folder of the table that a file lies in: the longest row that is a prefix of its path."""
    rows = [row for row in table if str(path).startswith(row + "/")]
    return max(rows, key=len, default=None)


def row_line(tree, row):
    return next((n for n, line in enumerate(tree.lines(TABLE), 1) if line.startswith(f'"{row}"')), 1)


def check_includes(tree, table):
    for path in tree.ending(".h", ".cpp", ".c", ".td", ".inc"):
        if not str(path).startswith(tuple(room + "/" for room in ROOMS)):
            continue
        mine = owner(path, table)
        if mine is None and len(path.parts) > 2:  # What lies in the room itself may include nothing of ours.
            yield path, 1, f"`{path.parent}` has no row in {TABLE}"
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            other = owner(match.group(1), table)
            if other is None:
                yield path, number, f"`{match.group(1)}` lies in no folder of {TABLE}"
            elif other != mine and other not in table.get(mine, []):
                yield path, number, f"`{mine or path}` includes `{other}`, which its row in {TABLE} does not name"


def check_table(tree, table):
    for row, uses in table.items():
        vendor = row.split("/")[1] if row.startswith("codegen/") else None
        for use in uses:
            if use not in table:
                yield TABLE, row_line(tree, row), f"`{row}` names `{use}`, which has no row"
            elif vendor in VENDORS and use.startswith("codegen/") and use.split("/")[1] in VENDORS:
                yield TABLE, row_line(tree, row), f"`{row}` names another vendor, `{use}`"
    settled = set()
    while True:
        ready = {row for row, uses in table.items() if row not in settled and not set(uses) & set(table) - settled}
        if not ready:
            break
        settled |= ready
    for row in sorted(set(table) - settled):
        yield TABLE, row_line(tree, row), f"`{row}` is part of, or uses, a cycle of rows"


def check_vendors(tree):
    for path in tree.ending(".h", ".cpp", ".td"):
        if not str(path).startswith(SHARED):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            word = VENDOR_WORD.search(line)
            if word:
                yield path, number, f"vendor's word `{word.group(0)}` in a room that all targets share"


def check(tree):
    table = tomllib.loads(tree.text(TABLE))
    yield from check_table(tree, table)
    yield from check_includes(tree, table)
    yield from check_vendors(tree)


if __name__ == "__main__":
    run(check, __doc__)
