#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths and links in Markdown exist.

Reports a relative link `[text](path)` without its file, and a path in backticks that starts with a folder of the top
level and is neither there nor a row of utils/checks/layers.toml. Paths with `<`, `*`, `{`, `$` or `...` are patterns.
A design record may be named by its number. Records are never edited, so only their links are checked.
Use: utils/checks/docs.py [--root DIR]
Example: utils/checks/docs.py
"""
import posixpath
import re
import tomllib

from tree import run

LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")
QUOTED = re.compile(r"`([^`\s]+)`")
TOP = ("dialect/", "passes/", "codegen/", "aot-runner/", "tools/", "test/", "utils/", "docs/", "examples/", ".ci/")


def check(tree):
    rows = tomllib.loads(tree.text("utils/checks/layers.toml"))
    for path in tree.ending(".md"):
        if "Inputs" in path.parts:
            continue
        fenced = False
        for number, line in enumerate(tree.lines(path), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if not fenced:
                yield from ((path, number, text) for text in problems(tree, rows, path, line))


def problems(tree, rows, path, line):
    for target in LINK.findall(line):
        if "://" in target or target.startswith("mailto:"):
            continue
        place = posixpath.normpath(posixpath.join(str(path.parent), target))
        if not tree.exists(place):
            yield f"dead link `{target}`"
    if str(path).startswith("docs/design/"):
        return
    for target in QUOTED.findall(line):
        target = target.rstrip(".,;:")
        is_path = target.startswith(TOP) and not re.search(r"[<>*{}$|]|\.\.\.", target)
        is_record = re.fullmatch(r"docs/design/\d{4}", target) and any(str(p).startswith(target) for p in tree.files)
        if is_path and target not in rows and not is_record and not tree.exists(target):
            yield f"path `{target}` does not exist"


if __name__ == "__main__":
    run(check, __doc__)
