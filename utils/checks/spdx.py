#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each source starts with the SPDX line (scripts: after `#!`), and C++ and TableGen sources then say what they own; a
`.cpp` with a header of the same name beside it says it there.

Use: utils/checks/spdx.py [--root DIR]
Example: utils/checks/spdx.py
"""
from tree import run

ID = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
COMMENT = {".cpp": "//", ".h": "//", ".c": "//", ".td": "//", ".py": "#", ".sh": "#", ".cmake": "#", ".toml": "#"}


def wants(tree, path):
    """The comment sign of a file that needs the line, else None. Inputs of tests may be anything."""
    if "Inputs" in path.parts or path.suffix == ".md":
        return None
    if path.name == "CMakeLists.txt" or path.name in (".clang-format", ".clang-tidy"):
        return "#"
    if path.suffix in COMMENT:
        return COMMENT[path.suffix]
    return "#" if tree.lines(path)[0].startswith("#!") else None


def has_header(tree, path):
    return path.suffix == ".cpp" and tree.exists(path.with_suffix(".h"))


def check(tree):
    for path in tree.files:
        sign = wants(tree, path)
        if not sign:
            continue
        lines = tree.lines(path)
        at = 1 if lines[0].startswith("#!") else 0
        says_purpose = len(lines) >= at + 3 and lines[at + 1].strip() == sign and len(lines[at + 2]) >= 10
        if len(lines) <= at or lines[at] != f"{sign} {ID}":
            yield path, at + 1, f"the first line is not `{sign} {ID}`"
        elif sign == "//" and not has_header(tree, path) and not says_purpose:
            yield path, at + 2, "no `//` line and then a sentence on what this file owns after the SPDX line"


if __name__ == "__main__":
    run(check, __doc__)
