// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math functions as formulas. Each takes and gives values of the code's type; the largest errors are in the README.

#ifndef HELION_CODEGEN_COMMON_MATHFUNCTIONS_H
#define HELION_CODEGEN_COMMON_MATHFUNCTIONS_H

#include "codegen/Common/FloatCode.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace helion {
/// exp and exp2 give 0 below 1.7e-38 (f32) and 3.2e-308 (f64), just above the least normal number.
mlir::Value emitExp(FloatCode code, mlir::Value x);
/// exp of what is NaN or not above 0, with the same results.
mlir::Value emitExpOfNonPositive(FloatCode code, mlir::Value x);
/// exp for what is made of it: in f32 to less than one unit.
mlir::Value emitPreciseExp(FloatCode code, mlir::Value x);
mlir::Value emitExp2(FloatCode code, mlir::Value x);
mlir::Value emitExpM1(FloatCode code, mlir::Value x);
mlir::Value emitTanh(FloatCode code, mlir::Value x);
mlir::Value emitSinh(FloatCode code, mlir::Value x);
mlir::Value emitCosh(FloatCode code, mlir::Value x);

mlir::Value emitLog(FloatCode code, mlir::Value x);
mlir::Value emitLog2(FloatCode code, mlir::Value x);
mlir::Value emitLog10(FloatCode code, mlir::Value x);
mlir::Value emitLog1p(FloatCode code, mlir::Value x);
/// Through f64: right for results of any size in f32; in f64 the error grows with the size of the exponent.
mlir::Value emitPow(FloatCode code, mlir::Value x, mlir::Value y);

/// For arguments below 2^50 in size, NaN beyond.
mlir::Value emitSin(FloatCode code, mlir::Value x);
mlir::Value emitCos(FloatCode code, mlir::Value x);
/// f32 only, from a function for e^x of what is not above 0.
mlir::Value emitErf(FloatCode code, mlir::Value x, llvm::function_ref<mlir::Value(FloatCode, mlir::Value)> exp);
mlir::Value emitRsqrt(FloatCode code, mlir::Value x);
/// To the nearest integer, halves away from 0.
mlir::Value emitRound(FloatCode code, mlir::Value x);
/// f32 only: the remainder with the sign of x; NaN for quotients from 2^53 on.
mlir::Value emitRemainder(FloatCode code, mlir::Value x, mlir::Value y);
} // namespace helion

#endif // HELION_CODEGEN_COMMON_MATHFUNCTIONS_H
