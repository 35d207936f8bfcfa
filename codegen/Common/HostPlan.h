// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host part of a kernel -> the parts of a manifest that say how to call it: arguments, facts, checks, buffers,
// fills. Launch steps are added by whoever outlines the launches, through a callback in host order.
#ifndef HELION_CODEGEN_COMMON_HOSTPLAN_H
#define HELION_CODEGEN_COMMON_HOSTPLAN_H

#include "dialect/Target/Manifest.h"
#include "passes/Analysis/HostExpr.h"
#include "llvm/ADT/StringSet.h"

namespace helion {

/// The name by which manifests know an element or scalar type; index is `i64`.
std::optional<Dtype> dtypeOf(mlir::Type type);

class HostPlan {
public:
  explicit HostPlan(KernelOp kernel) : kernel(kernel) {}

  /// Fills `manifest`; diagnostics stand on the op at fault.
  mlir::LogicalResult build(llvm::function_ref<mlir::LogicalResult(LaunchOp)> addLaunch);
  /// `expr` with what the facts fix as constants.
  SizeExpr specialise(const SizeExpr &expr) const;
  /// An expression of the plan for a host value, or an error on `op` that calls it `what`.
  mlir::FailureOr<SizeExpr> expr(mlir::Value value, mlir::Operation *op, const llvm::Twine &what);
  /// A view of a buffer, specialised; what it needs becomes a fact. An error on `op` where it is none.
  mlir::FailureOr<HostView> view(mlir::Value memref, mlir::Operation *op);

  /// The artifact will rely on it; facts that always hold are left out.
  void addFact(const Pred &fact);
  /// A number that the facts say divides `expr`; 1 where they say nothing, 0 for the constant 0.
  int64_t divisor(const SizeExpr &expr) const;
  /// Bytes that the address of element 0 of a buffer is a multiple of, a power of two.
  int64_t alignment(llvm::StringRef buffer) const;

  HostExprs exprs;
  Manifest manifest;

private:
  mlir::LogicalResult addParameter(llvm::StringRef name);
  mlir::LogicalResult addParameters();
  mlir::LogicalResult addFacts();
  void addTypeFacts(mlir::BlockArgument argument);
  void addOverlapFacts();
  mlir::FailureOr<Pred> factOnArguments(const Pred &fact);
  mlir::LogicalResult addOutputs(ReturnOp op);
  mlir::LogicalResult addWorkspace();
  mlir::LogicalResult addCheck(AssertOp op);
  mlir::LogicalResult addFill(FullOp op);
  mlir::LogicalResult addStep(mlir::Operation &op, llvm::function_ref<mlir::LogicalResult(LaunchOp)> addLaunch);
  bool isOutput(llvm::StringRef buffer) const;

  KernelOp kernel;
  std::vector<std::pair<Leaf, int64_t>> fixedLeaves;
  llvm::StringSet<> outputNames;
};

} // namespace helion

#endif // HELION_CODEGEN_COMMON_HOSTPLAN_H
