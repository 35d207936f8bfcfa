// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ of one manifest: expressions, facts, checks, sizes and the steps of its launch plan, as they stand in the
// marked places of templates/the_kernel.cpp.
#ifndef HELION_AOT_RUNNER_PACKAGE_PLANTEXT_H
#define HELION_AOT_RUNNER_PACKAGE_PLANTEXT_H

#include "dialect/Target/Manifest.h"

namespace helion {

class PlanText {
public:
  explicit PlanText(const Manifest &manifest) : manifest(manifest) {}

  std::string expression(const SizeExpr &value) const;
  std::string condition(const Pred &pred) const;

  /// `if (!(fact)) return i;` for each fact, or for each check.
  std::string factChecks() const;
  std::string checks() const;
  std::string outputSizes() const;
  std::string workspaceSizes() const;
  std::string steps() const;
  /// Whether a launch does: a fact behind the manifest's.
  bool takesMaps() const;

private:
  /// Whether programs are blocks of a GPU's threads.
  bool hasBlocks() const;
  std::string leaf(const Leaf &leaf) const;
  std::string buffer(llvm::StringRef name, Dtype &dtype) const;
  std::string address(const PlanArgument &argument) const;
  std::string word(const PlanArgument &argument) const;
  std::string mapFields(const PlanArgument &map) const;
  void printFill(llvm::raw_ostream &os, const PlanFill &fill) const;
  void printLaunch(llvm::raw_ostream &os, const PlanLaunch &launch) const;
  void printParameters(llvm::raw_ostream &os, const PlanLaunch &launch) const;

  const Manifest &manifest;
};

/// The runtime's enumerator of an element type, "DType::F32".
std::string dtypeEnumerator(Dtype dtype);
/// Of a GPU's kernel: its place among those that the package loads.
std::string kernelEnumerator(llvm::StringRef symbol);
/// Of a tensor map, which is the kernel's argument of this number: its place among those of the package.
std::string mapEnumerator(llvm::StringRef symbol, size_t argument);
/// `128 x 64 bf16`: the box as the kernel sees it, the contiguous dim last.
std::string boxText(const PlanArgument &map);

/// A literal of the type, for fixed values.
std::string realLiteral(double value);
std::string integerLiteral(int64_t value);

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_PLANTEXT_H
