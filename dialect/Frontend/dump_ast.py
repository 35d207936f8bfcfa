# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the syntax tree of a Python file as JSON. Embedded into the frontend, which runs it as a child process.

Use: python3 -I -S -c "$(cat dump_ast.py)" kernel.py
Only `ast.parse` looks at the file; its code is never run. A node is an object with "node" (its class), "at" (line, column,
end line, end column; lines from 1, columns in bytes from 0) and its fields. A syntax error is {"error": {...}}.
"""
import ast
import json
import sys

# Each level of nesting costs the reader of the JSON stack space too.
sys.setrecursionlimit(4000)


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


def failure(message, line=1, column=1):
    return json.dumps({"error": {"message": message, "line": line, "column": column}})


def main(path):
    with open(path, "rb") as file:
        source = file.read()
    try:
        text = json.dumps(dump(ast.parse(source, path)))
    except SyntaxError as error:
        text = failure(error.msg, error.lineno or 1, max(error.offset or 1, 1))
    except ValueError as error:
        text = failure(str(error))
    except (RecursionError, MemoryError):
        text = failure("the file is nested too deeply")
    print(text)


main(sys.argv[1])
