// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that one launch becomes, while they are built: host values are asked for one by one and become argument
// words of the body, each word once. A body over a span of programs gets an outer function that unpacks the words; a
// body that is one program, a block of threads, takes them as its parameters.
#ifndef HELION_CODEGEN_COMMON_LAUNCHBODY_H
#define HELION_CODEGEN_COMMON_LAUNCHBODY_H

#include "codegen/Common/HostPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace helion {

/// What a call of the body runs.
enum class Programs { Span, Block };

class LaunchBody {
public:
  /// Creates the body function at the end of `module`; `symbol` names the one that is called from outside.
  LaunchBody(HostPlan &plan, LaunchOp launch, llvm::StringRef symbol, mlir::ModuleOp module, Programs programs);

  /// The host value inside the body; an error on the launch's op that uses it where it cannot get there.
  mlir::FailureOr<mlir::Value> materialise(mlir::Value host, mlir::Operation *user);
  /// Grid size along an axis (0..2).
  mlir::Value gridSize(unsigned axis);
  /// Of a span only.
  mlir::Value begin() { return entry->getArgument(0); }
  mlir::Value end() { return entry->getArgument(1); }
  /// Where the code of the body continues; constants of the prologue are made here too.
  mlir::OpBuilder &builder() { return b; }
  mlir::func::FuncOp function() { return body; }
  /// Fixes the types; for a span adds the scratch argument and the outer function. Returns the words of the launch
  /// step.
  std::vector<PlanArgument> finish();

private:
  /// An argument of the body: an argument word, or a grid size.
  struct Parameter {
    std::optional<PlanArgument> word;
    unsigned axis = 0;
    int64_t elementBytes = 1; // of what a pointer points to
  };
  mlir::Value parameter(llvm::StringRef key, mlir::Type type, Parameter parameter);
  mlir::Value indexWord(const SizeExpr &expr);
  mlir::OpFoldResult sizeOrWord(const SizeExpr &expr);
  mlir::FailureOr<mlir::Value> tensor(mlir::Value host, mlir::Operation *user);
  mlir::FailureOr<mlir::Value> tensorMap(TensorMapOp map, mlir::Operation *user);
  mlir::FailureOr<mlir::Value> scalar(mlir::Value host, mlir::Operation *user);
  mlir::FailureOr<mlir::Value> recompute(mlir::Value host, mlir::Operation *user);
  mlir::Value pointerWord(const HostView &view);
  mlir::Value memrefOf(mlir::Value pointer, mlir::Type element, const HostView &view);
  void markDistinctPointers();
  void markDivisors();
  void markMaps();
  void finishSpan();
  void writeOuter();

  HostPlan &plan;
  LaunchOp launch;
  mlir::ModuleOp module;
  Programs programs;
  unsigned firstWord; // Arguments of the body before the parameters.
  mlir::OpBuilder b;
  mlir::func::FuncOp body;
  mlir::Block *entry;
  std::string symbol;
  llvm::StringMap<unsigned> known; // Key of a parameter -> its number, without those before `firstWord`.
  std::vector<Parameter> parameters;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace helion

#endif // HELION_CODEGEN_COMMON_LAUNCHBODY_H
