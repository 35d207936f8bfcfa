// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Python values for messages, and small constructors.
#include "dialect/Frontend/PyValue.h"

using namespace helion;
using namespace helion::frontend;

std::string PyValue::describe() const {
  // In the order of the variant.
  static const char *const names[] = {"`None`",      "`...`",      "bool",       "integer",   "float",      "string",
                                      "size",        "condition",  "number",     "host tensor", "tile value", "tile",
                                      "block size",  "size of a tile value", "dtype",      "tuple",      "function",  "library name", "slice",
                                      "host tensor expression", "loop", "undefined value", "missing value", "opaque value"};
  static_assert(std::variant_size_v<decltype(data)> == std::size(names), "one name per kind of value");
  const Sequence *sequence = get<Sequence>();
  return sequence && sequence->isList ? "list" : names[data.index()];
}

PyValue helion::frontend::makeSequence(std::vector<PyValue> items, bool isList) {
  return Sequence{std::make_shared<std::vector<PyValue>>(std::move(items)), isList};
}

PyValue helion::frontend::makeSize(const SizeExpr &expr) {
  if (std::optional<int64_t> value = expr.asConstant())
    return PyValue(*value);
  return PyValue(Size{expr});
}
