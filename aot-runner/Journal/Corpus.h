// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The corpus: which calls count, how much, and with what data. JSON lines; each line is expanded over its sweep into
// rows of numbers. Every error says `file:line:col` of the value that is wrong.
#ifndef HELION_AOT_RUNNER_JOURNAL_CORPUS_H
#define HELION_AOT_RUNNER_JOURNAL_CORPUS_H

#include "dialect/Target/Dtype.h"
#include "dialect/Target/JsonText.h"
#include "dialect/Target/ResolvedPlan.h"
#include <map>
#include <string>
#include <vector>

namespace helion::aot {

/// How a tensor gets its values.
struct Init {
  enum class Kind { Normal, Uniform, RandInt, Permutation, Offsets, File };
  Kind kind = Kind::Normal;
  double low = 0, high = 0;    // Uniform: in [low, high).
  int64_t first = 0, last = 0; // RandInt: in [first, last). Offsets: from 0 rising to `last`.
  std::string file;            // File: the path of a .npy file, as written.

  std::string text() const;
};

/// One argument of a call.
struct RowArg {
  enum class Kind { Tensor, Number, None };
  Kind kind = Kind::None;
  Scalar number; // Number: I64, F64 or Bool.
  // Tensor:
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape, strides; // Strides in elements; contiguous ones are filled in.
  int64_t align = 16;                  // Of the address, in bytes.
  Init init;
};

/// One call that counts. The reader makes it; nobody changes it.
struct Row {
  std::string kernel;
  std::map<std::string, RowArg> args;
  double weight = 1;
  std::string group;
  std::string place; // `file:line:col` of its arguments, for messages.

  /// Canonical JSON of kernel and args (not of weight and group), which `parse` reads back.
  std::string key() const;
  llvm::json::Value argsJson() const;
  /// The name of the row in journals: hash of the key.
  std::string id() const;
  static llvm::Expected<Row> parse(llvm::StringRef key, llvm::StringRef file);
  /// Sizes, strides, alignments and scalars as a launch plan asks for them.
  Binding binding() const;
  /// Canonical order: by kernel, then sizes as numbers, then key.
  bool operator<(const Row &other) const;
};

struct Corpus {
  static constexpr unsigned version = 1;
  std::vector<Row> rows; // In canonical order.

  static llvm::Expected<Corpus> parse(llvm::StringRef text, llvm::StringRef file);
  /// Reads all files; a row that stands in two of them is an error. With `kernel`, keeps that kernel's rows and fails
  /// where there is none.
  static llvm::Expected<Corpus> load(llvm::ArrayRef<std::string> files, llvm::StringRef kernel = "");
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_CORPUS_H
