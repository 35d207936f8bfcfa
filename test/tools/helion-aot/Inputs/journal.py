# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Laws of `helion-aot journal merge` on small journals, by their exported text, and the errors of all its commands.

The journals are parts of one that was learnt, with other times, verdicts and sessions, so that they differ under equal keys.
Use: journal.py FOLDER RUN
"""
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys

from tree_hash import tree_hash

folder, learnt = sys.argv[1:]
EDITS = {
    "a": ["DELETE FROM sample WHERE ordinal % 3 = 0", "DELETE FROM compile WHERE verdict = 2 AND rowid_key(key) % 2 = 0"],
    "b": ["UPDATE session SET name = 'b' || substr(name, 2)", "UPDATE verdict SET max_abs = 7, message = 'b'",
          "UPDATE sample SET median = median * 2"],
    "c": ["UPDATE artifact SET object = NULL", "DELETE FROM verdict WHERE artifact % 2 = 0", "UPDATE sample SET times = x''",
          "UPDATE session SET started = 9, device_class = 'other'"],
}


def journal(*words):
    return subprocess.run(["helion-aot", "journal", *words], capture_output=True, text=True, timeout=300)


def path(name):
    return os.path.join(folder, name)


def make(name, edits):
    source = sqlite3.connect(os.path.join(learnt, "journal.sqlite"))
    target = sqlite3.connect(path(name))
    target.create_function("rowid_key", 1, lambda key: int(key[:4], 16))
    source.backup(target)
    for edit in edits:
        target.execute(edit)
    target.commit()
    target.close()


def text(name):
    done = journal("export", path(name))
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def merged(name, *sources):
    done = journal("merge", path(name), *map(path, sources))
    if done.returncode or done.stdout or done.stderr:
        sys.exit(f"merge {name}: exit {done.returncode}: {done.stdout}{done.stderr}")
    return text(name)


def listed(place):
    """SQLite's readers leave an empty log and its index."""
    return [name for name in sorted(os.listdir(place)) if not name.endswith(("-shm", "-wal"))]


def laws():
    texts = {name: text(name + ".sqlite") for name in EDITS}
    both = merged("ab.sqlite", "a.sqlite", "b.sqlite")
    # Which samples the halves have follows from what was measured; one of them may hold the other.
    assert len({*texts.values(), both}) >= 2, "the journals do not differ"
    assert both == merged("ba.sqlite", "b.sqlite", "a.sqlite"), "merges do not commute"
    left, right = merged("ab-c.sqlite", "ab.sqlite", "c.sqlite"), merged("bc.sqlite", "b.sqlite", "c.sqlite")
    right = merged("a-bc.sqlite", "a.sqlite", "bc.sqlite")
    assert left == right == merged("abc.sqlite", "c.sqlite", "a.sqlite", "b.sqlite"), "merges do not associate"
    assert merged("ab.sqlite", "a.sqlite", "ab.sqlite", "b.sqlite") == both, "a merge is not idempotent"
    assert merged("a.sqlite", "a.sqlite") == texts["a"], "a journal merged with itself is another"
    print("merges commute, associate, and give a journal itself with itself")
    assert merged("made", "a.sqlite", "b.sqlite") == both
    assert listed(path("made")) == ["artifacts", "journal.sqlite", "journal.sqlite.writer", "lock", "logs"]
    print("a run directory is made, with the same text")


def state():
    return [(name, tree_hash(path(name))) for name in listed(folder)]


def bad_source():
    with open(path("bad.sqlite"), "w") as file:
        file.write("no journal at all " * 100)
    before = state(), text("ab.sqlite")
    for target in ("ab.sqlite", "new.sqlite", "new"):
        done = journal("merge", path(target), path("c.sqlite"), path("bad.sqlite"))
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and "bad.sqlite` is no SQLite file" in done.stderr, done
        assert (state(), text("ab.sqlite")) == before, f"{target}: {before} became {state()}"
    print("one bad source: exit 1, nothing changed, nothing left")


def errors():
    a, none, lines = path("a.sqlite"), path("none"), path("bad.sqlite")
    cases = [
        (2, "no command of `journal`; known are `stats`, `merge`, `export`, `gc`"),
        (2, "unknown command `count` of `journal`; known are", "count", a),
        (2, "`journal stats` got 0 of its paths; use `helion-aot journal stats RUN [--json]`", "stats"),
        (2, "`journal stats` got 2 of its paths", "stats", a, a),
        (2, "`journal merge` got 1 of its paths; use `helion-aot journal merge DEST SRC..`", "merge", a),
        (2, "unknown flag `--keep`; use `helion-aot journal stats RUN [--json]`", "stats", a, "--keep", "1"),
        (2, "unknown flag `--json`", "export", a, "--json"),
        (2, "`-o` lacks its value", "export", a, "-o"),
        (2, "`--json` takes no value", "stats", a, "--json=1"),
        (2, "`--keep` is `much`; give bytes, such as `4096`, `64KiB` or `16MiB`", "gc", a, "--keep", "much"),
        (2, "`--keep` is `-1`", "gc", a, "--keep=-1"),
        (2, "`--keep` is `9999999999999GiB`", "gc", a, "--keep=9999999999999GiB"),
        (2, "a path is empty", "stats", ""),
        (1, f"`{none}` is neither a run directory nor a journal", "stats", none),
        (1, f"`{none}` is neither a run directory nor a journal", "gc", none),
        (1, f"`{none}` is neither a run directory nor a journal", "merge", a, none),
        (1, f"`{folder}` is neither a run directory nor a journal", "export", folder),
        (1, f"`{folder}` is neither a run directory nor a journal nor empty", "merge", folder, a),
        (1, f"journal `{lines}` is no SQLite file", "stats", lines),
        (1, f"journal `{lines}` is no SQLite file", "gc", lines),
        (1, f"cannot write `{none}/x`: No such file or directory", "export", a, "-o", none + "/x"),
        (1, f"cannot write journal `{none}/x.sqlite`: No such file or directory", "merge", none + "/x.sqlite", a),
    ]
    with open(a + ".writer", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        locked = f"journal `{a}` is locked by another program that writes to it; wait for it or use another one"
        before = state()
        for code, message, *words in [*cases, (1, locked, "gc", a), (1, locked, "merge", a, path("b.sqlite"))]:
            done = journal(*words)
            seen = (done.returncode, done.stderr.count("\n"), done.stdout, done.stderr.startswith("helion-aot: " + message))
            assert seen == (code, 1, "", True), (words, done)
            assert state() == before, f"{words}: {before} became {state()}"
        print(f"all {len(cases) + 2} errors as expected, nothing changed")
        assert journal("stats", a).returncode == 0 and journal("export", a).returncode == 0
        print("a locked journal may be read")


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
for name, edits in EDITS.items():
    make(name + ".sqlite", edits)
laws()
bad_source()
errors()
