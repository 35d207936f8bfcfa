#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each room has a README.md of at most 40 lines that says what it owns, takes and gives, what it may include, and how to
add one more of what it holds.

Rooms are the top-level code folders and each folder with a row in utils/checks/layers.toml; the folders of tools/, which
hold one main each, are described by tools/README.md.
Use: utils/checks/readmes.py [--root DIR]
Example: utils/checks/readmes.py
"""
import tomllib

from tree import run

TOP = ["dialect", "passes", "codegen", "aot-runner", "tools", "test", "utils"]
WORDS = ["owns", "takes", "gives", "may include", "to add one"]
LIMIT = 40


def rooms(tree):
    rows = tomllib.loads(tree.text("utils/checks/layers.toml"))
    folders = {str(path.parent) for path in tree.files}
    return [room for room in TOP + sorted(rows) if room in folders and not room.startswith(("tools/", "test/"))]


def check(tree):
    for room in rooms(tree):
        readme = f"{room}/README.md"
        if not tree.exists(readme):
            yield readme, 1, f"`{room}` has no README.md"
            continue
        lines = tree.text(readme).rstrip("\n").split("\n")
        if len(lines) > LIMIT:
            yield readme, LIMIT + 1, f"{len(lines)} lines; the limit is {LIMIT}"
        text = " ".join(" ".join(lines).lower().split())
        for word in WORDS:
            if word not in text:
                yield readme, 1, f"does not say `{word}`"


if __name__ == "__main__":
    run(check, __doc__)
