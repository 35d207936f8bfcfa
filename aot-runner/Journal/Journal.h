// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The journal: everything that was compiled, checked and timed, in one SQLite file. Records are only added; a merge of
// two journals is their union, and where both have a record under one key, the greater one wins, so the order of merges
// does not matter. No clock and no path of a machine enters it. Each add is committed when it returns.
#ifndef HELION_AOT_RUNNER_JOURNAL_JOURNAL_H
#define HELION_AOT_RUNNER_JOURNAL_JOURNAL_H

#include "aot-runner/Journal/DurableFile.h"
#include "aot-runner/Journal/Sqlite.h"
#include <optional>
#include <string>
#include <vector>

namespace helion::aot {

/// What fixes the outcome of a compilation.
struct CompileKey {
  std::string kernelHash; // Of the normalised K.
  std::string config;     // Canonical text.
  std::string buildId;    // Of the compiler, with the assembler's version.

  std::string hash() const;
};

/// Rejected: a pass refused the config. Failed: the compiler crashed, or ran out of time or space. Listed in the order
/// in which they win against each other.
enum class CompileVerdict { Failed, Rejected, Ok };

struct CompileResult {
  CompileVerdict verdict = CompileVerdict::Ok;
  std::string artifact; // Ok: its hash.
  std::string message;  // Not ok: why.
};

struct CompileRecord {
  CompileKey key;
  CompileResult result;
};

/// One object with its manifest; `object` is empty after `gc` dropped it, and can be compiled again.
struct Artifact {
  std::string hash; // Manifest::artifactHash.
  std::string manifest;
  std::string object;
};

/// Listed in the order in which they win: one bad check of an artifact on a row outweighs any number of good ones.
enum class CheckVerdict { Ok, Illegal, NonDeterministic, Wrong, Timeout, OutOfMemory, Crash, DeviceLost };

struct CheckResult {
  CheckVerdict verdict = CheckVerdict::Ok;
  double maxAbs = 0, maxRel = 0; // Largest error against the reference; NaN is kept as infinity.
  double tolerance = 0;
  std::string message;
};

/// A check halfway: the first run was right, the second is still to come.
struct FirstRun {
  CheckResult result;  // Ok.
  std::string outputs; // Hash of the outputs' bytes.
};

/// Samples of one session were taken by one process on one device, so only they may be compared as they are.
struct Session {
  std::string id;          // Unique everywhere: 32 random hex digits.
  std::string deviceClass; // Name, cores, memory, power limit.
  std::string protocol;    // How it was timed; another protocol is another measurement.
  int64_t started = 0;     // 1 for the first session of its journal, and so on.
};

struct Sample {
  std::string artifact, row, session;
  std::string mode;                  // "cold", "warm", "graph"
  int64_t ordinal = 0;               // Place in its session.
  bool anchor = false;               // Times the session's anchor of this row.
  std::vector<double> timesNs;       // Kept to the picosecond; empty after `gc` dropped them.
  double medianNs = 0;               // Computed by `addSample`.
  std::string deviceClass, protocol; // Filled in by `samples`.
};

/// All that are set must match.
struct SampleQuery {
  std::optional<std::string> artifact, row, session, mode, deviceClass, protocol;
  std::optional<bool> anchor;
};

struct JournalStats {
  int64_t compiles = 0, artifacts = 0, objects = 0, objectBytes = 0, rows = 0, verdicts = 0, sessions = 0, samples = 0;
  int64_t fileBytes = 0;
};

struct GcReport {
  int64_t bytesBefore = 0, bytesAfter = 0, droppedObjects = 0, droppedTimes = 0;
};

class Journal {
public:
  /// Read: any number at once, also beside a writer; the file must exist. Write: one at a time; makes the file.
  enum class Mode { Read, Write };
  struct Options {
    int64_t maxBytes = 0; // Adds beyond it fail; 0: no limit.
    std::string vfs;      // SQLite's way to the file system; empty: its default.
  };
  static constexpr int version = 2;

