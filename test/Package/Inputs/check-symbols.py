#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names a package's symbols that could meet another package's, or that older systems lack.

Use: check-symbols.py static ARCHIVE KERNEL        defined symbols must carry the kernel's name
     check-symbols.py shared LIBRARY KERNEL        only the C ABI is exported, nothing of C++ is needed, GLIBC <= 2.28
Prints each offender; exits with 1 if there is one. Otherwise prints how many symbols were seen.
"""
import re
import subprocess
import sys

form, path, kernel = sys.argv[1:]
ABI = [kernel] + [kernel + "_" + name for name in (
    "abi", "choose", "explain", "output_shape", "prepare", "set_threads", "strerror", "unload", "variants", "workspace")]


def symbols(*options):
    listed = subprocess.run(["nm", *options, path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in listed.splitlines() if line and not line.endswith(":")]


if form == "static":
    seen = symbols("--extern-only", "--defined-only")
    mine = re.compile(rf"({kernel}(_|$)|_ZNK?\d+{kernel}_runtime_v\d)")
    wrong = [f"defines {name}" for name in seen if not mine.match(name)]
else:
    seen = symbols("-D", "--extern-only", "--defined-only")
    wrong = [f"exports {name}" for name in seen if name not in ABI]
    wrong += [f"lacks {name}" for name in ABI if name not in seen]
    for name in symbols("-D", "--undefined-only"):
        version = re.search(r"@GLIBC_2\.(\d+)", name)
        if version and int(version.group(1)) > 28 or re.search(r"@(GLIBCXX|CXXABI|GCC)_", name):
            wrong.append(f"needs {name}")
for problem in wrong:
    print(f"{path}: {problem}")
print(f"{len(seen)} symbols seen")
sys.exit(1 if wrong else 0)
