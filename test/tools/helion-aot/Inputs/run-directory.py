# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders in every bad state: exit code, one line on stderr, and which of package and run directory changed.

Each case is a function that prepares its own folder, which holds a copy of a tuned package and its run directory, and gives
flags; the table below it says what must come of it. Times are a log-worker's, so that a tuning that goes on decides as before.
Use: run-directory.py FOLDER KERNEL CORPUS
"""
import fcntl
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from tree_hash import tree_hash

folder, kernel, corpus = sys.argv[1:]
folder = os.path.abspath(folder)
LOG_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "log-worker.py")
FLAGS = ["--pool", "4", "--threads", "1", "--cxx", "none", "--threshold", "1e9", "--worker",
         " ".join([sys.executable, LOG_WORKER, os.path.join(folder, "worker.log"), shutil.which("helion-worker")])]
held = []  # Locks, until the end.


def aot(out, run, *flags, before=(), kernel=kernel, corpus=corpus, **more):
    where = ["-o", out] + (["--run-dir", run] if run else [])
    words = [*before, "helion-aot", kernel, "--corpus", corpus, *where, *FLAGS, *flags]
    return subprocess.run(words, capture_output=True, text=True, errors="surrogateescape", timeout=300, **more)


# Root may write everywhere, unless it gives that up.
def as_everybody():
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def journal(run):
    return os.path.join(run, "journal.sqlite")


def locked(out, run):
    held.append(open(os.path.join(run, "lock"), "w"))
    fcntl.flock(held[-1], fcntl.LOCK_EX)


def locked_journal(out, run):
    held.append(open(journal(run) + ".writer", "w"))
    fcntl.flock(held[-1], fcntl.LOCK_EX)


def read_only(path):
    for name in [path] + [os.path.join(path, name) for name in os.listdir(path)]:
        os.chmod(name, os.stat(name).st_mode & ~0o222)


def read_only_run(out, run):
    read_only(run)
    return {"before": as_everybody()}


def read_only_output(out, run):
    read_only(out)
    return {"before": as_everybody()}


def read_only_parent(out, run):
    shutil.rmtree(out)
    read_only(os.path.dirname(out))
    return {"before": as_everybody()}


def output_is_file(out, run):
    shutil.rmtree(out)
    open(out, "w").close()


def output_under_file(out, run):
    open(out + ".txt", "w").close()
    return {"out": out + ".txt/out"}


def run_is_file(out, run):
    shutil.rmtree(run)
    open(run, "w").close()


def run_is_output(out, run):
    return {"run": out + "/../" + os.path.basename(out)}


def run_in_output(out, run):
    return {"run": out + "/run"}


def odd_names(out, run):
    """Blanks, quotes, a dollar, a new line and letters that are not ASCII, for folders, kernel and corpus."""
    place = os.path.join(os.path.dirname(out), "a b'\"$x;\né")
    os.makedirs(place)
    for source, name in [(kernel, "k'\" é.py"), (corpus, "c'\" é.jsonl")]:
        shutil.copy(source, os.path.join(place, name))
    return {"out": place + "/o ut", "run": place + "/r 'un", "kernel": place + "/k'\" é.py", "corpus": place + "/c'\" é.jsonl"}


def no_utf8(out, run):
    return {"run": run + "\udcff"}


def slash(out, run):
    return {"out": out + "/", "run": None}


def root(out, run):
    return {"out": "/"}


def bare(out, run):
    return {"before": ["env", "-i", "PATH=" + os.environ["PATH"]]}


def no_room_for_report(out, run):
    return {"before": ["sh", "-c", '"$@" >/dev/full', "sh"]}


def closed(out, run):
    return {"before": ["sh", "-c", '"$@" <&- >&- 2>&-', "sh"]}


def no_run(out, run):
    return {"run": run + ".none"}


def without_samples(out, run):
    edit(run, "DELETE FROM sample; DELETE FROM session")


def edit(run, sql):
    connection = sqlite3.connect(journal(run))
    connection.executescript(sql)
    connection.close()


def artifact_lost(out, run):
    """Of one candidate that is not the anchor."""
    edit(run, "DELETE FROM artifact WHERE id=(SELECT max(id) FROM artifact WHERE id NOT IN (SELECT artifact FROM sample WHERE anchor))")


def artifacts_lost(out, run):
    edit(run, "DELETE FROM artifact")


def objects_lost(out, run):
    edit(run, "UPDATE artifact SET object=NULL")
    shutil.rmtree(os.path.join(run, "artifacts"))


def newer(out, run):
    edit(run, "PRAGMA user_version=99")


def truncated(out, run):
    os.truncate(journal(run), os.path.getsize(journal(run)) // 2)


def no_journal(out, run):
    with open(journal(run), "w") as file:
        file.write("once upon a time" * 100)


def other_database(out, run):
    os.remove(journal(run))
    edit(run, "CREATE TABLE t(x)")


def journal_is_folder(out, run):
    os.remove(journal(run))
    os.mkdir(journal(run))


def other_kernel(out, run):
    """The same name, another meaning."""
    changed = os.path.join(os.path.dirname(out), "vector_add.py")
    with open(kernel) as source, open(changed, "w") as file:
        text = source.read()
        assert " + y" in text
        file.write(text.replace(" + y", " - y"))
    return {"kernel": changed}


def other_signature(out, run):
    rows = os.path.join(os.path.dirname(out), "rows.jsonl")
    with open(corpus) as source, open(rows, "w") as file:
        file.write(source.read().replace("f32", "f64"))
    return {"corpus": rows}


def worse(out, run):
    """The same tuning, had the pool's best been ten times as fast on every row, for a threshold of 1."""
    source, target = os.path.join(out, "vector_add.tuned.jsonl"), os.path.join(os.path.dirname(out), "worse.tuned.jsonl")
    with open(source) as lines, open(target, "w") as file:
        for record in map(json.loads, lines):
            if record["record"] == "header":
                record["threshold"] = 1
            if record["record"] == "row":
                record["best"] = {key: time / 10 for key, time in record["best"].items()}
            file.write(json.dumps(record) + "\n")


