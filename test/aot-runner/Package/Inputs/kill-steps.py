# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills the writer of a package before each change of a name in turn, and lets the next one finish: what the user put into
the folder is there, the package is whole, and nothing lies beside it. The same from what programs may have left in other ways.

Use: kill-steps.py FOLDER LIBRARY SPEC
"""
import os
import shutil
import signal
import subprocess
import sys

folder, library, spec = (os.path.abspath(word) for word in sys.argv[1:])
package = os.path.join(folder, "package")
USERS = {"notes.txt": "mine", "a-folder/below.txt": "mine too", "a-link": None}


def write(more={}, fails=False):
    environment = {**os.environ, **({"LD_PRELOAD": library, **more} if more else {})}
    done = subprocess.run(["package-from-json", spec, package], env=environment, capture_output=True, text=True)
    if done.returncode < 0 and "KILL_STEP" in more:
        return "killed"
    if (done.returncode != 0) != fails:
        sys.exit(f"{more}: exit {done.returncode}: {done.stderr}")
    return done.stderr


def put(place, names=USERS):
    os.makedirs(place, exist_ok=True)
    for name, text in names.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text is None:
            os.symlink("nowhere", path)
        else:
            with open(path, "w") as file:
                file.write(text)


def fresh():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write()
    global whole
    whole = sorted(os.listdir(package))
    put(package)


def contents():
    found = {}
    for name, text in USERS.items():
        path = os.path.join(package, name)
        if os.path.lexists(path):
            found[name] = None if os.path.islink(path) else open(path).read()
    return found


def check(what, beside=("package",)):
    if contents() != USERS:
        sys.exit(f"{what}: of the user's {USERS} there is {contents()}")
    ours = sorted(set(os.listdir(package)) - {name.split("/")[0] for name in USERS})
    if ours != whole:
        sys.exit(f"{what}: the package has {ours} instead of {whole}")
    if sorted(os.listdir(folder)) != sorted(beside):
        sys.exit(f"{what}: left {os.listdir(folder)}")


def kill_at_each_step(more):
    step = 1
    while True:
        fresh()
        killed = write({**more, "KILL_STEP": str(step)}) == "killed"
        write()
        check(f"{more} step {step}")
        if not killed:
            return step - 1
        step += 1


def aside(name):
    return package + ".helion-new-" + name


for more in ({}, {"NO_EXCHANGE": "1"}):
    steps = kill_at_each_step(more)
    print(f"{'in several steps' if more else 'in one step'}: {'killed' if steps > 10 else 'hardly killed'}, all is there")

# A writer that moved the user's entries into the new package first, and was killed.
fresh()
shutil.copytree(package, aside("0a1b2c"), symlinks=True)
shutil.rmtree(os.path.join(aside("0a1b2c"), "a-folder"))
for name in ("notes.txt", "a-link"):
    os.remove(os.path.join(package, name))
write()
check("moved first")
print("moved first: all is there")

# The user made the same file anew: both stay.
fresh()
put(aside("0a1b2c"), {"notes.txt": "older", "vector_add.h": "unfinished"})
write()
check("made anew", ("package", "package.helion-new-0a1b2c"))
print("made anew:", os.listdir(aside("0a1b2c")), open(os.path.join(aside("0a1b2c"), "notes.txt")).read())

# There is no package any more, only what was beside it.
fresh()
os.rename(package, aside("0a1b2c"))
write()
check("only beside")
print("only beside: all is there")

# An entry that cannot be moved: the old package stays, and the error names the entry.
fresh()
before = os.stat(package).st_ino
for more in ({}, {"NO_EXCHANGE": "1"}):
    print(write({**more, "FAIL_MOVE": "notes.txt"}, fails=True).replace(folder, "FOLDER").strip())
    check("cannot be moved")
    if os.stat(package).st_ino != before:
        sys.exit("another folder is in its place")
