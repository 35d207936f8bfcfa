#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files that are one line too long for utils/checks/size.py into a copy of the tree, beside some that just fit.

Use: plant-sizes.py TREE
Example: plant-sizes.py copied
"""
import pathlib
import sys

tree = pathlib.Path(sys.argv[1])


def write(path, lines):
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text("\n".join(lines) + "\n")


def function(head, length):
    """A function of `length` lines whose strings, comments and inner blocks hold braces."""
    tricky = ['  const char *text = "} not the end {{";', "  // } nor this", "  if (text) { text = R\"(}})\"; }"]
    return [f"{head} {{"] + tricky + ["  call('{', [&](int n) { return n; });"] * (length - 5) + ["}"]


sources = ["// }", "namespace helion {", "", "const int table[] = {1, 2, 3};"]
sources += function("static int freeFunction(int a, int b = int{2})", 61) + function("int shortFunction()", 60)
sources += ["struct Long {"] + function("  int method() const override", 61) + ["  int member = 0;", "};"]
sources += function("Long::Long(int a) : base(a), member{a}", 61)
sources += ["// filler"] * (604 - len(sources)) + ["} // namespace helion"]
write("passes/Long.cpp", sources)
write("dialect/IR/Long.h", ["// line"] * 301)
write("dialect/IR/Long.td", ["// line"] * 601)
write("dialect/IR/Fits.h", ["// line"] * 300)
write("tools/helion-long/helion-long.cpp", ["// line"] * 98 + ["int main() {", "  return 0;", "}"])
write("utils/long.py", ["def long_function():"] + ["    call()"] * 60)
