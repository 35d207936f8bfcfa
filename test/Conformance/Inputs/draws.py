# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws configs of a kernel, then again from a tool that prints nothing, leaves one out, or prints the same one always.

Use: draws.py FILE
"""
import sys

import conformance

COUNT = 100


def draw(change):
    real = conformance.tool

    def changed(*command):
        text = real(*command)
        return "\n".join(change(text.splitlines())) if "samples=" in command[1] else text

    conformance.tool = changed
    try:
        configs = conformance.draw_configs(sys.argv[1], COUNT, 1, "")
        print(f"{len(configs)} draws, {len(set(configs))} configs")
    except RuntimeError as error:
        print(error)
    finally:
        conformance.tool = real


for change in (lambda lines: lines, lambda lines: [], lambda lines: lines[1:], lambda lines: lines[:1] * COUNT):
    draw(change)
