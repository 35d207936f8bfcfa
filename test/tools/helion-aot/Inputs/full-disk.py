# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A disk that gets full after so many bytes, in collect, measure and build: one line, exit 1, the package as before, no file
unfinished, a journal that is whole; with space again, the run goes on and finishes.

The disk is a preloaded library that counts, and a tmpfs where one may be mounted.
Use: full-disk.py FOLDER KERNEL CORPUS LIBRARY
"""
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from tree_hash import tree_hash

folder, kernel, corpus, library = sys.argv[1:]
folder = os.path.abspath(folder)
TEMPORARY = os.path.join(folder, "tmp")
WORDS = r"(is full: the disk or the size limit is reached|No space left on device)"


def aot(out, run, phase, env=()):
    return subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--run-dir", run, "--pool", "4", "--threads",
                           "1", "--cxx", "none", "--threshold", "1e9", "--phase", phase], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "TMPDIR": TEMPORARY, **dict(env)})


def unfinished(*folders):
    return [os.path.join(path, name) for top in folders for path, below, files in os.walk(top) for name in below + files
            if re.search(r"\.tmp$|\.partial|\.helion-new|^helion-", name)]


def fill(what, out, run, phase, env=(), free=lambda: None):
    """Whether the disk was full; the package must be as before then, and everything go on afterwards."""
    before = tree_hash(out) if os.path.exists(out) else None
    done = aot(out, run, phase, env)
    problems = []
    if done.returncode != 0:
        if done.returncode != 1 or done.stderr.count("\n") != 1 or not re.match("helion-aot: .*" + WORDS, done.stderr):
            problems.append(f"exit {done.returncode}: {done.stderr}")
        if before != (tree_hash(out) if os.path.exists(out) else None):
            problems.append("package changed")
    left = unfinished(os.path.dirname(out), os.path.dirname(run), TEMPORARY)
    if left:
        problems.append(f"left {left}")
    free()
    journal = os.path.join(run, "journal.sqlite")
    if os.path.exists(journal):
        connection = sqlite3.connect(journal)
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            problems.append("journal damaged")
        connection.close()
    again = aot(out, run, "all")
    if again.returncode != 0:
        problems.append(f"with space: exit {again.returncode}: {again.stderr}")
    for problem in problems:
        sys.exit(f"{what}: {problem}")
    return done.returncode != 0


def counted(phase, sizes):
    full = 0
    for size in sizes:
        place = os.path.join(folder, f"{phase}-{size}")
        disk = os.path.join(place, "disk")
        os.makedirs(disk)
        out, run = (os.path.join(disk, "out"), place + "/run") if phase == "build" else (place + "/out", disk + "/run")
        for earlier in {"collect": [], "measure": ["collect"], "build": ["all"]}[phase]:
            aot(out, run, earlier)
        env = {"LD_PRELOAD": library, "FULL_DISK": disk, "FULL_DISK_BYTES": str(size)}
        full += fill(f"{phase} with {size} bytes", out, run, phase, env)
    print(f"{phase}: full at {full} of {len(sizes)} sizes, finished with space")


def mounted(size):
    disk = os.path.join(folder, "tmpfs")
    os.makedirs(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], capture_output=True).returncode != 0:
        print("tmpfs: none here")
        return
    try:
        for phase, limit in [("collect", "120k"), ("measure", None), ("build", None)]:
            out, run = os.path.join(disk, "out"), os.path.join(disk, "run")
            filler = os.path.join(disk, "filler")
            if limit:
                subprocess.run(["mount", "-o", f"remount,size={limit}", disk], check=True)
            else:
                # All that is free, but a page.
                for earlier in ("collect", "measure")[:1 + (phase == "build")]:
                    aot(out, run, earlier)
                free = os.statvfs(disk)
                with open(filler, "wb") as file:
                    file.write(b"x" * (free.f_bavail * free.f_frsize - 4096))

            def space():
                subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
                if os.path.exists(filler):
                    os.remove(filler)
            if not fill(f"tmpfs in {phase}", out, run, phase, free=space):
                sys.exit(f"tmpfs in {phase}: was not full")
            shutil.rmtree(out)
            shutil.rmtree(run)
        print("tmpfs: full in collect, measure and build, finished with space")
    finally:
        subprocess.run(["umount", disk], check=True)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(TEMPORARY)
counted("collect", [0, 1, 20000, 60000, 100000, 150000])
counted("measure", [0, 1000, 9000, 40000])
counted("build", [0, 3000, 60000, 100000])
mounted("64m")
