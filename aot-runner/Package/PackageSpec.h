// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a package is made from. Plain values: two equal specs give equal bytes.
#ifndef HELION_AOT_RUNNER_PACKAGE_PACKAGESPEC_H
#define HELION_AOT_RUNNER_PACKAGE_PACKAGESPEC_H

#include "aot-runner/Select/Verdict.h"
#include "dialect/Target/Manifest.h"
#include <optional>
#include <string>
#include <vector>

namespace helion {

/// A compiled candidate that the package carries.
struct PackageVariant {
  Manifest manifest;
  std::string configId; // 8 hexadecimal digits, unique within the signature.
  std::string object;   // The object file's bytes.
  std::string text; // PTX behind a cubin, for devices that the cubin does not run on; empty where it runs nowhere else.
};

/// What a tree asks of a call: a name that readers of the dispatch code know ("rows") and its value.
struct PackageFeature {
  std::string name;
  SizeExpr value;
};

/// An inner node compares a feature with a threshold, a leaf names a variant. Node 0 is the root.
struct PackageNode {
  int variant = -1; // Leaf: index into the signature's variants.
  /// Leaf: what to try where a fact of the variant fails, the nearest first; the universal variant follows.
  std::vector<int> next;
  int feature = -1; // Inner: index into its features.
  int64_t threshold = 0;
  int atMost = -1; // The node for feature <= threshold.
  int above = -1;
};

/// One list of argument types that the package serves. All variants have the same arguments, checks and outputs. Those
/// of the package's target are measured; of each further target, which GPUs of another kind run, there is one, behind
/// them, and no tree names it.
struct PackageSignature {
  std::vector<PackageVariant> variants;
  int universal = 0; // The variant for calls that fit no other.
  std::vector<PackageFeature> features;
  std::vector<PackageNode> tree;
  std::vector<std::vector<int64_t>> corpus; // The measured rows, as values of the features.
};

/// What the first lines of the sources say about the measurements. Slowdowns are against the best of the pool.
struct PackageFigures {
  std::string goal; // "max_slowdown"
  double threshold = 1;
  aot::Outcome outcome = aot::Outcome::Undecided;
  int64_t unmeasured = 0; // Rows of the corpus that a budget left out.
  int64_t pool = 0;       // Distinct artifacts,
  int64_t poolRandom = 0; // of them drawn at random from all legal configs,
  bool poolWhole = false; // or every legal config was tried.
  double worst = 1, mean = 1;
  std::optional<double> heldOut;             // Worst slowdown on shapes that did not take part.
  std::optional<int64_t> smallestSet;        // The fewest configs that meet the goal,
  std::optional<int64_t> smallestRealisable; // and the fewest with which a tree meets it.
};

struct PackageSpec {
  std::string kernel;      // A C identifier; the prefix of every symbol.
  std::string kernelHash;  // Of the kernel the signatures were imported from.
  std::string toolVersion; // "0.1.0"
  PackageFigures figures;
  std::vector<PackageSignature> signatures;
  std::optional<std::string> tunedText; // Contents of <kernel>.tuned.jsonl.
};

/// The targets of all variants, the measured one first.
std::vector<std::string> targetsOf(const PackageSpec &spec);
/// A signature's variant of a further target.
const PackageVariant &furtherVariant(const PackageSignature &signature, llvm::StringRef target);

/// What is wrong with a spec: a name that is no identifier, signatures that do not fit one C function, variants that
/// disagree about the call, an object that lacks a symbol of its plan or uses one it may not use, a broken tree.
llvm::Error checkSpec(const PackageSpec &spec);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_PACKAGESPEC_H
