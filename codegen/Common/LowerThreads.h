// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The door of helion-lower-threads for C++: patterns by family, and the pass with a vendor's patterns beside them.

#ifndef HELION_CODEGEN_COMMON_LOWERTHREADS_H
#define HELION_CODEGEN_COMMON_LOWERTHREADS_H

#include "codegen/Common/Passes.h"
#include "codegen/Common/ThreadContext.h"
#include "mlir/Transforms/DialectConversion.h"

namespace helion {
namespace threads {
/// A pattern that knows the function's threads.
template <typename Op> struct ThreadPattern : mlir::OpConversionPattern<Op> {
  ThreadPattern(ThreadContext &code, const mlir::TypeConverter &types, mlir::MLIRContext *context,
                mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(types, context, benefit), code(code) {}
  ThreadContext &code;
};

/// Fills `leftToDots`.
void findOperandsInShared(ThreadContext &code);

void populateElementPatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateMovePatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateReducePatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateScanPatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateRingPatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void populateDotPatterns(ThreadContext &code, const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);

/// Barriers of slots that count the bytes of copies of boxes. The vendor's pattern of `helion.load_async` makes the
/// copies.
struct BoxVendor {
  /// Makes the barriers of a new ring ready, before any thread uses one.
  std::function<void(ThreadContext &, mlir::OpBuilder &, RingOp, mlir::Value barriers)> open;
  /// The slot's barrier waits for `bytes` from now on.
  std::function<void(ThreadContext &, mlir::OpBuilder &, AcquireOp, int64_t bytes)> expect;
  /// Returns when the slot's bytes are there.
  std::function<void(ThreadContext &, mlir::OpBuilder &, TakeOp)> wait;
};

/// What a vendor does better. Its patterns, for example of `helion.dot` on fragments, come first with a benefit above
/// 1; the operands that they see are vectors of registers in the order of the layouts' `reg`.
struct Vendor {
  std::function<void(mlir::DialectRegistry &)> dialects;
  std::function<void(ThreadContext &, const mlir::TypeConverter &, mlir::RewritePatternSet &)> patterns;
  /// Copies in flight, where its `helion.load_async` makes some: those since the last call are a group; waits for all
  /// groups of the thread but the `younger` last ones.
  std::function<void(mlir::OpBuilder &, mlir::Location)> commit;
  std::function<void(mlir::OpBuilder &, mlir::Location, int64_t younger)> wait;
  /// Rings that the device fills through tensor maps, for vendors that have them.
  std::optional<BoxVendor> boxes;
  /// Waits for all dots in flight but the `younger` last ones, for vendors that have such dots. Their patterns take
  /// `helion.dot_async` and `helion.wait`.
  std::function<void(mlir::OpBuilder &, mlir::Location, int64_t younger)> waitForDots;
};

/// Errors for ops that have no code for threads and for layouts that an op cannot work on, on the op.
mlir::LogicalResult checkThreadOps(mlir::func::FuncOp function, int64_t lanes, int64_t warps, const Vendor &vendor);
} // namespace threads

/// The pass with what a vendor does better.
std::unique_ptr<mlir::Pass> createLowerThreadsPass(const LowerThreadsPassOptions &options, threads::Vendor vendor);
} // namespace helion

#endif // HELION_CODEGEN_COMMON_LOWERTHREADS_H