  static llvm::Expected<Journal> open(llvm::StringRef path, Mode mode);
  static llvm::Expected<Journal> open(llvm::StringRef path, Mode mode, const Options &options);

  llvm::Error addCompile(const CompileKey &key, const CompileResult &result);
  llvm::Expected<std::optional<CompileResult>> findCompile(const CompileKey &key);
  /// Of one kernel, or all; sorted by key.
  llvm::Expected<std::vector<CompileRecord>> compiles(llvm::StringRef kernelHash = "");

  llvm::Error addArtifact(const Artifact &artifact);
  llvm::Expected<std::optional<Artifact>> findArtifact(llvm::StringRef hash);

  /// `row` is Row::id, `key` the text of Row::key.
  llvm::Error addRow(llvm::StringRef row, llvm::StringRef key);
  llvm::Expected<std::optional<std::string>> findRow(llvm::StringRef row);
  llvm::Expected<std::vector<std::string>> rows(); // Ids, sorted.

  /// Artifact and row must have been added. The verdict ends the check that a first run began.
  llvm::Error addVerdict(llvm::StringRef artifact, llvm::StringRef row, const CheckResult &result);
  llvm::Expected<std::optional<CheckResult>> findVerdict(llvm::StringRef artifact, llvm::StringRef row);

  /// Artifact and row must have been added. Only this journal knows of it: merges and exports are of verdicts.
  llvm::Error addFirstRun(llvm::StringRef artifact, llvm::StringRef row, const FirstRun &run);
  llvm::Expected<std::optional<FirstRun>> findFirstRun(llvm::StringRef artifact, llvm::StringRef row);

  llvm::Expected<Session> startSession(llvm::StringRef deviceClass, llvm::StringRef protocol);
  llvm::Error addSession(const Session &session);
  llvm::Expected<std::vector<Session>> sessions(); // By `started`, then id.

  /// Artifact, row and session must have been added; computes the median.
  llvm::Error addSample(const Sample &sample);
  /// Sorted by row, artifact, session, mode, ordinal.
  llvm::Expected<std::vector<Sample>> samples(const SampleQuery &query = {});

  /// Adds all records of another journal.
  llvm::Error merge(llvm::StringRef otherPath);
  llvm::Expected<JournalStats> stats();
  /// Drops objects, then times (never medians or verdicts), of the slowest artifacts first, until the file has at most
  /// `maxBytes`, or nothing is left to drop.
  llvm::Expected<GcReport> gc(int64_t maxBytes);
  /// JSON lines, sorted: equal records give equal bytes. Objects are given by size.
  llvm::Error exportText(llvm::raw_ostream &os);

  llvm::StringRef path() const { return file; }
  bool usesWal() const { return wal; }

private:
  Journal(Sqlite database, std::optional<FileLock> lock, llvm::StringRef path)
      : lock(std::move(lock)), database(std::move(database)), file(path) {}
  llvm::Error prepareWriting(const Options &options);
  llvm::Error migrate();
  llvm::Error checkVersion();
  /// The local number of a name; an error naming it where it was not added.
  llvm::Expected<int64_t> idOf(llvm::StringRef table, llvm::StringRef column, llvm::StringRef name);
  /// The local numbers of an artifact and a row.
  llvm::Expected<std::pair<int64_t, int64_t>> cellOf(llvm::StringRef artifact, llvm::StringRef row);
  llvm::Expected<int64_t> fileBytes();
  llvm::Error dropSlowest(llvm::StringRef column, int64_t bytes, int64_t &dropped);

  std::optional<FileLock> lock; // Dropped after the database is closed.
  Sqlite database;
  std::string file;
  bool wal = false;
  bool immutable = false; // Read past SQLite's locks, in a folder that cannot be written.
};

llvm::StringRef name(CompileVerdict verdict);
llvm::StringRef name(CheckVerdict verdict);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_JOURNAL_H
