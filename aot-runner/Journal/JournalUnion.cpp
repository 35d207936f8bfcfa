// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What works on all records of a journal: merging another one into it, counting, shrinking, and the canonical text.
#include "aot-runner/Journal/Journal.h"
#include "aot-runner/Journal/JournalSchema.h"
#include "aot-runner/Journal/SampleTimes.h"
#include "dialect/Target/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace helion::aot {

//===-- Merging --------------------------------------------------------------------------------------------------===//

/// Names of the other journal's rows, artifacts and sessions lead to the local numbers.
static std::vector<std::string> mergeStatements() {
  using namespace schema;
  return {
      std::string("INSERT INTO main.compile SELECT * FROM other.compile WHERE 1") + compileConflict,
      std::string("INSERT INTO main.artifact(hash, manifest, object) "
                  "SELECT hash, manifest, object FROM other.artifact WHERE 1") +
          artifactConflict,
      std::string("INSERT INTO main.case_(key, args) SELECT key, args FROM other.case_ WHERE 1 ") + caseConflict,
      std::string("INSERT INTO main.session(name, device_class, protocol, started) "
                  "SELECT name, device_class, protocol, started FROM other.session WHERE 1") +
          sessionConflict,
      std::string(
          "INSERT INTO main.verdict SELECT a.id, c.id, v.verdict, v.max_abs, v.max_rel, v.tolerance, v.message "
          "FROM other.verdict v JOIN other.artifact oa ON oa.id=v.artifact JOIN main.artifact a ON a.hash=oa.hash "
          "JOIN other.case_ oc ON oc.id=v.case_ JOIN main.case_ c ON c.key=oc.key WHERE 1") +
          verdictConflict,
      std::string(
          "INSERT INTO main.sample SELECT s.id, a.id, c.id, x.mode, x.ordinal, x.anchor, x.times, x.median "
          "FROM other.sample x JOIN other.artifact oa ON oa.id=x.artifact JOIN main.artifact a ON a.hash=oa.hash "
          "JOIN other.case_ oc ON oc.id=x.case_ JOIN main.case_ c ON c.key=oc.key "
          "JOIN other.session os ON os.id=x.session JOIN main.session s ON s.name=os.name WHERE 1") +
          sampleConflict,
  };
}

Error Journal::merge(StringRef otherPath) {
  // A reader of its own checks the version and keeps the file's state open meanwhile.
  Expected<Journal> other = open(otherPath, Mode::Read);
  if (!other)
    return other.takeError();
  Expected<SqliteStatement> attach = database.prepare("ATTACH ? AS other");
  if (!attach)
    return attach.takeError();
  if (Error error = attach->bind(StringRef(Sqlite::uri(otherPath, other->immutable ? "immutable=1" : "mode=ro"))).run())
    return error;
  auto detach = scope_exit([&] { consumeError(database.run("DETACH other")); });
  Expected<SqliteTransaction> transaction = SqliteTransaction::begin(database);
  if (!transaction)
    return transaction.takeError();
  for (const std::string &sql : mergeStatements())
    if (Error error = database.run(sql))
      return error;
  return transaction->commit();
}

//===-- Counting and shrinking -----------------------------------------------------------------------------------===//

Expected<int64_t> Journal::fileBytes() {
  return database.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
}

Expected<JournalStats> Journal::stats() {
  JournalStats stats;
  std::pair<const char *, int64_t &> counts[] = {
      {"SELECT count(*) FROM compile", stats.compiles},
      {"SELECT count(*) FROM artifact", stats.artifacts},
      {"SELECT count(object) FROM artifact", stats.objects},
      {"SELECT coalesce(sum(length(object)), 0) FROM artifact", stats.objectBytes},
      {"SELECT count(*) FROM case_", stats.rows},
      {"SELECT count(*) FROM verdict", stats.verdicts},
      {"SELECT count(*) FROM session", stats.sessions},
      {"SELECT count(*) FROM sample", stats.samples},
  };
  for (auto &[sql, count] : counts) {
    Expected<int64_t> value = database.integer(sql);
    if (!value)
      return value.takeError();
    count = *value;
  }
  Expected<int64_t> bytes = fileBytes();
  if (!bytes)
    return bytes.takeError();
  stats.fileBytes = *bytes;
  return stats;
}

// How far an artifact is from the best of its row, in the row where it is nearest; medians of one session and mode are
// compared. Artifacts that were never timed come first.
static constexpr char slowestFirst[] = R"sql(
SELECT artifact.id AS id, coalesce(min(sample.median / best.median), 1e300) AS distance FROM artifact
LEFT JOIN sample ON sample.artifact=artifact.id
LEFT JOIN (SELECT session, case_, mode, max(min(median), 1e-3) AS median FROM sample GROUP BY session, case_, mode) best
  ON best.session=sample.session AND best.case_=sample.case_ AND best.mode=sample.mode
GROUP BY artifact.id ORDER BY distance DESC, artifact.hash)sql";

namespace {
/// What `gc` may drop, and how.
struct Droppable {
  StringRef column;
  const char *bytes; // Of one artifact.
  const char *drop;
};
} // namespace

static constexpr Droppable droppables[] = {
    {"object", "SELECT coalesce(length(object), 0) FROM artifact WHERE id=?",
     "UPDATE artifact SET object=NULL WHERE id=?"},
    {"times", "SELECT coalesce(sum(length(times)), 0) FROM sample WHERE artifact=?",
     "UPDATE sample SET times=x'' WHERE artifact=?"},
};

