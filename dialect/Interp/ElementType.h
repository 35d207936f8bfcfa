// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of host memory, as one table: name, width, how .npy files call them. Rounding to the float formats is
// here too, because it happens exactly where a value meets such a type: at casts and at stores.

#ifndef HELION_DIALECT_INTERP_ELEMENTTYPE_H
#define HELION_DIALECT_INTERP_ELEMENTTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace helion::interp {

enum class ElementType : uint8_t { F64, F32, F16, BF16, F8E4M3FN, F8E5M2, Bool, I8, I16, I32, I64, U8, U16, U32, U64 };

struct ElementInfo {
  ElementType type;
  llvm::StringLiteral name; // as signatures write it: `bf16`
  unsigned bytes;
  bool isFloat;
  bool isUnsigned;
  llvm::StringLiteral npy; // kind and width of a .npy `descr`, without the byte order
};

const ElementInfo &elementInfo(ElementType type);
std::optional<ElementType> elementTypeNamed(llvm::StringRef name);
/// Type with this .npy kind and width; `V2` is bf16, `V1` has no one meaning.
std::optional<ElementType> elementTypeOfNpy(llvm::StringRef kind);
/// Memory of a memref's element type; none for what the interpreter cannot hold.
std::optional<ElementType> elementTypeOf(mlir::Type type);
/// All names, for messages.
std::string elementTypeNames();

const llvm::fltSemantics &semanticsOf(ElementType type);

/// Nearest value of the format, ties to even; overflow gives what the format has (infinity, or NaN in f8E4M3FN).
double roundToFormat(double value, const llvm::fltSemantics &format,
                     llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven);

/// The value of `type`'s bits, sign-extended (zero-extended for unsigned types): how integer lanes are held.
int64_t wrapInteger(int64_t value, mlir::Type type);
/// Bits of a value in an integer type of `width` bits, zero-extended.
uint64_t unsignedBits(int64_t value, unsigned width);
/// Width in bits; 64 for index.
unsigned integerWidth(mlir::Type type);

double readFloat(const char *address, ElementType type);
int64_t readInteger(const char *address, ElementType type);
void writeFloat(char *address, ElementType type, double value);
void writeInteger(char *address, ElementType type, int64_t value);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_ELEMENTTYPE_H
