# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the syntax tree of a Python file as JSON. Embedded into the frontend, which runs it as a child process.

Use: python3 -I -S -c "$(cat dump_ast.py)" kernel.py
Only `ast.parse` looks at the file; its code is never run. A node is an object with "node" (its class), "at" (line, column,
end line, end column; lines from 1, columns in bytes from 0) and its fields. A syntax error is {"error": {...}}.
"""
import ast
import json
import sys

sys.setrecursionlimit(20000)


def constant(value):
    if value is None or value is Ellipsis or isinstance(value, bool):
        return {"type": "word", "text": str(value)}
    if isinstance(value, (int, float, str)):
        return {"type": type(value).__name__, "text": value if isinstance(value, str) else repr(value)}
    return {"type": type(value).__name__, "text": ""}


def dump(value):
    if isinstance(value, list):
        return [dump(item) for item in value]
    if not isinstance(value, ast.AST):
        return value
    out = {"node": type(value).__name__}
    if hasattr(value, "lineno"):
        out["at"] = [value.lineno, value.col_offset, value.end_lineno, value.end_col_offset]
    if isinstance(value, ast.Constant):
        out["value"] = constant(value.value)
        return out
    for name in value._fields:
        if name not in ("ctx", "type_comment", "type_ignores", "kind"):
            out[name] = dump(getattr(value, name, None))
    return out


def main(path):
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = dump(ast.parse(source, path))
    except SyntaxError as error:
        tree = {"error": {"message": error.msg, "line": error.lineno or 1, "column": max(error.offset or 1, 1)}}
    except (ValueError, RecursionError, MemoryError) as error:
        tree = {"error": {"message": str(error) or "the file is nested too deeply", "line": 1, "column": 1}}
    json.dump(tree, sys.stdout)


main(sys.argv[1])
