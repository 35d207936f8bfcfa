#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the lit suite (the gtest binaries are part of it) and sums it up in one line.

Prints what failed with its output, each skipped test with what it misses, and at the end
`N passed, N failed, N skipped`. Exits with 0 only if something passed and nothing failed. `utils/test.sh` and the
target check-helion come here; a single folder is quicker with `lit-22 -v test/dialect/IR`.

Use: utils/run-tests.py [--build DIR] [--full] [--static-build DIR] [TEST ...]
Example: utils/run-tests.py --build build test/Repo
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"
# lit's result codes; one that is not listed counts as failed.
PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build tree (default: build/)")
    parser.add_argument("--full", action="store_true", help="draw the large counts")
    parser.add_argument("--static-build", type=pathlib.Path, help="build tree with the self-contained tools")
    parser.add_argument("tests", nargs="*", default=[str(ROOT / "test")], help="files or folders (default: test/)")
    return parser.parse_args()


def run_lit(args, report):
    command = ["/usr/bin/python3", LIT, "-v", "--print-result-after=failed", "-o", str(report)]
    command += ["--param", f"build={args.build.resolve()}"]
    if args.full:
        command += ["--param", "full=1"]
    if args.static_build:
        command += ["--param", f"static_build={args.static_build.resolve()}"]
    report.unlink(missing_ok=True)
    status = subprocess.run(command + args.tests).returncode
    if not report.exists():
        print(f"run-tests.py: lit ended with {status} before it ran a test", file=sys.stderr)
        return []
    return json.loads(report.read_text())["tests"]


def missing_features(test):
    found = re.search(r"unavailable features: (.*)|unsupported features: (.*)", test["output"])
    return (found.group(1) or found.group(2)).strip() if found else test["output"].strip() or test["code"]


def main():
    args = parse_arguments()
    tests = run_lit(args, args.build / "test-results.json")
    passed = [test for test in tests if test["code"] in PASSED]
    skipped = [test for test in tests if test["code"] in SKIPPED]
    failed = [test for test in tests if test not in passed and test not in skipped]
    for test in sorted(skipped, key=lambda test: test["name"]):
        print(f"skipped: {test['name']}: needs {missing_features(test)}")
    for test in sorted(failed, key=lambda test: test["name"]):
        print(f"failed: {test['name']}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
