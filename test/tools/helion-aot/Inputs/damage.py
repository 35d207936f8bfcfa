# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corpora, kernels, tuned files and journals with random damage: bytes changed, cut out, doubled. helion-aot takes what is left
or says in words what is wrong: exit 0, 1 or 3, never a crash, and no hang.

Use: damage.py FOLDER KERNEL CORPUS ROUNDS
"""
import os
import random
import shutil
import subprocess
import sys

folder, kernel, corpus, rounds = sys.argv[1:]
folder = os.path.abspath(folder)


def aot(kernel, corpus, out, run, *flags):
    return subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--run-dir", run, "--pool", "4", "--threads",
                           "1", "--cxx", "none", "--threshold", "1e9", *flags], capture_output=True, timeout=300)


def damaged(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8])):
        at = chance.randrange(len(data))
        size = chance.choice([1, 1, 4, 100])
        kind = chance.randrange(4)
        if kind == 0:
            data[at:at + size] = bytes(chance.randrange(256) for _ in range(size))
        elif kind == 1:
            del data[at:at + size]
        elif kind == 2:
            data[at:at] = data[at:at + size] * chance.choice([1, 1000])
        else:
            # Numbers and brackets hurt most.
            data[at:at + 1] = chance.choice([b"9" * 30, b"-1", b"1e999", b"[", b"{", b'"', b"\\", b"\0", b"null", b"("])
        if not data:
            break
    return bytes(data)


def damage(source, target, chance):
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(damaged(data, chance))


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
good = os.path.join(folder, "good")
if aot(kernel, corpus, good, good + ".run").returncode != 0:
    sys.exit("the whole run fails")
tuned = os.path.join(good, "vector_add.tuned.jsonl")
journal = os.path.join(good + ".run", "journal.sqlite")
outcomes = {0: 0, 1: 0, 3: 0}
for seed in range(int(rounds)):
    chance = random.Random(seed)
    for kind in ("corpus", "kernel", "tuned", "journal"):
        place = os.path.join(folder, f"{kind}-{seed}")
        out, run = os.path.join(place, "out"), os.path.join(place, "run")
        os.makedirs(place)
        if kind == "corpus":
            damage(corpus, place + "/c.jsonl", chance)
            done = aot(kernel, place + "/c.jsonl", out, run, "--dry-run")
        elif kind == "kernel":
            damage(kernel, place + "/k.py", chance)
            done = aot(place + "/k.py", corpus, out, run, "--dry-run")
        elif kind == "tuned":
            damage(tuned, place + "/t.tuned.jsonl", chance)
            done = aot(kernel, corpus, out, run, "--phase", "build", "--from", place + "/t.tuned.jsonl")
        else:
            shutil.copytree(good + ".run", run)
            damage(journal, os.path.join(run, "journal.sqlite"), chance)
            done = aot(kernel, corpus, out, run, "--phase", "build")
        words = done.stderr.decode(errors="replace")
        if done.returncode not in outcomes or (done.returncode == 1 and not words.startswith("helion-aot: ")):
            sys.exit(f"{place}: exit {done.returncode}: {words[:2000]}")
        outcomes[done.returncode] += 1
        shutil.rmtree(place)
print(f"{4 * int(rounds)} damaged files: {outcomes[0] + outcomes[3]} taken, {outcomes[1]} refused")
