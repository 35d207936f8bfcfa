// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle: runs a kernel of form K or S in double precision. Floats are doubles, rounded only at explicit casts and
// at stores; integers wrap at their width. It is slow and literal on purpose: compiled code is judged against it.
//
//   RunOptions options;
//   options.blocks = {{"bm", 16}};
//   llvm::Expected<RunResult> result = Interpreter::run(kernel, {x, y, int64_t(64)}, options);

#ifndef HELION_DIALECT_INTERP_INTERPRETER_H
#define HELION_DIALECT_INTERP_INTERPRETER_H

#include "dialect/IR/Helion.h"
#include "dialect/Interp/HostTensor.h"
#include <functional>
#include <map>
#include <string>
#include <variant>

namespace helion::interp {

using BlockMap = std::map<std::string, int64_t>;

/// One per operand of the kernel, in its order. Integer and index scalars are int64_t, float scalars double.
using Argument = std::variant<HostTensor, int64_t, double>;

struct RunOptions {
  /// Extents of blocks. One that is missing gets a default (Bindings.h); slices grow to their size.
  BlockMap blocks;
  /// Which default they get, 0 or 1: a result that depends on it is a bug of the kernel or of a pass.
  unsigned bindingVariant = 0;
  /// Answers of `helion.device_fact`.
  BlockMap deviceFacts = {{"sms", 4}};
  /// Which programs run, by launch name, number and count of programs; all without it. Programs are numbered as the
  /// outermost tile loop goes (first dim slowest), in S by `x + gridx * (y + gridy * z)`.
  std::function<bool(llvm::StringRef launch, int64_t program, int64_t count)> selectProgram;
  /// Programs of a launch run last to first: a result that changes depends on their order.
  bool reversePrograms = false;
  /// Fill `Storage::written` of allocations and tensor arguments, to compare only what the chosen programs stored.
  bool trackWrites = false;
};

struct RunResult {
  std::vector<HostTensor> outputs;
  /// Extents that the run used, slices included.
  BlockMap blocks;
};

/// Why a run gave no result; `message` begins with the place in the kernel's text.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  static char ID;
  enum class Kind {
    Call,     // the call is outside the kernel's signature, asserts or facts
    Execution // an op of the kernel has no meaning for these values
  };

  RunError(Kind kind, std::string message) : kind(kind), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const Kind kind;
  const std::string message;
};

class Interpreter {
public:
  /// Outputs are filled with NaN (integers: 0x5a bytes) before the kernel runs. Arguments that the kernel writes are
  /// written in place. Asserts and facts about sizes and scalars are checked before anything else.
  static llvm::Expected<RunResult> run(KernelOp kernel, llvm::ArrayRef<Argument> arguments,
                                       const RunOptions &options = {});
};

/// `kernel.mlir:12:5`, or the location as MLIR prints it.
std::string locationText(mlir::Location loc);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_INTERPRETER_H
