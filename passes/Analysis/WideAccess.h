// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access of a scheduled kernel relies on when it moves neighbours together: that they are neighbours, and that
// each group of them begins at a multiple of its size. A choice pass states that as facts of the kernel; the choice of
// layouts asks how wide an access may be under the facts that stand there. Copies of whole rows rely on the same.
#ifndef HELION_PASSES_ANALYSIS_WIDEACCESS_H
#define HELION_PASSES_ANALYSIS_WIDEACCESS_H

#include "passes/Analysis/HostExpr.h"

namespace helion {

/// A number that divides the expression wherever the facts hold; 0 for the constant 0.
int64_t divisorOf(const SizeExpr &expr, llvm::ArrayRef<Pred> facts);
/// Whether the fact follows from `facts`, as far as equality, constants and divisors show that.
bool follows(const Pred &fact, llvm::ArrayRef<Pred> facts);
/// The facts of the kernel; a text that is none is left out.
std::vector<Pred> factsOf(KernelOp kernel);

/// Of a host tensor, a tile value or a scalar, in memory.
int64_t bytesOfElement(mlir::Type type);

/// The dim of a view along which memory is contiguous, and how that is known.
struct ContiguousDim {
  enum How {
    Guessed, // The last dim.
    Likely,  // Its stride is that of the buffer's last dim.
    Proved   // Its stride is 1 by its type or by the facts.
  };
  unsigned dim;
  How how;
};
/// Of a view with dims.
ContiguousDim contiguousDim(const HostView &view, llvm::ArrayRef<Pred> facts);

/// Facts under which every tile of the view that begins at multiples of 16 bytes along `unitDim` is made of whole,
/// aligned pieces of 16 bytes; none where that never holds, or the view is of an allocation.
std::optional<std::vector<Pred>> copyFacts(const HostView &view, unsigned unitDim, int64_t elementBytes);

class WideAccess {
public:
  /// `op` is a load, store or atomic of form S.
  WideAccess(HostExprs &exprs, mlir::Operation *op);

  /// Elements along the contiguous dim that a tile has in groups: the largest power of two that divides its extent. 1
  /// where no tile lies along a contiguous dim.
  int64_t most() const { return extentPart; }
  /// That neighbours along the tile lie together; nothing where types say so already, or no tile lies there.
  std::vector<Pred> contiguity() const;
  /// What groups of `width` elements rely on, contiguity included: strides, offsets and the end of the tile are
  /// multiples of `width`, the address of the buffer of their bytes. None where code on the device decides that.
  std::optional<std::vector<Pred>> needs(int64_t width) const;

private:
  bool addMultiple(mlir::Value value, int64_t width, std::vector<Pred> &needs) const;

  HostExprs &exprs;
  std::optional<HostView> view;
  std::optional<unsigned> hostDim; // The contiguous one.
  mlir::Value tile;                // The index along it.
  int64_t elementBytes = 1, extentPart = 1;
};

} // namespace helion

#endif // HELION_PASSES_ANALYSIS_WIDEACCESS_H
