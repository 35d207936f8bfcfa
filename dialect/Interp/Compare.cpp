// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element by element comparison of two host tensors.

#include "dialect/Interp/Compare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace helion::interp;

Tolerance helion::interp::reassociationTolerance(ElementType type) {
  if (!elementInfo(type).isFloat)
    return {};
  unsigned precision = llvm::APFloat::semanticsPrecision(semanticsOf(type));
  return {std::ldexp(2.0, 1 - int(std::min(precision, 40u))), std::ldexp(1.0, -40)};
}

std::string helion::interp::elementText(const HostTensor &tensor, int64_t element) {
  if (tensor.type == ElementType::Bool)
    return readInteger(tensor.address(element), tensor.type) ? "true" : "false";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (elementInfo(tensor.type).isFloat) {
    double value = readFloat(tensor.address(element), tensor.type);
    os << llvm::format("%.*g", tensor.type == ElementType::F64 ? 17 : 9, std::isnan(value) ? std::fabs(value) : value);
  } else if (tensor.type == ElementType::U64) {
    os << static_cast<uint64_t>(readInteger(tensor.address(element), tensor.type));
  } else {
    os << readInteger(tensor.address(element), tensor.type);
  }
  return text;
}

static bool agree(double a, double b, double relative, double absolute) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  if (!std::isfinite(a) || !std::isfinite(b))
    return false;
  return std::fabs(a - b) <= relative * std::max(std::fabs(a), std::fabs(b)) + absolute;
}

static double largestOf(const HostTensor &tensor) {
  double largest = 0;
  tensor.forEach([&](int64_t at) {
    double value = std::fabs(readFloat(tensor.address(at), tensor.type));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  });
  return largest;
}

static Shape indexOf(llvm::ArrayRef<int64_t> sizes, int64_t number) {
  Shape index(sizes.size(), 0);
  for (int dim = int(sizes.size()) - 1; dim >= 0; --dim) {
    index[dim] = number % sizes[dim];
    number /= sizes[dim];
  }
  return index;
}

std::optional<Mismatch> helion::interp::firstMismatch(const HostTensor &a, const HostTensor &b, Tolerance tolerance,
                                                      llvm::ArrayRef<uint8_t> written) {
  bool isFloat = elementInfo(a.type).isFloat;
  double absolute = isFloat ? tolerance.absolute * largestOf(a) : 0;
  std::vector<int64_t> second;
  b.forEach([&](int64_t at) { second.push_back(at); });
  std::optional<Mismatch> result;
  int64_t number = 0;
  a.forEach([&](int64_t at) {
    int64_t other = second[number++];
    if (!written.empty() && !written[at])
      return;
    bool same = isFloat ? agree(readFloat(a.address(at), a.type), readFloat(b.address(other), b.type),
                                tolerance.relative, absolute)
                        : readInteger(a.address(at), a.type) == readInteger(b.address(other), b.type);
    if (same)
      return;
    if (!result)
      result = Mismatch{indexOf(a.sizes, number - 1), elementText(a, at), elementText(b, other), 0};
    ++result->count;
  });
  return result;
}
