// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand of a dot as 32-bit words of matrix instructions: from a thread's registers, or from shared memory, read
// as whole matrices of 8 rows of 16 bytes (`ldmatrix`) where its layout there has their rows in one piece, else word by
// word.

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

/// Words of one instruction: each is `elements` neighbours along the depth, dim `depth` of the operand; where they
/// begin, from the instruction's first element (PTX ISA, matrix fragments for mma.m16n8k8, m16n8k16 and m16n8k32).
struct FragmentWords {
  FragmentWords(bool isLeft, int64_t elementBytes);

  unsigned depth;
  int64_t elements;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> begins;
};

/// How the words of a layout of fragments are read from a staged tile.
struct MatrixPlan {
  /// From a register and the lane to the place of the row that the lane names.
  IndexMap rows;
  /// Bits of register numbers: of the matrices that one instruction reads beside the first.
  llvm::SmallVector<int64_t> matrixBits;
  bool transposed = false;
};
/// None where rows of matrices do not lie in one piece, or the layout is not one of these fragments.
std::optional<MatrixPlan> planMatrices(const Layout &tile, const Layout &place, const FragmentWords &words);

class MatrixOperand {
public:
  /// In registers.
  MatrixOperand(const Layout &layout, FragmentWords words, llvm::SmallVector<mlir::Value> elements);
  /// In shared memory, read by matrices where planMatrices() has a plan.
  MatrixOperand(threads::ThreadContext &code, const Layout &layout, FragmentWords words, StagedTile staged);

  /// False where the layout lacks a word of the instruction that begins at `first`.
  bool holds(const Point &first) const { return !registersOf(first).empty(); }
  /// Reads what the instruction needs and what comes with it, if it is in shared memory.
  void load(mlir::OpBuilder &b, mlir::Location loc, const Point &first);
  /// Pairs of f16, or integers of 32 bits; the same values for the same words.
  llvm::SmallVector<mlir::Value> words(mlir::OpBuilder &b, mlir::Location loc, const Point &first);

private:
  using Registers = llvm::SmallVector<int64_t, 4>;
  /// Of each word the registers of its elements; empty where one is missing.
  llvm::SmallVector<Registers> registersOf(const Point &first) const;
  int64_t registerAt(Point index, std::pair<int64_t, int64_t> offset) const;
  void loadMatrices(mlir::OpBuilder &b, mlir::Location loc, int64_t reg);
  void loadWord(mlir::OpBuilder &b, mlir::Location loc, const Registers &word);

  FragmentWords shape;
  std::map<std::vector<int64_t>, int64_t> registers; // by the index that each adds
  llvm::SmallVector<mlir::Value> elements;
  threads::ThreadContext *code = nullptr;
  std::optional<StagedTile> staged;
  std::optional<MatrixPlan> plan;
  std::optional<threads::SharedTile> shared;
  llvm::DenseMap<int64_t, mlir::Value> loaded, made; // vectors and words by their first register
};
} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_MATRIXOPERAND_H
