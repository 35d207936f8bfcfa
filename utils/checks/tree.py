# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of this folder share: the list of files that belong to the tree, and how findings are reported.

Use: from tree import Tree; each check is `def check(tree): yield file, line, text` and ends with `run(check, __doc__)`.
Example: see spdx.py
"""
import argparse
import pathlib
import subprocess
import sys

# What .gitignore names; used where the tree is a plain copy without git.
IGNORED = ("build", "out", "__pycache__", ".git")
# Kept as others ship it; no rule of ours applies.
VENDORED = ("aot-runner/runtime/dlpack.h",)


class Tree:
    """The files of one checkout (or plain copy), relative to its root, with their text."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(path for path in self._list() if (self.root / path).is_file() and str(path) not in VENDORED)

    def _list(self):
        if (self.root / ".git").exists():
            command = ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            listed = subprocess.run(command, capture_output=True, text=True)
            if listed.returncode == 0:
                return [pathlib.PurePosixPath(name) for name in listed.stdout.split("\0") if name]
        return self._walk(self.root)

    def _walk(self, folder):
        for path in folder.iterdir():
            if path.name in IGNORED or (folder == self.root and path.name.startswith("build")):
                continue
            if path.is_dir() and not path.is_symlink():
                yield from self._walk(path)
            else:
                yield pathlib.PurePosixPath(path.relative_to(self.root))

    def ending(self, *suffixes):
        return [path for path in self.files if path.suffix in suffixes]

    def text(self, path):
        """The text of a file; None for one that is not text (recorded inputs, pictures)."""
        data = (self.root / path).read_bytes()
        if b"\0" in data:
            return None
        return data.decode("utf-8", errors="replace")

    def lines(self, path):
        return (self.text(path) or "").split("\n")

    def exists(self, path):
        return (self.root / path).exists()


def run(check, purpose, fix=None):
    """Runs a check from the command line; prints `file:line: rule: text`, exits with 1 if it found something."""
    parser = argparse.ArgumentParser(description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).resolve().parent.parent.parent
    parser.add_argument("--root", default=default, help="the tree to look at (default: this one)")
    if fix:
        parser.add_argument("--fix", action="store_true", help="mend what can be mended instead of reporting it")
    args = parser.parse_args()
    tree = Tree(args.root)
    if fix and args.fix:
        fix(tree)
    rule = pathlib.Path(sys.argv[0]).stem
    findings = sorted(set((str(path), line, text) for path, line, text in check(tree)))
    for path, line, text in findings:
        print(f"{path}:{line}: {rule}: {text}")
    sys.exit(1 if findings else 0)
