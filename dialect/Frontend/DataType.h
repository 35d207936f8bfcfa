// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as PyTorch names them, their promotion rules, and the MLIR types that hold them. One table row per type.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace helion::frontend {

/// `Index` is the type of tile indices and sizes: an integer that takes the width of what it meets.
enum class DType { Bool, U8, I8, I16, I32, I64, Index, F8E4M3, F8E5M2, F16, BF16, F32, F64 };

enum class DTypeCategory { Bool, Integer, Float };

/// From "bf16", as in signatures and corpora.
std::optional<DType> parseDType(llvm::StringRef text);
/// From "bfloat16" or "half", as in `torch.bfloat16`.
std::optional<DType> parseTorchDType(llvm::StringRef name);
/// "bf16".
llvm::StringRef dtypeText(DType dtype);
/// All texts that a signature may use, for messages.
std::string dtypeChoices();

DTypeCategory categoryOf(DType dtype);
inline bool isFloat(DType dtype) { return categoryOf(dtype) == DTypeCategory::Float; }
/// f16, bf16 and the eight-bit floats: PyTorch computes their transcendental functions and sums in f32.
bool isNarrowFloat(DType dtype);
/// The type PyTorch computes in: f32 for narrow floats, else the type itself.
DType computeType(DType dtype);

/// `torch.promote_types`.
DType promoteTypes(DType a, DType b);
/// The type of an element in memory (bool is a byte) and of a lane of a tile value.
mlir::Type storageType(DType dtype, mlir::MLIRContext *context);
mlir::Type laneType(DType dtype, mlir::MLIRContext *context);

} // namespace helion::frontend
