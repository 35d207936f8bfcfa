// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `<kernel>.tuned.jsonl`: the outcome of a tuning as text for the user's git. Each line is an object with a `record`:
// header, then by signature: signature, its variants, its rows, its tree. Selection writes it, the package is built
// from it; equal contents give equal bytes.
#ifndef HELION_AOT_RUNNER_JOURNAL_TUNED_H
#define HELION_AOT_RUNNER_JOURNAL_TUNED_H

#include "aot-runner/Journal/Corpus.h"
#include "dialect/Target/Manifest.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helion::aot {

/// A median of times in nanoseconds, with the interval it is known to.
struct Interval {
  double median = 0, low = 0, high = 0;
};
inline bool operator==(const Interval &a, const Interval &b) {
  return a.median == b.median && a.low == b.low && a.high == b.high;
}

/// One member of the selected set. The universal variant serves every legal call of its signature.
struct TunedVariant {
  unsigned id = 0; // 0, 1, .. in its signature.
  std::string config;
  std::string artifact; // Hash.
  Resources resources;
  bool universal = false;
  bool reaches = false; // Serves dense calls far larger than all rows;
  bool beyond = false;  // and is the first to be tried for them.
};

/// A row of the corpus with what was measured on it.
struct TunedRow {
  Row row;
  Interval best;                         // Of the whole pool.
  std::optional<Interval> anchor;        // Of the signature's anchor: times of another session compare by ratios to it.
  std::map<unsigned, Interval> variants; // By id; only those that are legal and were measured.
};

/// Nested ifs: `feature <= limit` goes to `thenNode`, else to `elseNode`; a leaf names a variant.
struct DispatchTree {
  struct Node {
    SizeExpr feature;
    int64_t limit = 0;
    unsigned thenNode = 0, elseNode = 0;
    std::optional<unsigned> variant;
  };
  std::vector<Node> nodes; // The root is first; children come after their parent.

  unsigned addLeaf(unsigned variant);
  /// The children are added after it and then set.
  unsigned addSplit(SizeExpr feature, int64_t limit);
  /// The variant for one call; an error where a feature has no value.
  llvm::Expected<unsigned> choose(const Binding &binding) const;
  /// Its leaf, a node.
  llvm::Expected<unsigned> leafFor(const Binding &binding) const;
};

struct TunedSignature {
  std::string name;       // Unique in the file.
  std::string kernelHash; // Of its normalised K.
  std::vector<Argument> arguments;
  std::string anchor; // The artifact that each session timed beside the others; empty in files of version 1.
  std::vector<TunedVariant> variants;
  std::vector<TunedRow> rows; // In canonical order.
  DispatchTree tree;
};

struct Tuned {
  /// 2 added the anchor and unmeasured rows, 3 what serves calls beyond the rows; files of 1 and 2 are read.
  static constexpr unsigned version = 3;
  std::string kernel, kernelHash; // The hash is of all its signatures.
  std::string target;
  std::string goal; // "max_slowdown"
  double threshold = 0;
  unsigned poolSize = 0;             // Distinct artifacts that `best` was taken from, of the smallest signature's pool;
  unsigned poolRandom = 0;           // of them drawn at random from all legal configs,
  bool poolWhole = false;            // or every legal config was tried.
  unsigned unmeasured = 0;           // Rows of the corpus that a budget left out.
  std::string deviceClass, protocol; // Of the measurements.
  std::vector<TunedSignature> signatures;

  /// Strict: `file:line:col` for every error, also for a variant that a tree or row names and the file has not.
  static llvm::Expected<Tuned> parse(llvm::StringRef text, llvm::StringRef file);
  static llvm::Expected<Tuned> load(const std::string &file);
  /// Canonical: signatures, variants and rows are sorted first.
  std::string text() const;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_TUNED_H
