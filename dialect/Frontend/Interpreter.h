// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel's Python over abstract values (PyValue.h) and emits form K while it goes: host statements become the
// host part, tile loops become launches. One object per import; statements, loops and expressions are in files of their
// own.
#pragma once

#include "dialect/Frontend/KernelBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace helion::frontend {

using Result = mlir::FailureOr<PyValue>;

class Interpreter {
public:
  Interpreter(KernelBuilder &k, const Statements &module);

  KernelBuilder &k;

  //===-- Names --------------------------------------------------------------------------------------------------===//

  /// Functions of the module in order, for the choice of a kernel.
  const std::vector<std::shared_ptr<Function>> &getFunctions() const { return functions; }
  /// The full path a decorator or a call names, such as `helion.kernel`; empty if it is no library name.
  std::string libraryPath(const Expr &expr);

  //===-- Running ------------------------------------------------------------------------------------------------===//

  /// Runs the body of the kernel with these parameters; gives what it returns.
  Result runKernel(std::shared_ptr<Function> function, std::map<std::string, PyValue> parameters);
  Result evaluate(const Expr &expr);
  /// The same with only the module's names in sight: defaults and decorators.
  Result evaluateInModule(const Expr &expr);
  /// Calls a function value or a library name.
  Result call(const PyValue &callee, llvm::ArrayRef<PyValue> positional,
              llvm::ArrayRef<std::pair<std::string, PyValue>> keywords);
  Result binary(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs);
  Result compare(llvm::StringRef op, const PyValue &lhs, const PyValue &rhs);
  Result attribute(const PyValue &value, llvm::StringRef name);
  /// Python's truth of a value that the signature decides; reports where only the call can.
  mlir::FailureOr<bool> truth(const PyValue &value);
  /// Elements of a tuple, list or tile tuple.
  mlir::FailureOr<std::vector<PyValue>> elements(const PyValue &value);

  //===-- Memory (InterpretAccess.cpp) ---------------------------------------------------------------------------===//

  Result load(const HostTensorPtr &tensor, const PyValue &index, const PyValue &mask);
  mlir::LogicalResult store(const HostTensorPtr &tensor, const PyValue &index, const PyValue &value,
                            const PyValue &mask);
  Result atomic(ReductionKind kind, MemoryOrder order, const HostTensorPtr &tensor, const PyValue &index,
                const PyValue &value);

  /// A host expression that becomes a launch later.
  PyValue postpone(HostExpression expression);
  /// Makes the launches of host tensor arithmetic; other values pass.
  Result materializeHost(const PyValue &value);

private:
  struct Frame {
    std::shared_ptr<Scope> scope;
    std::optional<PyValue> returned;
    /// Statements still to run: (block, next statement, loop body or not), the innermost last.
    struct Position {
      const Statements *block;
      size_t next;
      bool isLoop;
    };
    std::vector<Position> positions;
    /// Branches around the current statement that only the device decides.
    unsigned conditionals = 0;
  };
  struct Joined;
  struct LoopPlan;
  struct Access;

  // InterpretStatements.cpp
  mlir::LogicalResult execute(const Statements &block, bool isLoop = false);
  mlir::LogicalResult execute(const Stmt &statement);
  mlir::LogicalResult executeAssign(const Stmt &statement);
  mlir::LogicalResult executeAugmented(const Stmt &statement);
  mlir::LogicalResult executeIf(const Stmt &statement);
  mlir::LogicalResult executeAssert(const Stmt &statement);
  mlir::LogicalResult executeReturn(const Stmt &statement);
  mlir::LogicalResult assign(const Expr &target, const PyValue &value);
  mlir::LogicalResult assignItems(const Expr &target, const PyValue &value);
  void define(llvm::StringRef name, const PyValue &value);
  Result callFunction(const Callable &callee, llvm::ArrayRef<PyValue> positional,
                      llvm::ArrayRef<std::pair<std::string, PyValue>> keywords);
  Result runBody(const Function &function, std::shared_ptr<Scope> scope);

  // InterpretBranches.cpp
  mlir::LogicalResult runBranch(const Stmt &statement, const PyValue &test);
  mlir::LogicalResult runSide(const Statements &body, mlir::Block *block, const std::map<std::string, PyValue> &before);
  mlir::LogicalResult joinSides(Joined &joined, mlir::Block *const (&blocks)[2],
                                llvm::SmallVector<mlir::Value> (&yields)[2], PyValue &like);

