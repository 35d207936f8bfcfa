#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a package spec with one thing changed. Use: edit.py SPEC.json 'PYTHON STATEMENT ON spec'

In the statement, `s` is the first signature, `v` its first variant, `m` that variant's manifest.
"""
import json
import sys

spec = json.load(open(sys.argv[1]))
s = spec["signatures"][0]
v = s["variants"][0]
m = v["manifest"]
exec(sys.argv[2])
print(json.dumps(spec))
