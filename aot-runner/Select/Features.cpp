// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features of rows.
#include "aot-runner/Select/Features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace helion;
using namespace helion::aot;

/// Place of each value among the distinct ones: equal orders split the rows in the same ways.
static std::vector<unsigned> orderOf(llvm::ArrayRef<int64_t> values) {
  std::set<int64_t> distinct(values.begin(), values.end());
  std::vector<unsigned> order;
  for (int64_t value : values)
    order.push_back(std::distance(distinct.begin(), distinct.find(value)));
  return order;
}

static std::vector<Feature> simpleFeatures(llvm::ArrayRef<Binding> rows) {
  std::vector<Feature> features;
  auto add = [&](SizeExpr expr) {
    Feature feature{expr, {}};
    for (const Binding &row : rows) {
      std::optional<int64_t> value = row.value(expr.leaf());
      if (!value)
        return; // Some row does not pass it.
      feature.values.push_back(*value);
    }
    features.push_back(std::move(feature));
  };
  for (auto &[name, tensor] : rows.front().tensors)
    for (unsigned dim = 0; dim < tensor.sizes.size(); ++dim)
      add(SizeExpr::size(name, dim));
  for (auto &[name, scalar] : rows.front().scalars)
    if (!isFloat(scalar.dtype))
      add(SizeExpr::scalar(name));
  return features;
}

static std::optional<Feature> product(const Feature &a, const Feature &b) {
  Feature result{SizeExpr::mul(a.expr, b.expr), {}};
  for (auto [x, y] : llvm::zip_equal(a.values, b.values)) {
    int64_t value;
    if (llvm::MulOverflow(x, y, value))
      return std::nullopt;
    result.values.push_back(value);
  }
  return result;
}

std::vector<Feature> helion::aot::featuresOf(llvm::ArrayRef<Binding> rows) {
  std::vector<Feature> kept;
  std::set<std::vector<unsigned>> orders;
  if (rows.empty())
    return kept;
  orders.insert(std::vector<unsigned>(rows.size(), 0)); // A constant asks nothing.
  auto keep = [&](const Feature &feature) {
    if (orders.insert(orderOf(feature.values)).second)
      kept.push_back(feature);
  };
  llvm::for_each(simpleFeatures(rows), keep);
  std::vector<Feature> simple = kept;
  for (size_t a = 0; a < simple.size(); ++a)
    for (size_t b = a + 1; b < simple.size(); ++b)
      if (std::optional<Feature> both = product(simple[a], simple[b]))
        keep(*both);
  return kept;
}
