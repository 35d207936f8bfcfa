#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing is too long to be read at one sitting: functions 60 lines, .cpp/.td/.py 600, .h 300, a tool's main file 100.

C++ functions are found by their braces (a block at namespace or class level whose head has a parameter list), Python's
by its own parser. Exceptions, each with a reason, are in utils/checks/size-exceptions.txt.
Use: utils/checks/size.py [--root DIR]
Example: utils/checks/size.py
"""
import ast
import re

from tree import run

EXCEPTIONS = "utils/checks/size-exceptions.txt"
FUNCTION = 60
FILE = {".cpp": 600, ".c": 600, ".td": 600, ".py": 600, ".h": 300}
TOOL_MAIN = 100
# Comments, strings and character literals, which may hold braces. Raw strings first.
OPAQUE = re.compile(
    r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b|\bextern\s*$")
# A head is looked at from its last parameter list on: `f(int x) const override`, `C() : a(1), b{2}`, `-> T`.
NAME = re.compile(r"(~?\w+|operator\s*[^\s(]+)\s*\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def is_initializer(before):
    """Whether the brace after this text starts a value: `= {`, `f(a, {`, `member{` (a body has a blank before it)."""
    return before.rstrip().endswith(("=", ",", "(", "return")) or before.count("(") > before.count(")") or bool(
        re.search(r"[\w>\]]$", before))


def is_function(before):
    outside = re.sub(r"<[^<>]*>|\([^()]*\)", "", before)
    return "(" in before and not SCOPE.search(outside)


def cpp_functions(text):
    """Yields (name, first line, last line) of each outermost function body."""
    text = OPAQUE.sub(blank, text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    stack, head, body = [], 0, None
    for at, sign in ((m.start(), m.group(0)) for m in re.finditer(r"[{};]", text)):
        before, value = text[head:at], False
        if sign == "{":
            value = body is None and is_initializer(before)
            if body is None and not value and is_function(before):
                name = NAME.search(before)
                body = (len(stack), name.group(1) if name else "?", head + len(before) - len(before.lstrip()))
            stack.append(value)
        elif sign == "}" and stack:
            value = stack.pop()
            if body and len(stack) == body[0]:
                yield body[1], text.count("\n", 0, body[2]) + 1, text.count("\n", 0, at) + 1
                body = None
        if body is None and not value:
            head = at + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def sizes(tree):
    """Yields (path, key, line, length, limit): key is what an exception names."""
    for path in tree.files:
        text = None if "Inputs" in path.parts or path.suffix not in FILE else tree.text(path)
        if not text:
            continue
        tool = path.parts[0] == "tools" and path.suffix == ".cpp" and re.search(r"^int main\(", text, re.M)
        yield path, str(path), 1, text.count("\n"), TOOL_MAIN if tool else FILE[path.suffix]
        if path.suffix == ".py":
            functions = python_functions(text) if path.parts[0] != "examples" else []
        else:
            functions = cpp_functions(text) if path.suffix != ".td" else []
        for name, first, last in functions:
            yield path, f"{path}:{name}", first, last - first + 1, FUNCTION


def read_exceptions(tree):
    for number, line in enumerate(tree.lines(EXCEPTIONS) if tree.exists(EXCEPTIONS) else [], 1):
        if line.strip() and not line.startswith("#"):
            yield number, [field.strip() for field in line.split("|")]


def check(tree):
    allowed = {}
    for number, fields in read_exceptions(tree):
        if len(fields) != 3 or not fields[1].isdigit() or not fields[2]:
            yield EXCEPTIONS, number, "not of the form `path[:function] | limit | reason`"
        else:
            allowed[fields[0]] = (int(fields[1]), number)
    needed = set()
    for path, key, line, length, limit in sizes(tree):
        if length <= limit:
            continue
        needed.add(key)
        what = key[len(str(path)) + 1:]
        limit = allowed.get(key, (limit, 0))[0]
        if length > limit:
            yield path, line, f"{f'`{what}` has ' if what else ''}{length} lines; the limit is {limit}"
    for key, (_, number) in allowed.items():
        if key not in needed:
            yield EXCEPTIONS, number, f"`{key}` needs no exception"


if __name__ == "__main__":
    run(check, __doc__)
