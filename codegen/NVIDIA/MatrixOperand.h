// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand of a dot as 32-bit words of matrix instructions: from a thread's registers, or from shared memory, read
// as whole 8 x 8 matrices (`ldmatrix`) where its layout there has rows of them in one piece.

#ifndef HELION_CODEGEN_NVIDIA_MATRIXOPERAND_H
#define HELION_CODEGEN_NVIDIA_MATRIXOPERAND_H

#include "codegen/Common/LowerThreads.h"
#include "codegen/Common/ThreadAddress.h"
#include <map>

namespace helion {
/// A tile in shared memory.
struct StagedTile {
  mlir::Value buffer;
  threads::SharedPart part;
  Layout layout;
};

/// Words of one instruction: each is two elements of 16 bits, neighbours along dim `pair`; where they begin, from the
/// instruction's first element.
struct FragmentWords {
  unsigned pair;
  llvm::ArrayRef<std::pair<int64_t, int64_t>> begins;
};

/// How the words of a layout of fragments are read from a staged tile.
struct MatrixPlan {
  /// From a register and the lane to the place of the row that the lane names.
  IndexMap rows;
  /// Bits of register numbers: of the pair, and of the matrices that one instruction reads beside the first.
  int64_t pairBit = 0;
  llvm::SmallVector<int64_t> matrixBits;
  bool transposed = false;
};
/// None where rows of matrices do not lie in one piece, or the layout is not one of these fragments.
std::optional<MatrixPlan> planMatrices(const Layout &tile, const Layout &place, const FragmentWords &words);

class MatrixOperand {
public:
  /// In registers.
  MatrixOperand(const Layout &layout, FragmentWords words, llvm::SmallVector<mlir::Value> elements);
  /// In shared memory; `plan` is planMatrices'.
  MatrixOperand(threads::ThreadContext &code, const Layout &layout, FragmentWords words, StagedTile staged,
                MatrixPlan plan);

  /// False where the layout lacks a word of the instruction that begins at `first`.
  bool holds(const Point &first) const { return !registersOf(first).empty(); }
  /// Reads what the instruction needs and what comes with it, if it is in shared memory.
  void load(mlir::OpBuilder &b, mlir::Location loc, const Point &first);
  llvm::SmallVector<mlir::Value> words(mlir::OpBuilder &b, mlir::Location loc, const Point &first);

private:
  /// First registers of the words.
  llvm::SmallVector<int64_t> registersOf(const Point &first) const;
  int64_t registerAt(Point index, std::pair<int64_t, int64_t> offset) const;

  FragmentWords shape;
  std::map<std::vector<int64_t>, int64_t> registers; // by the index that each adds
  llvm::SmallVector<mlir::Value> elements;
  threads::ThreadContext *code = nullptr;
  std::optional<StagedTile> staged;
  MatrixPlan plan;
  llvm::DenseMap<int64_t, mlir::Value> loaded; // pairs by their first register
};
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_MATRIXOPERAND_H
