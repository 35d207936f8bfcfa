// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel under construction: its host part (sizes, asserts, blocks, launches), the names that must be unique, and
// what is known to be equal. The interpreter and the operations emit through it; it knows no Python.
#pragma once

#include "dialect/Frontend/PyValue.h"
#include "dialect/Frontend/Signature.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace helion::frontend {

/// Two sizes that the device code needs to be equal although the source does not say so.
struct Equality {
  SizeExpr lhs, rhs;
};

/// Decorator settings that change numerics.
struct Settings {
  DotPrecision dotPrecision = DotPrecision::TF32; // for f32 operands, as Helion's default
  bool fastMath = false;
};

class KernelBuilder {
public:
  KernelBuilder(mlir::MLIRContext *context, SourceDiagnostics &diagnostics) : b(context), diagnostics(diagnostics) {}

  mlir::OpBuilder b;
  SourceDiagnostics &diagnostics;
  Settings settings;
  /// The construct being imported: where errors point and ops are located.
  Span at;
  /// Variable that the current expression is assigned to: names blocks, allocations and SSA values.
  std::string nameHint;

  mlir::MLIRContext *context() { return b.getContext(); }
  mlir::LogicalResult fail(const llvm::Twine &message);
  mlir::Location loc();

  //===-- Kernel and launches ------------------------------------------------------------------------------------===//

  KernelOp kernel;
  mlir::ModuleOp module;
  void begin(llvm::StringRef name);
  /// Adds an operand; `index` is its number.
  mlir::BlockArgument addArgument(llvm::StringRef name, mlir::Type type);
  void finish(mlir::ValueRange results);

  bool onDevice() const { return launch != nullptr; }
  LaunchOp beginLaunch(llvm::StringRef name);
  void endLaunch();
  /// Runs `emit` with the insertion point on the host, before the launch that is open.
  template <typename Fn> auto onHost(Fn emit) {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (launch)
      b.setInsertionPoint(launch);
    return emit();
  }

  /// Runs `emit` before a host operation; sizes are made anew, since known ones may come later.
  template <typename Fn> auto before(mlir::Operation *op, Fn emit) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    llvm::StringMap<mlir::Value> later = std::exchange(materialized, {});
    auto made = emit();
    materialized = std::move(later);
    return made;
  }

  //===-- Sizes --------------------------------------------------------------------------------------------------===//

  mlir::Value constantIndex(int64_t value);
  /// The SSA value of a size, made once on the host.
  mlir::Value materialize(const SizeExpr &size);
  SizeExpr canonical(const SizeExpr &size) const;
  /// The answer where it is known, from constants and recorded equalities.
  std::optional<bool> decide(const Pred &pred) const;
  /// Emits a host assert, once per predicate; a true equality is known from here on.
  void assertThat(const Pred &pred);
  /// Device code needs lhs == rhs: the import starts again with this assert at the kernel's begin.
  mlir::LogicalResult require(const SizeExpr &lhs, const SizeExpr &rhs);
  std::optional<Equality> required;
  /// The size that `hl.specialize` found without a value.
  std::string missingSize;
  void addScalarSize(llvm::StringRef name, mlir::Value value) { scalarArguments[name] = value; }
  void addTensorArgument(llvm::StringRef name, mlir::Value value) { tensorArguments[name] = value; }
  /// Variables name sizes, sizes name ranges.
  void nameSize(const SizeExpr &size, llvm::StringRef variable);

  //===-- Names, blocks, ranges ----------------------------------------------------------------------------------===//

  /// "x.0", "x.1", ..
  std::string site(llvm::StringRef base);
  /// "loop.mn", then "loop.mn.1", ..
  std::string uniqueSite(llvm::StringRef name) { return unique(sites, name); }
  std::string uniqueRange(llvm::StringRef name) { return unique(ranges, name); }
  std::string uniqueTensorName(llvm::StringRef name);
  /// Declares a block on the host and gives its name.
  std::string addBlock(llvm::StringRef name, BlockKind kind, mlir::Attribute max = {}, int64_t value = 0,
                       int64_t min = 0);
  bool isBlock(llvm::StringRef name) const { return blocks.contains(name); }
  /// True for sizes that a config decides.
  bool mentionsBlock(const SizeExpr &size) const;

  /// The tile that covers [0, size) in the current program: an integer dim for a constant, else a slice block.
  mlir::Value fullSlice(const SizeExpr &size);
  /// The tile that covers [lower, lower + extent).
  mlir::Value slice(int64_t lower, int64_t extent);
  DimAttr sliceDim(const SizeExpr &size);
  /// The size behind a slice range, if `dim` has one or is an integer.
  std::optional<SizeExpr> sliceSize(DimAttr dim) const;

  /// The dims of jagged tiles, and which lanes of the dims around and of their own they cover.
  llvm::DenseMap<DimAttr, mlir::Value> jaggedLanes;

private:
  std::string unique(llvm::StringSet<> &taken, llvm::StringRef name);
  unsigned representativeRank(const SizeExpr &size) const;
  mlir::Value materializeLeaf(const Leaf &leaf);
  mlir::Value addRange(int64_t lower, mlir::Value upper, DimAttr dim, llvm::StringRef name);
  std::string sizeName(const SizeExpr &size) const;

  LaunchOp launch;
  mlir::Operation *lastConstant = nullptr;
  mlir::Operation *lastRange = nullptr;
  mlir::Block *programBlock = nullptr;
  std::map<int64_t, mlir::Value> constants;
  llvm::StringMap<mlir::Value> materialized; // by the text of the expression
  llvm::StringMap<SizeExpr> representatives; // text -> what it equals
  llvm::StringSet<> asserted;
  llvm::StringMap<mlir::Value> scalarArguments, tensorArguments;
  llvm::StringMap<std::string> sizeNames;     // text -> variable
  llvm::StringMap<mlir::Value> programSlices; // text -> tile, for the open launch
  llvm::StringMap<std::string> sliceBlocks;   // text -> block of kind slice
  llvm::StringMap<SizeExpr> rangeSizes;       // range -> size
  llvm::StringMap<unsigned> siteCounts;
  llvm::StringSet<> sites, ranges, blocks, tensorNames;

  friend class ProgramScope;
};

/// The outermost tile body: where full slices of this program are declared.
class ProgramScope {
public:
  ProgramScope(KernelBuilder &kernel, mlir::Block *block);
  ~ProgramScope();

private:
  KernelBuilder &kernel;
  bool outermost;
};

} // namespace helion::frontend
