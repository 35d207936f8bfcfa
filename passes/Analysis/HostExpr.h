// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host part of a kernel computes, as expressions over the kernel's arguments: sizes, conditions and views. The
// schedule passes state facts with it, code generation prints the launch plan with it. Host values are sizes: divisions
// assume a dividend that is not negative, so `divui`, `divsi` and `floordivsi` are one `floordiv`.
#ifndef HELION_PASSES_ANALYSIS_HOSTEXPR_H
#define HELION_PASSES_ANALYSIS_HOSTEXPR_H

#include "dialect/IR/Helion.h"
#include "dialect/IR/SizeExpr.h"
#include "llvm/ADT/DenseMap.h"
#include <string>
#include <vector>

namespace helion {

/// A host tensor as a strided window of one buffer; offset and strides count elements from the buffer's element at
/// index 0. Types' static sizes and strides are constants here.
struct HostView {
  mlir::Value base;   // The kernel's argument, or the result of helion.empty or helion.full.
  std::string buffer; // Its name.
  SizeExpr offset;
  llvm::SmallVector<SizeExpr> sizes, strides;
  /// Conditions under which the value is this window: contiguity of dims that were collapsed.
  std::vector<Pred> needs;
};

/// Answers for the values of one module; remembers them, so it is made once and dropped when host ops change.
class HostExprs {
public:
  /// The value of an index or integer; none where it depends on anything but arguments, block sizes and device facts.
  /// A block size is its bound value, before binding a scalar with the block's name.
  std::optional<SizeExpr> expr(mlir::Value value);
  /// A condition that is one comparison.
  std::optional<Pred> pred(mlir::Value condition);
  /// A condition that is a conjunction: appends its parts (constant true has none); false where it is no such thing.
  bool preds(mlir::Value condition, std::vector<Pred> &parts);
  /// Fails, without a diagnostic, on values that are no views of one buffer.
  mlir::FailureOr<HostView> view(mlir::Value memref);

private:
  friend struct HostViewBuilder;
  std::optional<SizeExpr> compute(mlir::Value value);
  std::optional<SizeExpr> fold(mlir::OpFoldResult value);

  llvm::DenseMap<mlir::Value, std::optional<SizeExpr>> known;
};

/// One question without an object to keep.
inline std::optional<SizeExpr> hostExpr(mlir::Value value) { return HostExprs().expr(value); }
inline std::optional<Pred> hostPred(mlir::Value condition) { return HostExprs().pred(condition); }
inline mlir::FailureOr<HostView> hostView(mlir::Value memref) { return HostExprs().view(memref); }

/// That a dim of this size and stride follows on the dims inside it, which span `whole` elements. A stride that nothing
/// steps over has no meaning, so a dim that turns out to have one element, or none, may have any.
Pred followsOn(const SizeExpr &size, const SizeExpr &stride, const SizeExpr &whole);

/// The name of a kernel's host tensor argument or allocation; empty for other values.
llvm::StringRef hostBufferName(mlir::Value memref);

} // namespace helion

#endif // HELION_PASSES_ANALYSIS_HOSTEXPR_H
