// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Python values for messages, and small constructors.
#include "dialect/Frontend/PyValue.h"

using namespace helion;
using namespace helion::frontend;

std::string PyValue::describe() const {
  // In the order of the variant.
  static const char *const names[] = {"`None`",          "`...`",
                                      "a bool",          "an integer",
                                      "a float",         "a string",
                                      "a size",          "a condition",
                                      "a number",        "a host tensor",
                                      "a tile value",    "a tile",
                                      "a block size",    "a tile value's size",
                                      "a dtype",         "a tuple",
                                      "a function",      "a library name",
                                      "a slice",         "a host tensor expression",
                                      "a loop",          "an undefined value",
                                      "a missing value", "an opaque value"};
  static_assert(std::variant_size_v<decltype(data)> == std::size(names), "one name per kind of value");
  const Sequence *sequence = get<Sequence>();
  return sequence && sequence->isList ? "a list" : names[data.index()];
}

PyValue helion::frontend::makeSequence(std::vector<PyValue> items, bool isList) {
  return Sequence{std::make_shared<std::vector<PyValue>>(std::move(items)), isList};
}

PyValue helion::frontend::makeSize(const SizeExpr &expr) {
  if (std::optional<int64_t> value = expr.asConstant())
    return PyValue(*value);
  return PyValue(Size{expr});
}

PyValue helion::frontend::withValue(const PyValue &like, mlir::Value value) {
  if (const TileValue *tile = like.get<TileValue>())
    return TileValue{value, tile->dtype, tile->axes};
  return Scalar{like.get<Scalar>()->dtype, value, nullptr};
}
