// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SQLite's C interface as values that close themselves. The only file pair that includes sqlite3.h.
#ifndef HELION_AOT_RUNNER_JOURNAL_SQLITE_H
#define HELION_AOT_RUNNER_JOURNAL_SQLITE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace helion::aot {

/// A prepared statement with its values: `bind` in the order of the question marks, then `step` for each row.
class SqliteStatement {
public:
  SqliteStatement &bind(int64_t value);
  /// SQLite has no NaN, so NaN is kept as infinity.
  SqliteStatement &bind(double value);
  SqliteStatement &bind(llvm::StringRef text);
  SqliteStatement &bindBlob(llvm::StringRef bytes);
  SqliteStatement &bindNull();

  /// True while there is a row.
  llvm::Expected<bool> step();
  /// Steps to the end.
  llvm::Error run();
  /// Ready for another round of `bind`.
  void reset();

  int64_t integer(int column) const;
  double real(int column) const;
  llvm::StringRef text(int column) const; // Until the next step.
  llvm::StringRef blob(int column) const;
  bool isNull(int column) const;

private:
  friend class Sqlite;
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  SqliteStatement(sqlite3_stmt *statement, const std::string &name) : statement(statement), name(&name) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement;
  const std::string *name;
  int next = 1;
  int firstError = 0;
};

class Sqlite {
public:
  struct Options {
    bool write = false;
    bool immutable = false; // The file and its folder cannot change: no lock files are made.
    std::string vfs;        // SQLite's default when empty.
  };
  /// `name` is what messages call the database: "journal `x.sqlite`".
  static llvm::Expected<Sqlite> open(llvm::StringRef path, llvm::StringRef name, const Options &options);

  llvm::Error run(llvm::StringRef sql); // One or more statements without values.
  llvm::Expected<SqliteStatement> prepare(llvm::StringRef sql);
  llvm::Expected<int64_t> integer(llvm::StringRef sql); // The first column of the first row.
  llvm::Expected<std::string> text(llvm::StringRef sql);
  int64_t lastRowId() const;
  /// `file:...?mode=ro` for ATTACH.
  static std::string uri(llvm::StringRef path, llvm::StringRef query);

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };
  std::unique_ptr<sqlite3, Close> database;
  std::unique_ptr<std::string> name; // Statements point to it.
};

/// Rolls back unless committed.
class SqliteTransaction {
public:
  static llvm::Expected<SqliteTransaction> begin(Sqlite &database);
  SqliteTransaction(SqliteTransaction &&other) : database(std::exchange(other.database, nullptr)) {}
  ~SqliteTransaction();
  llvm::Error commit();

private:
  explicit SqliteTransaction(Sqlite *database) : database(database) {}
  Sqlite *database;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_SQLITE_H
