// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that expands math functions. In a file of its own because every target needs it at its own place.

#ifndef HELION_CODEGEN_COMMON_EXPANDMATH
#define HELION_CODEGEN_COMMON_EXPANDMATH

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"helion-expand-math"> {
  let summary = "Replace math functions by arithmetic, for scalars and vectors";
  let description = [{
    **Does.** Replaces the transcendental functions of `math` by polynomials and bit operations, so that object code calls no library
    and a vector stays a vector. f16 and bf16 are computed in f32 by whoever emits the ops.

    **Before / After.**
    ```mlir
    %e = math.exp %x : vector<8xf32>
    // becomes arithmetic on vector<8xf32>, `math.fma`, `math.roundeven` and bit operations
    ```
    **Needs.** f32 or f64 operands. **Gives.** of `math` only what the LLVM dialect has as an instruction. **Reads.** `helion.non_positive` on `math.exp`.
    **Fails when.** never; a function without an expansion is left, and the lowering of the target names it.
    **Numerics.** the largest error of each function in units of the last place is in `codegen/Common/README.md`, and a test measures it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif // HELION_CODEGEN_COMMON_EXPANDMATH