def unfinished(out, run):
    """What two programs left that were killed: one while it wrote a package, one while it wrote an object."""
    shutil.copytree(out, out + ".helion-new-0a1b2c")
    for name in ("a.so.partial", "a.o.01234567.tmp"):
        open(os.path.join(run, "artifacts", name), "w").close()


def fresh(out, run):
    shutil.rmtree(out)
    shutil.rmtree(run)


def no_package(out, run):
    shutil.rmtree(out)


def as_it_is(out, run):
    pass


ALL, MEASURE, BUILD = "--phase all", "--phase measure", "--phase build"
FROM = "--phase build --from OUT/vector_add.tuned.jsonl"
# name, preparation, flags, exit, message or `-`, what of `o`utput and `r`un directory changes
TABLE = [
    ("locked", locked, ALL, 1, "run directory `RUN` is locked by another program", ""),
    ("locked journal", locked_journal, ALL, 1, "journal `RUN/journal.sqlite` is locked by another program", ""),
    ("read-only run directory", read_only_run, ALL, 1, "cannot make run directory `RUN`: .*[Pp]ermission denied", ""),
    ("read-only output", read_only_output, BUILD, 1, "cannot make package `OUT`: .*[Pp]ermission denied", ""),
    ("read-only parent", read_only_parent, BUILD, 1, "cannot make package `OUT`: .*[Pp]ermission denied", ""),
    ("output is a file", output_is_file, ALL, 1, "cannot make package `OUT`: `OUT` is no folder", ""),
    ("output under a file", output_under_file, ALL, 1, "cannot make package `.*`: `OUT.txt` is no folder", ""),
    ("run directory is a file", run_is_file, ALL, 1, "cannot make run directory `RUN`: `RUN` is no folder", ""),
    ("run directory is output", run_is_output, ALL, 1, "the run directory `.*` is the package's folder", ""),
    ("run directory in output", run_in_output, ALL, 1, "the run directory `.*` is inside the package's folder", ""),
    ("odd names", odd_names, ALL, 0, "-", ""),
    ("a path that is no UTF-8", no_utf8, ALL, 1, "the path `.*` is no UTF-8; give another folder", ""),
    ("output with a slash", slash, ALL, 0, "-", "o"),
    ("the root folder", root, BUILD, 1, "`-o /` is no folder of a package", ""),
    ("no environment", bare, ALL, 0, "-", "o"),
    ("no room for the report", no_room_for_report, BUILD, 1, "cannot print the report: No space left on device", "o"),
    ("closed streams", closed, BUILD, 0, "-", "o"),
    ("nothing collected, measure", no_run, MEASURE, 1, "run directory `.*` holds nothing; run `--phase collect` first", ""),
    ("nothing collected, build", no_run, BUILD, 1, "run directory `.*` holds nothing; run `--phase collect` first", ""),
    ("nothing measured", without_samples, BUILD, 1, "has no samples of protocol .*; run `--phase measure` first", ""),
    ("other mode measured", as_it_is, BUILD + " --mode warm", 1, "has no samples of protocol `v1 warm threads=1`", ""),
    ("newer journal", newer, ALL, 1, "has version `99`, this tool reads up to `2`; use a newer tool", ""),
    ("an artifact lost, build", artifact_lost, BUILD, 0, "-", "o"),
    ("an artifact lost, all", artifact_lost, ALL, 0, "-", "or"),
    ("all artifacts lost, build", artifacts_lost, BUILD, 1, "has no candidates of `.*` by this program; run `--phase collect` first", ""),
    ("all artifacts lost, all", artifacts_lost, ALL, 0, "-", "or"),
    ("objects lost, all", objects_lost, ALL, 0, "-", "or"),
    ("truncated journal", truncated, ALL, 1, "journal `RUN/journal.sqlite` is damaged", ""),
    ("text for a journal", no_journal, ALL, 1, "journal `RUN/journal.sqlite` is no SQLite file", ""),
    ("other database", other_database, ALL, 1, "`RUN/journal.sqlite` is a SQLite file but no journal", ""),
    ("folder for a journal", journal_is_folder, ALL, 1, "journal `RUN/journal.sqlite` cannot be opened", ""),
    ("kernel changed, measure", other_kernel, MEASURE, 1, "has no candidates of `.*` by this program; run `--phase collect` first", ""),
    ("kernel changed, build", other_kernel, BUILD, 1, "has no candidates of `.*` by this program; run `--phase collect` first", ""),
    ("kernel changed, from", other_kernel, FROM, 1, "is not the kernel that was tuned; tune again", ""),
    ("kernel changed, evaluate", other_kernel, "--phase evaluate", 1,
     "OUT/vector_add.tuned.jsonl: `.*` is not the kernel that was tuned; tune again", ""),
    ("signature not in the package, evaluate", other_signature, "--phase evaluate", 1,
     "rows.jsonl:1:[0-9]+: the package has no signature `x=f64\\[.\\] y=f64\\[.\\]`; tune with this row", ""),
    ("kernel changed, all", other_kernel, ALL, 0, "-", "or"),
    ("other target, from", as_it_is, FROM + " --target cpu:x86-64-v2", 1, "tuned for `cpu:.*`, not for `cpu:x86-64-v2`", ""),
    ("code too big, build", as_it_is, BUILD + " --max-bytes 16", 6,
     "the package's code takes [0-9]+ bytes, `--max-bytes` allows 16", ""),
    ("code too big, from", no_run, FROM + " --max-bytes 16", 6,
     "the package's code takes [0-9]+ bytes, `--max-bytes` allows 16", ""),
    ("code not too big", as_it_is, BUILD + " --max-bytes 1000000", 0, "-", "o"),
    ("no time", fresh, ALL + " --gpu-seconds 0.0001", 4, "-", "or"),
    ("time for what is there", no_package, ALL + " --budget-seconds 0.0001", 4, "-", "o"),
    ("compiles too slow", fresh, ALL + " --compile-seconds 0.001", 1,
     "the universal config of `vector_add` does not compile: the compiler took longer than 0.001 s\n"
     ".*:1:34: note: with the arguments of this row", ""),
    ("compiles too big", fresh, ALL + " --compile-memory 1", 1,
     "the universal config of `vector_add` does not compile: the compiler ran out of memory: it may take 1 MiB\n"
     ".*:1:34: note: with the arguments of this row", ""),
    ("from nothing but the tuned file", no_run, FROM, 0, "-", "o"),
    ("unfinished files", unfinished, BUILD, 0, "-", "or"),
    ("evaluate", no_run, "--phase evaluate", 0, "-", ""),
    ("strict", worse, FROM.replace("OUT/vector_add", "DIR/worse") + " --strict", 3, "-", ""),
    ("missed", worse, FROM.replace("OUT/vector_add", "DIR/worse"), 3, "-", "o"),
]


