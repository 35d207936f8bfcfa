// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening a journal, and adding and finding its records. JournalUnion.cpp has what works on all of them at once.
#include "aot-runner/Journal/Journal.h"
#include "aot-runner/Journal/JournalSchema.h"
#include "aot-runner/Journal/SampleTimes.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <random>

using namespace llvm;

namespace helion::aot {

std::string CompileKey::hash() const {
  return contentHash({StringRef(kernelHash), StringRef(config), StringRef(buildId)});
}

StringRef name(CompileVerdict verdict) {
  static constexpr StringRef names[] = {"failed", "rejected", "ok"};
  return names[unsigned(verdict)];
}

StringRef name(CheckVerdict verdict) {
  static constexpr StringRef names[] = {"ok",    "illegal",    "non_deterministic", "wrong", "timeout", "out_of_memory",
                                        "crash", "device_lost"};
  return names[unsigned(verdict)];
}

//===-- Opening --------------------------------------------------------------------------------------------------===//

static std::string describe(StringRef path) { return "journal `" + path.str() + "`"; }

Expected<Journal> Journal::open(StringRef path, Mode mode) { return open(path, mode, Options()); }

Expected<Journal> Journal::open(StringRef path, Mode mode, const Options &options) {
  std::optional<FileLock> lock;
  if (mode == Mode::Write) {
    Expected<FileLock> acquired = FileLock::acquire((path + ".writer").str(), describe(path));
    if (!acquired)
      return acquired.takeError();
    lock = std::move(*acquired);
  }
  Sqlite::Options sqlite;
  sqlite.write = mode == Mode::Write;
  sqlite.vfs = options.vfs;
  Expected<Sqlite> database = Sqlite::open(path, describe(path), sqlite);
  if (!database)
    return database.takeError();
  Journal journal(std::move(*database), std::move(lock), path);
  if (mode == Mode::Write) {
    if (Error error = journal.prepareWriting(options))
      return error;
    return std::move(journal);
  }
  Error error = journal.checkVersion();
  // Without write access to the folder, a reader can make no files beside a WAL journal; after a clean close it needs
  // none.
  uint64_t logBytes = 0;
  bool hasLog = !sys::fs::file_size(path + "-wal", logBytes) && logBytes != 0;
  if (error && sys::fs::exists(path) && !hasLog) {
    sqlite.immutable = true;
    if (Expected<Sqlite> again = Sqlite::open(path, describe(path), sqlite)) {
      consumeError(std::move(error));
      journal.database = std::move(*again);
      journal.immutable = true;
      error = journal.checkVersion();
    } else {
      consumeError(again.takeError());
    }
  }
  if (error)
    return error;
  return std::move(journal);
}

/// Readers beside a writer need WAL; it needs shared memory, which a network's file system has not. There every commit
/// goes through a rollback journal.
Error Journal::prepareWriting(const Options &options) {
  if (Error error = checkVersion())
    return error;
  bool isLocal = true;
  if (sys::fs::is_local(file, isLocal))
    isLocal = true; // Cannot say: SQLite finds out.
  Expected<std::string> mode = database.text(isLocal ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE");
  if (!mode)
    return mode.takeError();
  wal = *mode == "wal";
  // A commit outlives the process either way; WAL may lose the last ones with the machine, but never breaks.
  if (Error error = database.run(wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL"))
    return error;
  if (options.maxBytes != 0) {
    Expected<int64_t> page = database.integer("PRAGMA page_size");
    if (!page)
      return page.takeError();
    if (Error error =
            database.run("PRAGMA max_page_count=" + std::to_string(std::max<int64_t>(options.maxBytes / *page, 1))))
      return error;
  }
  return migrate();
}

/// An empty file is version 0 of a journal.
Error Journal::checkVersion() {
  Expected<int64_t> application = database.integer("PRAGMA application_id");
  if (!application)
    return application.takeError();
  Expected<int64_t> seen = database.integer("PRAGMA user_version");
  if (!seen)
    return seen.takeError();
  Expected<int64_t> tables = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables)
    return tables.takeError();
  if (*application != schema::applicationId && *tables != 0)
    return createStringError("`" + file + "` is a SQLite file but no journal");
  if (*seen > version)
    return createStringError(describe(file) + " has version `" + Twine(*seen) + "`, this tool reads up to `" +
                             Twine(version) + "`; use a newer tool");
  if (!lock && *seen < version)
    return createStringError(describe(file) + " has version `" + Twine(*seen) +
                             "`; open it once for writing, which brings it to `" + Twine(version) + "`");
  return Error::success();
}

Error Journal::migrate() {
  Expected<int64_t> seen = database.integer("PRAGMA user_version");
  if (!seen)
    return seen.takeError();
  if (*seen == version)
    return Error::success();
  Expected<SqliteTransaction> transaction = SqliteTransaction::begin(database);
  if (!transaction)
    return transaction.takeError();
  for (const schema::Migration &migration : schema::migrations)
    if (migration.to > *seen)
      if (Error error = database.run(migration.sql))
        return error;
  if (Error error = database.run("PRAGMA application_id=" + std::to_string(schema::applicationId) +
                                 "; PRAGMA user_version=" + std::to_string(version)))
    return error;
  return transaction->commit();
}

//===-- Compiles and artifacts -----------------------------------------------------------------------------------===//

Error Journal::addCompile(const CompileKey &key, const CompileResult &result) {
  Expected<SqliteStatement> insert =
      database.prepare(std::string("INSERT INTO compile VALUES(?,?,?,?,?,?,?)") + schema::compileConflict);
  if (!insert)
    return insert.takeError();
  return insert->bind(StringRef(key.hash()))
      .bind(StringRef(key.kernelHash))
      .bind(StringRef(key.config))
      .bind(StringRef(key.buildId))
      .bind(int64_t(result.verdict))
      .bind(StringRef(result.artifact))
      .bind(StringRef(result.message))
      .run();
}

Expected<std::optional<CompileResult>> Journal::findCompile(const CompileKey &key) {
  Expected<SqliteStatement> select = database.prepare("SELECT verdict, artifact, message FROM compile WHERE key=?");
  if (!select)
    return select.takeError();
  Expected<bool> row = select->bind(StringRef(key.hash())).step();
  if (!row)
    return row.takeError();
  if (!*row)
    return std::nullopt;
  return CompileResult{CompileVerdict(select->integer(0)), select->text(1).str(), select->text(2).str()};
}

Expected<std::vector<CompileRecord>> Journal::compiles(StringRef kernelHash) {
  Expected<SqliteStatement> select =
      database.prepare("SELECT kernel_hash, config, build, verdict, artifact, message FROM compile "
                       "WHERE ?1='' OR kernel_hash=?1 ORDER BY kernel_hash, config, build");
  if (!select)
    return select.takeError();
  select->bind(kernelHash);
  std::vector<CompileRecord> records;
  Expected<bool> row = select->step();
  for (; row && *row; row = select->step())
    records.push_back({{select->text(0).str(), select->text(1).str(), select->text(2).str()},
                       {CompileVerdict(select->integer(3)), select->text(4).str(), select->text(5).str()}});
  if (!row)
    return row.takeError();
  return records;
}

Error Journal::addArtifact(const Artifact &artifact) {
  Expected<SqliteStatement> insert = database.prepare(
      std::string("INSERT INTO artifact(hash, manifest, object) VALUES(?,?,?)") + schema::artifactConflict);
  if (!insert)
    return insert.takeError();
  insert->bind(StringRef(artifact.hash)).bind(StringRef(artifact.manifest));
  if (artifact.object.empty())
    insert->bindNull();
  else
    insert->bindBlob(artifact.object);
  return insert->run();
}

Expected<std::optional<Artifact>> Journal::findArtifact(StringRef hash) {
  Expected<SqliteStatement> select = database.prepare("SELECT manifest, object FROM artifact WHERE hash=?");
  if (!select)
    return select.takeError();
  Expected<bool> row = select->bind(hash).step();
  if (!row)
    return row.takeError();
  if (!*row)
    return std::nullopt;
  return Artifact{hash.str(), select->text(0).str(), select->blob(1).str()};
}

//===-- Rows and verdicts ----------------------------------------------------------------------------------------===//

Error Journal::addRow(StringRef row, StringRef key) {
  Expected<SqliteStatement> insert =
      database.prepare(std::string("INSERT INTO case_(key, args) VALUES(?,?) ") + schema::caseConflict);
  if (!insert)
    return insert.takeError();
  return insert->bind(row).bind(key).run();
}

Expected<std::optional<std::string>> Journal::findRow(StringRef row) {
  Expected<SqliteStatement> select = database.prepare("SELECT args FROM case_ WHERE key=?");
  if (!select)
    return select.takeError();
  Expected<bool> found = select->bind(row).step();
  if (!found)
    return found.takeError();
  return *found ? std::optional(select->text(0).str()) : std::nullopt;
}

Expected<std::vector<std::string>> Journal::rows() {
  Expected<SqliteStatement> select = database.prepare("SELECT key FROM case_ ORDER BY key");
  if (!select)
    return select.takeError();
  std::vector<std::string> keys;
  Expected<bool> row = select->step();
  for (; row && *row; row = select->step())
    keys.push_back(select->text(0).str());
  if (!row)
    return row.takeError();
  return keys;
}

Expected<int64_t> Journal::idOf(StringRef table, StringRef column, StringRef name) {
  Expected<SqliteStatement> select = database.prepare(("SELECT id FROM " + table + " WHERE " + column + "=?").str());
  if (!select)
    return select.takeError();
  Expected<bool> row = select->bind(name).step();
  if (!row)
    return row.takeError();
  if (*row)
    return select->integer(0);
  StringRef what = table == "case_" ? "row" : table;
  return createStringError(describe(file) + " has no " + what + " `" + name + "`; add it first");
}

Expected<std::pair<int64_t, int64_t>> Journal::cellOf(StringRef artifact, StringRef row) {
  Expected<int64_t> artifactId = idOf("artifact", "hash", artifact);
  if (!artifactId)
    return artifactId.takeError();
  Expected<int64_t> rowId = idOf("case_", "key", row);
  if (!rowId)
    return rowId.takeError();
  return std::make_pair(*artifactId, *rowId);
}

Error Journal::addVerdict(StringRef artifact, StringRef row, const CheckResult &result) {
  Expected<std::pair<int64_t, int64_t>> cell = cellOf(artifact, row);
  if (!cell)
    return cell.takeError();
  Expected<SqliteTransaction> transaction = SqliteTransaction::begin(database);
  if (!transaction)
    return transaction.takeError();
  Expected<SqliteStatement> insert =
      database.prepare(std::string("INSERT INTO verdict VALUES(?,?,?,?,?,?,?)") + schema::verdictConflict);
  if (!insert)
    return insert.takeError();
  Expected<SqliteStatement> forget = database.prepare("DELETE FROM first_run WHERE artifact=? AND case_=?");
  if (!forget)
    return forget.takeError();
  insert->bind(cell->first)
      .bind(cell->second)
      .bind(int64_t(result.verdict))
      .bind(result.maxAbs)
      .bind(result.maxRel)
      .bind(result.tolerance)
      .bind(StringRef(result.message));
  if (Error error = insert->run())
    return error;
  if (Error error = forget->bind(cell->first).bind(cell->second).run())
    return error;
  return transaction->commit();
}

Error Journal::addFirstRun(StringRef artifact, StringRef row, const FirstRun &run) {
  Expected<std::pair<int64_t, int64_t>> cell = cellOf(artifact, row);
  if (!cell)
    return cell.takeError();
  Expected<SqliteStatement> insert = database.prepare("INSERT OR REPLACE INTO first_run VALUES(?,?,?,?,?,?)");
  if (!insert)
    return insert.takeError();
  return insert->bind(cell->first)
      .bind(cell->second)
      .bind(run.result.maxAbs)
      .bind(run.result.maxRel)
      .bind(run.result.tolerance)
      .bind(StringRef(run.outputs))
      .run();
}

/// Of one artifact on one row, both given by name.
static constexpr char ofCell[] = " WHERE artifact=(SELECT id FROM artifact WHERE hash=?) "
                                 "AND case_=(SELECT id FROM case_ WHERE key=?)";

Expected<std::optional<FirstRun>> Journal::findFirstRun(StringRef artifact, StringRef row) {
  Expected<SqliteStatement> select =
      database.prepare(std::string("SELECT max_abs, max_rel, tolerance, outputs FROM first_run") + ofCell);
  if (!select)
    return select.takeError();
  Expected<bool> found = select->bind(artifact).bind(row).step();
  if (!found)
    return found.takeError();
  if (!*found)
    return std::nullopt;
  return FirstRun{{CheckVerdict::Ok, select->real(0), select->real(1), select->real(2), ""}, select->text(3).str()};
}

Expected<std::optional<CheckResult>> Journal::findVerdict(StringRef artifact, StringRef row) {
  Expected<SqliteStatement> select =
      database.prepare(std::string("SELECT verdict, max_abs, max_rel, tolerance, message FROM verdict") + ofCell);
  if (!select)
    return select.takeError();
  Expected<bool> found = select->bind(artifact).bind(row).step();
  if (!found)
    return found.takeError();
  if (!*found)
    return std::nullopt;
  return CheckResult{CheckVerdict(select->integer(0)), select->real(1), select->real(2), select->real(3),
                     select->text(4).str()};
}

//===-- Sessions and samples -------------------------------------------------------------------------------------===//

Error Journal::addSession(const Session &session) {
  Expected<SqliteStatement> insert =
      database.prepare(std::string("INSERT INTO session(name, device_class, protocol, started) VALUES(?,?,?,?)") +
                       schema::sessionConflict);
  if (!insert)
    return insert.takeError();
  return insert->bind(StringRef(session.id))
      .bind(StringRef(session.deviceClass))
      .bind(StringRef(session.protocol))
      .bind(session.started)
      .run();
}

Expected<Session> Journal::startSession(StringRef deviceClass, StringRef protocol) {
  Expected<int64_t> last = database.integer("SELECT max(started) FROM session");
  if (!last)
    return last.takeError();
  std::random_device device;
  std::string bytes;
  for (int word = 0; word < 4; ++word) {
    uint32_t value = device();
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  Session session{toHex(bytes, /*LowerCase=*/true), deviceClass.str(), protocol.str(), *last + 1};
  if (Error error = addSession(session))
    return error;
  return session;
}

Expected<std::vector<Session>> Journal::sessions() {
  Expected<SqliteStatement> select =
      database.prepare("SELECT name, device_class, protocol, started FROM session ORDER BY started, name");
  if (!select)
    return select.takeError();
  std::vector<Session> list;
  Expected<bool> row = select->step();
  for (; row && *row; row = select->step())
    list.push_back({select->text(0).str(), select->text(1).str(), select->text(2).str(), select->integer(3)});
  if (!row)
    return row.takeError();
  return list;
}

Error Journal::addSample(const Sample &sample) {
  Expected<int64_t> session = idOf("session", "name", sample.session);
  if (!session)
    return session.takeError();
  Expected<int64_t> artifact = idOf("artifact", "hash", sample.artifact);
  if (!artifact)
    return artifact.takeError();
  Expected<int64_t> row = idOf("case_", "key", sample.row);
  if (!row)
    return row.takeError();
  Expected<SqliteStatement> insert =
      database.prepare(std::string("INSERT INTO sample VALUES(?,?,?,?,?,?,?,?)") + schema::sampleConflict);
  if (!insert)
    return insert.takeError();
  Expected<PackedTimes> times = packTimes(sample.timesNs);
  if (!times)
    return times.takeError();
  return insert->bind(*session)
      .bind(*artifact)
      .bind(*row)
      .bind(StringRef(sample.mode))
      .bind(sample.ordinal)
      .bind(int64_t(sample.anchor))
      .bindBlob(times->bytes)
      .bind(times->medianNs)
      .run();
}

/// `WHERE a=? AND b=?` with the values of the fields that are set.
static std::string condition(const SampleQuery &query, std::vector<std::string> &values) {
  std::pair<const char *, const std::optional<std::string> &> fields[] = {{"artifact.hash", query.artifact},
                                                                          {"case_.key", query.row},
                                                                          {"session.name", query.session},
                                                                          {"sample.mode", query.mode},
                                                                          {"session.device_class", query.deviceClass},
                                                                          {"session.protocol", query.protocol}};
  std::string text = " WHERE 1";
  for (const auto &[column, value] : fields)
    if (value) {
      text += std::string(" AND ") + column + "=?";
      values.push_back(*value);
    }
  if (query.anchor)
    text += *query.anchor ? " AND sample.anchor=1" : " AND sample.anchor=0";
  return text;
}

Expected<std::vector<Sample>> Journal::samples(const SampleQuery &query) {
  std::vector<std::string> values;
  Expected<SqliteStatement> select = database.prepare(
      "SELECT artifact.hash, case_.key, session.name, mode, ordinal, anchor, times, median, device_class, protocol "
      "FROM sample JOIN session ON session.id=sample.session JOIN artifact ON artifact.id=sample.artifact "
      "JOIN case_ ON case_.id=sample.case_" +
      condition(query, values) + " ORDER BY case_.key, artifact.hash, session.name, mode, ordinal");
  if (!select)
    return select.takeError();
  for (const std::string &value : values)
    select->bind(StringRef(value));
  std::vector<Sample> list;
  Expected<bool> row = select->step();
  for (; row && *row; row = select->step()) {
    Sample sample;
    sample.artifact = select->text(0).str();
    sample.row = select->text(1).str();
    sample.session = select->text(2).str();
    sample.mode = select->text(3).str();
    sample.ordinal = select->integer(4);
    sample.anchor = select->integer(5) != 0;
    sample.timesNs = unpackTimes(select->blob(6));
    sample.medianNs = select->real(7);
    sample.deviceClass = select->text(8).str();
    sample.protocol = select->text(9).str();
    list.push_back(std::move(sample));
  }
  if (!row)
    return row.takeError();
  return list;
}

} // namespace helion::aot