  // InterpretLoops.cpp
  mlir::LogicalResult executeFor(const Stmt &statement);
  mlir::LogicalResult unroll(const Stmt &statement, llvm::ArrayRef<PyValue> items);
  mlir::LogicalResult unrollRange(const Stmt &statement, const LoopDomain &domain);
  mlir::LogicalResult runTileLoop(const Stmt &statement, const LoopDomain &domain);
  mlir::LogicalResult runScalarLoop(const Stmt &statement, const LoopDomain &domain);
  mlir::FailureOr<LoopPlan> planLoop(const Stmt &statement, const LoopDomain &domain);
  mlir::LogicalResult planDim(const LoopDomain &domain, unsigned dim, llvm::StringRef name, LoopPlan &plan);
  mlir::LogicalResult planCarried(const Stmt &statement, LoopPlan &plan);
  mlir::LogicalResult runLoopBody(const Stmt &statement, LoopPlan &plan, mlir::ValueRange carried,
                                  llvm::SmallVectorImpl<mlir::Value> &yielded);
  mlir::FailureOr<mlir::Value> yieldedValue(const Stmt &statement, llvm::StringRef name, const PyValue &init,
                                            mlir::Type type);
  void leaveLoop(const Stmt &statement, const LoopPlan &plan, mlir::ValueRange results, bool toHost);
  bool liveAfter(llvm::StringRef name) const;
  mlir::LogicalResult coverLanes(const TileValue &lengths, mlir::Value tile);
  mlir::Attribute blockLimit(const LoopDomain &domain, unsigned dim);

  // InterpretExpressions.cpp
  Result evaluateName(const Expr &expr);
  Result evaluateCall(const Expr &expr, llvm::StringRef hint);
  Result evaluateBinary(const Expr &expr, llvm::StringRef hint);
  Result evaluateSubscript(const Expr &expr, llvm::StringRef hint);
  Result evaluateSlice(const Expr &expr);
  Result evaluateCompare(const Expr &expr);
  Result evaluateBoolean(const Expr &expr);
  Result evaluateUnary(const Expr &expr);
  Result evaluateComprehension(const Expr &expr);
  Result evaluateSequence(const Expr &expr);
  Result evaluateKind(const Expr &expr, llvm::StringRef hint);
  Result subscript(const PyValue &value, const PyValue &index);
  Result subscriptSequence(const Sequence &sequence, const PyValue &index);
  Result subscriptTile(const TileValue &value, const PyValue &index);
  PyValue *find(llvm::StringRef name);
  Result moduleName(llvm::StringRef name, Span at);

  // InterpretAccess.cpp
  mlir::FailureOr<Access> planAccess(const HostTensorPtr &tensor, const PyValue &index, bool isMasked);
  mlir::FailureOr<mlir::Value> accessMask(const PyValue &mask, const Access &access);
  mlir::LogicalResult planItem(const HostTensorPtr &tensor, unsigned dim, const PyValue &item, Access &access);
  mlir::LogicalResult planTensorIndices(std::vector<PyValue> &items, Access &access);
  void checkBounds(const HostTensorPtr &tensor, unsigned dim, const Tile &tile);
  void markWritten(const HostTensorPtr &tensor);
  mlir::LogicalResult settleHost(mlir::Operation *launch);

  std::vector<Frame> frames;
  Frame &frame() { return frames.back(); }
  std::shared_ptr<Scope> moduleScope;
  std::vector<std::shared_ptr<Function>> functions;
  std::map<std::string, const Stmt *, std::less<>> moduleConstants;
  std::string kernelName;
  /// Upper bounds that the host knows, of tiles that are bounds of inner loops.
  llvm::DenseMap<mlir::Value, SizeExpr> tileEnds;
  /// Host expressions that somebody may still use, in the source's order, and what the open launch stores to.
  std::vector<std::weak_ptr<HostExpression>> postponed;
  std::vector<HostTensorPtr> written;
  unsigned depth = 0;
};

/// Keeps the builder's place while a construct inside another is imported.
class PlaceScope {
public:
  PlaceScope(KernelBuilder &k, Span at) : k(k), saved(k.at) { k.at = at; }
  ~PlaceScope() { k.at = saved; }

private:
  KernelBuilder &k;
  Span saved;
};

} // namespace helion::frontend