def check(place, name, prepare, flags, code, message, changes):
    os.makedirs(place)
    out, run = os.path.join(place, "out"), os.path.join(place, "run")
    shutil.copytree(os.path.join(folder, "good"), out)
    shutil.copytree(os.path.join(folder, "good.run"), run)
    # What a build writes anew is seen by this.
    with open(os.path.join(out, "CMakeLists.txt"), "a") as file:
        file.write("# touched\n")
    given = prepare(out, run) or {}
    words = [word.replace("OUT", out).replace("DIR", place) for word in flags.split()]
    before = [tree_hash(out), tree_hash(run), sorted(os.listdir(place))]
    done = aot(given.pop("out", out), given.pop("run", run), *words, **given)
    after = [tree_hash(out), tree_hash(run), sorted(os.listdir(place))]
    problems = []
    if done.returncode != code:
        problems.append(f"exit {done.returncode} instead of {code}")
    wanted = "" if message == "-" else "helion-aot: .*" + message.replace("OUT", out).replace("RUN", run)
    if not re.match(wanted, done.stderr, re.DOTALL) or done.stderr.count("\n") != (message != "-") + message.count("\n"):
        problems.append(f"{done.stderr!r} does not match {wanted!r}")
    seen = "".join(letter for letter, a, b in zip("or", before, after) if a != b)
    if seen != changes:
        problems.append(f"changed {seen!r} instead of {changes!r}")
    left = [name for name in after[2] if ".helion-new" in name or not changes and name not in before[2]]
    if left:
        problems.append(f"left {left} behind")
    for problem in problems:
        print(f"{name}: {problem}")
    return not problems


def main():
    subprocess.run(["chmod", "-R", "u+w", folder]) if os.path.exists(folder) else None
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    good = os.path.join(folder, "good")
    done = aot(good, good + ".run")
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {done.stderr}")
    fine = [check(os.path.join(folder, str(number)), *case) for number, case in enumerate(TABLE)]
    print(f"{'all' if all(fine) else sum(fine)} {len(fine)} cases as expected")
    sys.exit(not all(fine))


main()
