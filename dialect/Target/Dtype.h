// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types that cross the border of a kernel, by the names that corpora, manifests and packages write.
#ifndef HELION_DIALECT_TARGET_DTYPE_H
#define HELION_DIALECT_TARGET_DTYPE_H

#include "dialect/Target/JsonText.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace helion {

enum class Dtype { F32, F16, BF16, F64, I8, I16, I32, I64, UI8, Bool, F8E4M3, F8E5M2 };

std::optional<Dtype> parseDtype(llvm::StringRef name);
llvm::StringRef dtypeName(Dtype dtype);
unsigned dtypeBytes(Dtype dtype);
bool isFloat(Dtype dtype);
/// "`f32`, `f16`, ..." for messages.
std::string listOfDtypes();
llvm::Error readJson(const JsonCursor &at, Dtype &out);

/// A number with its type; `integer` or `real` counts, as the type says.
struct Scalar {
  Dtype dtype = Dtype::F32;
  int64_t integer = 0;
  double real = 0;

  static Scalar ofInteger(int64_t value, Dtype dtype = Dtype::I64) { return {dtype, value, 0}; }
  static Scalar ofReal(double value, Dtype dtype = Dtype::F64) { return {dtype, 0, value}; }
  llvm::json::Value json() const;
  /// Reads the number; `dtype` is set before.
  llvm::Error read(const JsonCursor &at);
  bool operator==(const Scalar &other) const;
};

} // namespace helion

#endif // HELION_DIALECT_TARGET_DTYPE_H
