// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Journal/Sqlite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <cmath>
#include <sqlite3.h>

using namespace llvm;

namespace helion::aot {

namespace {
struct Explanation {
  int code;
  const char *text;
};
} // namespace

// What a user can act on; other codes give SQLite's own words.
static constexpr Explanation explanations[] = {
    {SQLITE_FULL, "is full: the disk or the size limit is reached; free space or run `journal gc`"},
    {SQLITE_READONLY, "cannot be written: the file or its folder is read-only"},
    {SQLITE_CANTOPEN, "cannot be opened: the file is missing, or its folder is missing or read-only"},
    {SQLITE_PERM, "cannot be opened: permission denied"},
    {SQLITE_BUSY, "is locked by another program"},
    {SQLITE_LOCKED, "is locked by another program"},
    {SQLITE_NOTADB, "is no SQLite file"},
    {SQLITE_CORRUPT, "is damaged"},
};

/// What the last call on the database failed of.
static Error failure(const Twine &name, int code, sqlite3 *database) {
  // Where there is no room for the index of the log beside the file, SQLite says no more than that.
  int system = database ? sqlite3_system_errno(database) : 0;
  if ((code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EFBIG || system == EDQUOT))
    code = SQLITE_FULL;
  for (const Explanation &row : explanations)
    if (row.code == (code & 0xff))
      return createStringError(name + " " + row.text);
  std::string why = (code & 0xff) == SQLITE_IOERR && system != 0
                        ? ": " + std::error_code(system, std::generic_category()).message()
                        : std::string();
  return createStringError(name + ": " + (database ? sqlite3_errmsg(database) : "out of memory") + why);
}

//===-- Statement ------------------------------------------------------------------------------------------------===//

void SqliteStatement::Finalize::operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }

static void keepFirst(int &first, int code) {
  if (first == SQLITE_OK)
    first = code;
}

SqliteStatement &SqliteStatement::bind(int64_t value) {
  keepFirst(firstError, sqlite3_bind_int64(statement.get(), next++, value));
  return *this;
}

SqliteStatement &SqliteStatement::bind(double value) {
  keepFirst(firstError, sqlite3_bind_double(statement.get(), next++, std::isnan(value) ? HUGE_VAL : value));
  return *this;
}

SqliteStatement &SqliteStatement::bind(StringRef text) {
  // A null pointer would bind NULL.
  const char *data = text.empty() ? "" : text.data();
  keepFirst(firstError, sqlite3_bind_text64(statement.get(), next++, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

SqliteStatement &SqliteStatement::bindBlob(StringRef bytes) {
  const char *data = bytes.empty() ? "" : bytes.data();
  keepFirst(firstError, sqlite3_bind_blob64(statement.get(), next++, data, bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

SqliteStatement &SqliteStatement::bindNull() {
  keepFirst(firstError, sqlite3_bind_null(statement.get(), next++));
  return *this;
}

Expected<bool> SqliteStatement::step() {
  int code = firstError == SQLITE_OK ? sqlite3_step(statement.get()) : firstError;
  if (code == SQLITE_ROW || code == SQLITE_DONE)
    return code == SQLITE_ROW;
  Error error = failure(*name, code, sqlite3_db_handle(statement.get()));
  sqlite3_reset(statement.get());
  return std::move(error);
}

Error SqliteStatement::run() {
  Expected<bool> more = true;
  while (more && *more)
    more = step();
  return more.takeError();
}

void SqliteStatement::reset() {
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  next = 1;
  firstError = SQLITE_OK;
}

int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement.get(), column); }
double SqliteStatement::real(int column) const { return sqlite3_column_double(statement.get(), column); }
bool SqliteStatement::isNull(int column) const { return sqlite3_column_type(statement.get(), column) == SQLITE_NULL; }

StringRef SqliteStatement::text(int column) const {
  const void *data = sqlite3_column_text(statement.get(), column);
  return {static_cast<const char *>(data), size_t(sqlite3_column_bytes(statement.get(), column))};
}

StringRef SqliteStatement::blob(int column) const {
  const void *data = sqlite3_column_blob(statement.get(), column);
  return {static_cast<const char *>(data), size_t(sqlite3_column_bytes(statement.get(), column))};
}

//===-- Database -------------------------------------------------------------------------------------------------===//

void Sqlite::Close::operator()(sqlite3 *database) const { sqlite3_close_v2(database); }

std::string Sqlite::uri(StringRef path, StringRef query) {
  std::string text = "file:";
  for (char c : path) {
    if (isAlnum(c) || StringRef("/._-~").contains(c))
      text += c;
    else
      text += "%" + toHex(StringRef(&c, 1));
  }
  return text + "?" + query.str();
}

Expected<Sqlite> Sqlite::open(StringRef path, StringRef name, const Options &options) {
  int flags = SQLITE_OPEN_URI | (options.write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  std::string file = uri(path, options.immutable ? "immutable=1" : "");
  sqlite3 *handle = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &handle, flags, options.vfs.empty() ? nullptr : options.vfs.c_str());
  Sqlite result;
  result.database.reset(handle);
  result.name = std::make_unique<std::string>(name);
  if (code != SQLITE_OK)
    return failure(name, code, handle);
  // Readers may meet a writer that commits; 10 s is far longer than any commit.
  sqlite3_busy_timeout(handle, 10000);
  return std::move(result);
}

Error Sqlite::run(StringRef sql) {
  if (sqlite3_exec(database.get(), sql.str().c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
    return Error::success();
  return failure(*name, sqlite3_errcode(database.get()), database.get());
}

Expected<SqliteStatement> Sqlite::prepare(StringRef sql) {
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database.get(), sql.data(), int(sql.size()), &statement, nullptr) != SQLITE_OK)
    return failure(*name, sqlite3_errcode(database.get()), database.get());
  return SqliteStatement(statement, *name);
}

Expected<int64_t> Sqlite::integer(StringRef sql) {
  Expected<SqliteStatement> statement = prepare(sql);
  if (!statement)
    return statement.takeError();
  Expected<bool> row = statement->step();
  if (!row)
    return row.takeError();
  return *row ? statement->integer(0) : 0;
}

Expected<std::string> Sqlite::text(StringRef sql) {
  Expected<SqliteStatement> statement = prepare(sql);
  if (!statement)
    return statement.takeError();
  Expected<bool> row = statement->step();
  if (!row)
    return row.takeError();
  return *row ? statement->text(0).str() : std::string();
}

int64_t Sqlite::lastRowId() const { return sqlite3_last_insert_rowid(database.get()); }

Expected<SqliteTransaction> SqliteTransaction::begin(Sqlite &database) {
  if (Error error = database.run("BEGIN IMMEDIATE"))
    return error;
  return SqliteTransaction(&database);
}

SqliteTransaction::~SqliteTransaction() {
  // A rollback after an error that has already rolled back fails, which changes nothing.
  if (database)
    consumeError(database->run("ROLLBACK"));
}

Error SqliteTransaction::commit() {
  if (Error error = database->run("COMMIT"))
    return error;
  database = nullptr;
  return Error::success();
}

} // namespace helion::aot
