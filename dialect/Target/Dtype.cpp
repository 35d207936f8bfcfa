// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of element types.
#include "dialect/Target/Dtype.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace helion {

namespace {
struct DtypeRow {
  Dtype dtype;
  StringRef name;
  unsigned bytes;
  bool isFloat;
};
} // namespace

// In the order of the enum.
static constexpr DtypeRow dtypes[] = {
    {Dtype::F32, "f32", 4, true},    {Dtype::F16, "f16", 2, true},       {Dtype::BF16, "bf16", 2, true},
    {Dtype::F64, "f64", 8, true},    {Dtype::I8, "i8", 1, false},        {Dtype::I16, "i16", 2, false},
    {Dtype::I32, "i32", 4, false},   {Dtype::I64, "i64", 8, false},      {Dtype::UI8, "ui8", 1, false},
    {Dtype::Bool, "bool", 1, false}, {Dtype::F8E4M3, "f8e4m3", 1, true}, {Dtype::F8E5M2, "f8e5m2", 1, true},
};

std::optional<Dtype> parseDtype(StringRef name) {
  for (const DtypeRow &row : dtypes)
    if (row.name == name)
      return row.dtype;
  return std::nullopt;
}

StringRef dtypeName(Dtype dtype) { return dtypes[unsigned(dtype)].name; }
unsigned dtypeBytes(Dtype dtype) { return dtypes[unsigned(dtype)].bytes; }
bool isFloat(Dtype dtype) { return dtypes[unsigned(dtype)].isFloat; }

std::string listOfDtypes() {
  std::vector<std::string> names;
  for (const DtypeRow &row : dtypes)
    names.push_back(("`" + row.name + "`").str());
  return join(names, ", ");
}

Error readJson(const JsonCursor &at, Dtype &out) {
  std::optional<Dtype> dtype = parseDtype(at.value().getAsString().value_or(""));
  if (!dtype)
    return at.expected("one of " + listOfDtypes());
  out = *dtype;
  return Error::success();
}

json::Value Scalar::json() const {
  if (isFloat(dtype))
    return realToJson(real);
  if (dtype == Dtype::Bool)
    return integer != 0;
  return integer;
}

Error Scalar::read(const JsonCursor &at) {
  if (isFloat(dtype))
    return readJson(at, real);
  if (dtype != Dtype::Bool)
    return readJson(at, integer);
  bool value = false;
  Error error = readJson(at, value);
  integer = value;
  return error;
}

bool Scalar::operator==(const Scalar &other) const {
  // As text, so that NaN equals NaN.
  return dtype == other.dtype && canonicalJson(json()) == canonicalJson(other.json());
}

} // namespace helion
