#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each room of the top level has a README.md of at most 40 lines that says what it owns, takes and gives, what it may
include and how to add one more of what it holds, and that names each of its folders. A folder's own README.md, where
there is one, obeys the same rules.

Use: utils/checks/readmes.py [--root DIR]
Example: utils/checks/readmes.py
"""
import re
import tomllib

from tree import run

ROOMS = ["dialect", "passes", "codegen", "aot-runner", "tools", "test", "utils"]
WORDS = ["owns", "takes", "gives", "may include", "to add"]
LIMIT = 40


def check_text(tree, readme):
    lines = tree.text(readme).rstrip("\n").split("\n")
    if len(lines) > LIMIT:
        yield readme, LIMIT + 1, f"{len(lines)} lines; the limit is {LIMIT}"
    text = " ".join(" ".join(lines).lower().split())
    for word in WORDS:
        if word not in text:
            yield readme, 1, f"does not say `{word}`"


def check(tree):
    folders = {str(path.parent) for path in tree.files}
    for room in ROOMS:
        readme = f"{room}/README.md"
        if not tree.exists(readme):
            yield readme, 1, f"`{room}` has no README.md"
            continue
        yield from check_text(tree, readme)
        below = {"/".join(folder.split("/")[:2]) for folder in folders if folder.startswith(room + "/")}
        for folder in sorted(below):
            if not re.search(rf"`({re.escape(room)}/)?{re.escape(folder[len(room) + 1:])}`", tree.text(readme)):
                yield readme, 1, f"does not name its folder `{folder}`"
    for row in tomllib.loads(tree.text("utils/checks/layers.toml")):
        if tree.exists(f"{row}/README.md"):
            yield from check_text(tree, f"{row}/README.md")


if __name__ == "__main__":
    run(check, __doc__)
