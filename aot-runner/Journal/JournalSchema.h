// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a journal, and what happens where a record meets another under its key: the SQL that adding and merging
// share. Rows, artifacts and sessions get local numbers, which never leave the file.
#ifndef HELION_AOT_RUNNER_JOURNAL_JOURNALSCHEMA_H
#define HELION_AOT_RUNNER_JOURNAL_JOURNALSCHEMA_H

namespace helion::aot::schema {

/// "HLNJ": marks the file as a journal.
inline constexpr int applicationId = 0x484c4e4a;

struct Migration {
  int to; // The version that `sql` makes of the one before.
  const char *sql;
};

inline constexpr Migration migrations[] = {
    {1, R"sql(
CREATE TABLE compile(key TEXT PRIMARY KEY, kernel_hash TEXT, config TEXT, build TEXT, verdict INTEGER, artifact TEXT,
                     message TEXT) WITHOUT ROWID;
CREATE TABLE artifact(id INTEGER PRIMARY KEY, hash TEXT UNIQUE, manifest TEXT, object BLOB);
CREATE TABLE case_(id INTEGER PRIMARY KEY, key TEXT UNIQUE, args TEXT);
CREATE TABLE verdict(artifact INTEGER, case_ INTEGER, verdict INTEGER, max_abs REAL, max_rel REAL, tolerance REAL,
                     message TEXT, PRIMARY KEY(artifact, case_)) WITHOUT ROWID;
CREATE TABLE session(id INTEGER PRIMARY KEY, name TEXT UNIQUE, device_class TEXT, protocol TEXT, started INTEGER);
CREATE TABLE sample(session INTEGER, artifact INTEGER, case_ INTEGER, mode TEXT, ordinal INTEGER, anchor INTEGER,
                    times BLOB, median REAL, PRIMARY KEY(session, artifact, case_, mode, ordinal)) WITHOUT ROWID;
)sql"},
    // Checks whose second run is missing: the state of one run directory, which no merge takes over.
    {2, R"sql(
CREATE TABLE first_run(artifact INTEGER, case_ INTEGER, max_abs REAL, max_rel REAL, tolerance REAL, outputs TEXT,
                       PRIMARY KEY(artifact, case_)) WITHOUT ROWID;
)sql"},
};

// Each is the end of an INSERT. The greater record wins; this is commutative, associative and idempotent because it is
// the maximum of a total order.
inline constexpr char compileConflict[] = R"sql(
ON CONFLICT(key) DO UPDATE SET verdict=excluded.verdict, artifact=excluded.artifact, message=excluded.message
WHERE (excluded.verdict, excluded.artifact, excluded.message) > (compile.verdict, compile.artifact, compile.message))sql";

// One hash is one object; the manifests may differ in the config, and the smallest is as good as any.
inline constexpr char artifactConflict[] = R"sql(
ON CONFLICT(hash) DO UPDATE SET manifest=min(manifest, excluded.manifest), object=coalesce(object, excluded.object))sql";

inline constexpr char caseConflict[] = "ON CONFLICT(key) DO NOTHING"; // The key is the hash of the text.

inline constexpr char verdictConflict[] = R"sql(
ON CONFLICT(artifact, case_) DO UPDATE SET verdict=excluded.verdict, max_abs=excluded.max_abs, max_rel=excluded.max_rel,
  tolerance=excluded.tolerance, message=excluded.message
WHERE (excluded.verdict, excluded.max_abs, excluded.max_rel, excluded.tolerance, excluded.message) >
      (verdict.verdict, verdict.max_abs, verdict.max_rel, verdict.tolerance, verdict.message))sql";

inline constexpr char sessionConflict[] = R"sql(
ON CONFLICT(name) DO UPDATE SET device_class=excluded.device_class, protocol=excluded.protocol, started=excluded.started
WHERE (excluded.started, excluded.device_class, excluded.protocol) >
      (session.started, session.device_class, session.protocol))sql";

// Dropped times are empty, and less than any others.
inline constexpr char sampleConflict[] = R"sql(
ON CONFLICT(session, artifact, case_, mode, ordinal) DO UPDATE SET anchor=excluded.anchor, times=excluded.times,
  median=excluded.median
WHERE (excluded.times, excluded.median, excluded.anchor) > (sample.times, sample.median, sample.anchor))sql";

} // namespace helion::aot::schema

#endif // HELION_AOT_RUNNER_JOURNAL_JOURNALSCHEMA_H
