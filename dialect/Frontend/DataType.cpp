// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element types and torch's promotion over it.
#include "dialect/Frontend/DataType.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include <iterator>

using namespace helion::frontend;

namespace {
struct DTypeRow {
  DType dtype;
  llvm::StringRef text;
  llvm::StringRef torchName;
  llvm::StringRef torchAlias;
  DTypeCategory category;
  unsigned bits;
};
} // namespace

static const DTypeRow rows[] = {
    {DType::Bool, "bool", "bool", "", DTypeCategory::Bool, 1},
    {DType::U8, "u8", "uint8", "", DTypeCategory::Integer, 8},
    {DType::I8, "i8", "int8", "", DTypeCategory::Integer, 8},
    {DType::I16, "i16", "int16", "short", DTypeCategory::Integer, 16},
    {DType::I32, "i32", "int32", "int", DTypeCategory::Integer, 32},
    {DType::I64, "i64", "int64", "long", DTypeCategory::Integer, 64},
    {DType::Index, "index", "", "", DTypeCategory::Integer, 64},
    {DType::F8E4M3, "f8e4m3fn", "float8_e4m3fn", "", DTypeCategory::Float, 8},
    {DType::F8E5M2, "f8e5m2", "float8_e5m2", "", DTypeCategory::Float, 8},
    {DType::F16, "f16", "float16", "half", DTypeCategory::Float, 16},
    {DType::BF16, "bf16", "bfloat16", "", DTypeCategory::Float, 16},
    {DType::F32, "f32", "float32", "float", DTypeCategory::Float, 32},
    {DType::F64, "f64", "float64", "double", DTypeCategory::Float, 64}};

static const DTypeRow &row(DType dtype) { return rows[static_cast<unsigned>(dtype)]; }

std::optional<DType> helion::frontend::parseDType(llvm::StringRef text) {
  for (const DTypeRow &r : rows)
    if (r.text == text && !r.torchName.empty())
      return r.dtype;
  return std::nullopt;
}

std::optional<DType> helion::frontend::parseTorchDType(llvm::StringRef name) {
  for (const DTypeRow &r : rows)
    if (!name.empty() && (r.torchName == name || r.torchAlias == name))
      return r.dtype;
  return std::nullopt;
}

llvm::StringRef helion::frontend::dtypeText(DType dtype) { return row(dtype).text; }

std::string helion::frontend::dtypeChoices() {
  std::string out;
  for (const DTypeRow &r : rows)
    if (!r.torchName.empty())
      out += (out.empty() ? "`" : ", `") + r.text.str() + "`";
  return out;
}

DTypeCategory helion::frontend::categoryOf(DType dtype) { return row(dtype).category; }

bool helion::frontend::isNarrowFloat(DType dtype) { return isFloat(dtype) && row(dtype).bits < 32; }

DType helion::frontend::computeType(DType dtype) { return isNarrowFloat(dtype) ? DType::F32 : dtype; }

DType helion::frontend::promoteTypes(DType a, DType b) {
  if (a == b)
    return a;
  if (categoryOf(a) != categoryOf(b))
    return categoryOf(a) > categoryOf(b) ? a : b;
  if (categoryOf(a) == DTypeCategory::Integer) {
    // An index meets an integer tensor as a 64-bit integer.
    if (a == DType::Index || b == DType::Index)
      return DType::I64;
    if ((a == DType::U8 && b == DType::I8) || (a == DType::I8 && b == DType::U8))
      return DType::I16;
    return row(a).bits >= row(b).bits ? a : b;
  }
  if (row(a).bits == row(b).bits) // f16 with bf16, one eight-bit float with the other
    return DType::F32;
  return row(a).bits > row(b).bits ? a : b;
}

mlir::Type helion::frontend::laneType(DType dtype, mlir::MLIRContext *context) {
  mlir::Builder b(context);
  switch (dtype) {
  case DType::U8:
    return mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
  case DType::Bool:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    return b.getIntegerType(row(dtype).bits);
  case DType::Index:
    return b.getIndexType();
  case DType::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  }
  return {};
}

mlir::Type helion::frontend::storageType(DType dtype, mlir::MLIRContext *context) {
  return laneType(dtype == DType::Bool ? DType::I8 : dtype, context);
}
