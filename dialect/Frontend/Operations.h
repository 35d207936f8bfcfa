// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of what a kernel may call: one row per function or method of torch, helion.language, math and Python. A row
// gives the names it answers to, its parameters as Python writes them, and what it does. To add an op, add a row.
#pragma once

#include "dialect/Frontend/Interpreter.h"

namespace helion::frontend {

/// Arguments in the order of the row's parameters; what the call left out is its default or Absent.
using OperationFn = std::function<Result(Interpreter &, llvm::ArrayRef<PyValue>)>;

struct OperationRow {
  /// Full names, separated by blanks: "torch.sum Tensor.sum". `Tensor` is a tile value, `Host` a host tensor, `Tile` a
  /// tile, `builtins` Python itself.
  const char *names;
  /// "input dim=None *rest key=None": `*` takes the remaining positional arguments; what follows it is keyword-only.
  const char *parameters;
  OperationFn run;
};

struct OperationParameter {
  std::string name;
  PyValue defaultValue; // Absent: must be given
  bool isRest = false;
};

struct LibraryOperation {
  std::vector<OperationParameter> parameters;
  OperationFn run;
};

/// Null if nothing answers to the name.
const LibraryOperation *findOperation(llvm::StringRef path);

/// The families; each in a file of its own.
std::vector<OperationRow> elementwiseOperations();
std::vector<OperationRow> reductionOperations();
std::vector<OperationRow> scanOperations();
std::vector<OperationRow> productOperations();
std::vector<OperationRow> shapeOperations();
std::vector<OperationRow> creationOperations();
std::vector<OperationRow> memoryOperations();
std::vector<OperationRow> loopOperations();
std::vector<OperationRow> hostOperations();
std::vector<OperationRow> pythonOperations();

/// A host tensor, or an expression over one, with a number: `+`, `-`, `*` or `/`.
Result hostArithmetic(Interpreter &in, llvm::StringRef op, const PyValue &lhs, const PyValue &rhs);

//===-- Reading arguments; all report at the current place -------------------------------------------------------===//

mlir::FailureOr<TileValue> expectTile(Interpreter &in, const PyValue &value, llvm::StringRef what);
mlir::FailureOr<int64_t> expectInteger(Interpreter &in, const PyValue &value, llvm::StringRef what);
mlir::FailureOr<DType> expectDType(Interpreter &in, const PyValue &value, llvm::StringRef what);
/// The argument `dtype`, which may be left out.
mlir::FailureOr<DType> dtypeOr(Interpreter &in, const PyValue &value, DType otherwise);
/// What sums and products of `input` have: bools and small integers are summed as i64; the argument `dtype` casts
/// before.
mlir::FailureOr<DType> sumType(Interpreter &in, DType input, const PyValue &dtype);
mlir::FailureOr<HostTensorPtr> expectHost(Interpreter &in, const PyValue &value, llvm::StringRef what);
/// A size of the host: an integer, a size or a block size.
mlir::FailureOr<SizeExpr> expectSize(Interpreter &in, const PyValue &value, llvm::StringRef what);
/// Dims of a tile value from a shape list of tiles, block sizes and integers.
mlir::FailureOr<llvm::SmallVector<DimAttr>> expectDims(Interpreter &in, const PyValue &shape);

} // namespace helion::frontend