Error Journal::dropSlowest(StringRef column, int64_t bytes, int64_t &dropped) {
  const Droppable &what = *find_if(droppables, [&](const Droppable &row) { return row.column == column; });
  Expected<SqliteTransaction> transaction = SqliteTransaction::begin(database);
  if (!transaction)
    return transaction.takeError();
  Expected<SqliteStatement> list = database.prepare(slowestFirst);
  if (!list)
    return list.takeError();
  Expected<SqliteStatement> size = database.prepare(what.bytes);
  if (!size)
    return size.takeError();
  Expected<SqliteStatement> drop = database.prepare(what.drop);
  if (!drop)
    return drop.takeError();
  std::vector<int64_t> ids;
  Expected<bool> row = list->step();
  for (; row && *row; row = list->step())
    ids.push_back(list->integer(0));
  if (!row)
    return row.takeError();
  for (int64_t id : ids) {
    if (bytes <= 0)
      break;
    size->reset();
    Expected<bool> found = size->bind(id).step();
    if (!found)
      return found.takeError();
    int64_t freed = size->integer(0);
    if (freed == 0)
      continue;
    drop->reset();
    if (Error error = drop->bind(id).run())
      return error;
    bytes -= freed;
    ++dropped;
  }
  size->reset();
  drop->reset();
  return transaction->commit();
}

Expected<GcReport> Journal::gc(int64_t maxBytes) {
  GcReport report;
  Expected<int64_t> bytes = fileBytes();
  if (!bytes)
    return bytes.takeError();
  report.bytesBefore = *bytes;
  std::pair<StringRef, int64_t &> stages[] = {{"object", report.droppedObjects}, {"times", report.droppedTimes}};
  for (auto &[column, dropped] : stages) {
    if (*bytes <= maxBytes)
      break;
    if (Error error = dropSlowest(column, *bytes - maxBytes, dropped))
      return error;
    if (Error error = database.run("VACUUM"))
      return error;
    if (wal)
      if (Error error = database.run("PRAGMA wal_checkpoint(TRUNCATE)"))
        return error;
    bytes = fileBytes();
    if (!bytes)
      return bytes.takeError();
  }
  report.bytesAfter = *bytes;
  return report;
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

namespace {
/// One kind of line.
struct Exported {
  const char *sql;
  json::Value (*line)(SqliteStatement &row);
};
} // namespace

/// Manifests and rows are JSON already.
static json::Value embedded(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (value)
    return *value;
  consumeError(value.takeError());
  return text.str();
}

static constexpr Exported exported[] = {
    {"SELECT kernel_hash, config, build, verdict, artifact, message FROM compile",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "compile"},
                                       {"kernel_hash", row.text(0).str()},
                                       {"config", row.text(1).str()},
                                       {"build", row.text(2).str()},
                                       {"verdict", name(CompileVerdict(row.integer(3)))},
                                       {"artifact", row.text(4).str()},
                                       {"message", row.text(5).str()}});
     }},
    {"SELECT hash, manifest, coalesce(length(object), 0) FROM artifact",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "artifact"},
                                       {"hash", row.text(0).str()},
                                       {"manifest", embedded(row.text(1))},
                                       {"object_bytes", row.integer(2)}});
     }},
    {"SELECT key, args FROM case_",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "row"}, {"id", row.text(0).str()}, {"row", embedded(row.text(1))}});
     }},
    {"SELECT hash, key, verdict, max_abs, max_rel, tolerance, message FROM verdict "
     "JOIN artifact ON artifact.id=verdict.artifact JOIN case_ ON case_.id=verdict.case_",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "verdict"},
                                       {"artifact", row.text(0).str()},
                                       {"row", row.text(1).str()},
                                       {"verdict", name(CheckVerdict(row.integer(2)))},
                                       {"max_abs", realToJson(row.real(3))},
                                       {"max_rel", realToJson(row.real(4))},
                                       {"tolerance", realToJson(row.real(5))},
                                       {"message", row.text(6).str()}});
     }},
    {"SELECT name, device_class, protocol, started FROM session",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "session"},
                                       {"id", row.text(0).str()},
                                       {"device_class", row.text(1).str()},
                                       {"protocol", row.text(2).str()},
                                       {"started", row.integer(3)}});
     }},
    {"SELECT hash, key, name, mode, ordinal, anchor, times, median FROM sample JOIN session ON "
     "session.id=sample.session "
     "JOIN artifact ON artifact.id=sample.artifact JOIN case_ ON case_.id=sample.case_",
     [](SqliteStatement &row) {
       return json::Value(json::Object{{"record", "sample"},
                                       {"artifact", row.text(0).str()},
                                       {"row", row.text(1).str()},
                                       {"session", row.text(2).str()},
                                       {"mode", row.text(3).str()},
                                       {"ordinal", row.integer(4)},
                                       {"anchor", row.integer(5) != 0},
                                       {"times_ns", json::Array(unpackTimes(row.blob(6)))},
                                       {"median_ns", row.real(7)}});
     }},
};

Error Journal::exportText(raw_ostream &os) {
  std::vector<std::string> lines;
  for (const Exported &kind : exported) {
    Expected<SqliteStatement> select = database.prepare(kind.sql);
    if (!select)
      return select.takeError();
    Expected<bool> row = select->step();
    for (; row && *row; row = select->step())
      lines.push_back(canonicalJson(kind.line(*select)));
    if (!row)
      return row.takeError();
  }
  llvm::sort(lines);
  os << canonicalJson(json::Object{{"record", "journal"}, {"version", version}}) << '\n';
  for (const std::string &line : lines)
    os << line << '\n';
  return Error::success();
}

} // namespace helion::aot
