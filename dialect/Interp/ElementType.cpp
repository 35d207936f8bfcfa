// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element types, exact rounding, and the way between values and bytes.

#include "dialect/Interp/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace helion::interp;

static constexpr ElementInfo kTypes[] = {
    {ElementType::F64, "f64", 8, true, false, "f8"},           {ElementType::F32, "f32", 4, true, false, "f4"},
    {ElementType::F16, "f16", 2, true, false, "f2"},           {ElementType::BF16, "bf16", 2, true, false, "V2"},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, true, false, "V1"}, {ElementType::F8E5M2, "f8E5M2", 1, true, false, "V1"},
    {ElementType::Bool, "bool", 1, false, true, "b1"},         {ElementType::I8, "i8", 1, false, false, "i1"},
    {ElementType::I16, "i16", 2, false, false, "i2"},          {ElementType::I32, "i32", 4, false, false, "i4"},
    {ElementType::I64, "i64", 8, false, false, "i8"},          {ElementType::U8, "ui8", 1, false, true, "u1"},
    {ElementType::U16, "ui16", 2, false, true, "u2"},          {ElementType::U32, "ui32", 4, false, true, "u4"},
    {ElementType::U64, "ui64", 8, false, true, "u8"},
};

const ElementInfo &helion::interp::elementInfo(ElementType type) { return kTypes[static_cast<unsigned>(type)]; }

std::optional<ElementType> helion::interp::elementTypeNamed(StringRef name) {
  for (const ElementInfo &info : kTypes)
    if (info.name == name)
      return info.type;
  return std::nullopt;
}

std::optional<ElementType> helion::interp::elementTypeOfNpy(StringRef kind) {
  for (const ElementInfo &info : kTypes)
    if (info.npy == kind && kind != "V1")
      return info.type;
  return std::nullopt;
}

std::string helion::interp::elementTypeNames() {
  std::string names;
  for (const ElementInfo &info : kTypes)
    names += (names.empty() ? "`" : ", `") + info.name.str() + "`";
  return names;
}

std::optional<ElementType> helion::interp::elementTypeOf(Type type) {
  if (isa<IndexType>(type))
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return ElementType::Bool;
    for (const ElementInfo &info : kTypes)
      if (!info.isFloat && info.type != ElementType::Bool && info.bytes * 8 == integer.getWidth() &&
          info.isUnsigned == integer.isUnsigned())
        return info.type;
    return std::nullopt;
  }
  auto format = dyn_cast<FloatType>(type);
  if (!format)
    return std::nullopt;
  for (const ElementInfo &info : kTypes)
    if (info.isFloat && &semanticsOf(info.type) == &format.getFloatSemantics())
      return info.type;
  return std::nullopt;
}

const llvm::fltSemantics &helion::interp::semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return APFloat::IEEEsingle();
  case ElementType::F16:
    return APFloat::IEEEhalf();
  case ElementType::BF16:
    return APFloat::BFloat();
  case ElementType::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case ElementType::F8E5M2:
    return APFloat::Float8E5M2();
  default:
    return APFloat::IEEEdouble();
  }
}

//===-- Rounding -------------------------------------------------------------------------------------------------===//

static APFloat converted(double value, const llvm::fltSemantics &format, llvm::RoundingMode mode) {
  APFloat number(value);
  bool losesInfo;
  number.convert(format, mode, &losesInfo);
  return number;
}

double helion::interp::roundToFormat(double value, const llvm::fltSemantics &format, llvm::RoundingMode mode) {
  if (value == 0 || &format == &APFloat::IEEEdouble())
    return value;
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  bool isPlain = exponent >= APFloat::semanticsMinExponent(format) && exponent < APFloat::semanticsMaxExponent(format);
  if (isPlain && mode == llvm::RoundingMode::NearestTiesToEven) {
    // Normal on both sides: round the mantissa in place; a carry into the exponent is the next power of two.
    unsigned dropped = 53 - APFloat::semanticsPrecision(format);
    uint64_t half = (uint64_t(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits = (bits + half) & ~((uint64_t(1) << dropped) - 1);
    return llvm::bit_cast<double>(bits);
  }
  APFloat rounded = converted(value, format, mode);
  bool losesInfo;
  rounded.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

unsigned helion::interp::integerWidth(Type type) { return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth(); }

uint64_t helion::interp::unsignedBits(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

int64_t helion::interp::wrapInteger(int64_t value, Type type) {
  unsigned width = integerWidth(type);
  if (width >= 64)
    return value;
  uint64_t bits = unsignedBits(value, width);
  return type.isUnsignedInteger() ? int64_t(bits) : int64_t(bits << (64 - width)) >> (64 - width);
}

//===-- Bytes ----------------------------------------------------------------------------------------------------===//

template <typename T> static T readAs(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <typename T> static void writeAs(char *address, T value) { std::memcpy(address, &value, sizeof(T)); }

static double decodeFloat(uint64_t bits, unsigned width, const llvm::fltSemantics &format) {
  APFloat value(format, APInt(width, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

double helion::interp::readFloat(const char *address, ElementType type) {
  switch (type) {
  case ElementType::F64:
    return readAs<double>(address);
  case ElementType::F32:
    return readAs<float>(address);
  case ElementType::BF16:
    return llvm::bit_cast<float>(uint32_t(readAs<uint16_t>(address)) << 16);
  case ElementType::F16:
    return decodeFloat(readAs<uint16_t>(address), 16, semanticsOf(type));
  default:
    return decodeFloat(readAs<uint8_t>(address), 8, semanticsOf(type));
  }
}

void helion::interp::writeFloat(char *address, ElementType type, double value) {
  if (type == ElementType::F64)
    return writeAs<double>(address, value);
  if (type == ElementType::F32)
    return writeAs<float>(address, static_cast<float>(value));
  uint64_t bits =
      converted(value, semanticsOf(type), llvm::RoundingMode::NearestTiesToEven).bitcastToAPInt().getZExtValue();
  if (elementInfo(type).bytes == 2)
    return writeAs<uint16_t>(address, static_cast<uint16_t>(bits));
  writeAs<uint8_t>(address, static_cast<uint8_t>(bits));
}

int64_t helion::interp::readInteger(const char *address, ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return readAs<uint8_t>(address) ? -1 : 0;
  case ElementType::I8:
    return readAs<int8_t>(address);
  case ElementType::U8:
    return readAs<uint8_t>(address);
  case ElementType::I16:
    return readAs<int16_t>(address);
  case ElementType::U16:
    return readAs<uint16_t>(address);
  case ElementType::I32:
    return readAs<int32_t>(address);
  case ElementType::U32:
    return readAs<uint32_t>(address);
  default:
    return readAs<int64_t>(address);
  }
}

void helion::interp::writeInteger(char *address, ElementType type, int64_t value) {
  if (type == ElementType::Bool)
    return writeAs<uint8_t>(address, value & 1);
  switch (elementInfo(type).bytes) {
  case 1:
    return writeAs<uint8_t>(address, static_cast<uint8_t>(value));
  case 2:
    return writeAs<uint16_t>(address, static_cast<uint16_t>(value));
  case 4:
    return writeAs<uint32_t>(address, static_cast<uint32_t>(value));
  default:
    return writeAs<int64_t>(address, value);
  }
}
