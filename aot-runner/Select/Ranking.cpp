// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rankings.
#include "aot-runner/Select/Ranking.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace helion::aot;

/// The nodes from the root to `leaf`; empty where it is not below `from`.
static std::vector<unsigned> pathTo(const DispatchTree &tree, unsigned from, unsigned leaf) {
  if (from == leaf)
    return {from};
  const DispatchTree::Node &node = tree.nodes[from];
  if (node.variant)
    return {};
  for (unsigned child : {node.thenNode, node.elseNode}) {
    std::vector<unsigned> path = pathTo(tree, child, leaf);
    if (path.empty())
      continue;
    path.insert(path.begin(), from);
    return path;
  }
  return {};
}

static void collect(const DispatchTree &tree, unsigned from, std::vector<unsigned> &variants) {
  const DispatchTree::Node &node = tree.nodes[from];
  if (node.variant)
    return variants.push_back(*node.variant);
  collect(tree, node.thenNode, variants);
  collect(tree, node.elseNode, variants);
}

std::vector<unsigned> helion::aot::rankingAt(const DispatchTree &tree, unsigned leaf, llvm::ArrayRef<double> means,
                                             unsigned universal, const BeyondVariants &beyond) {
  // The leaf's own, what ends somewhere, what is picked for calls beyond, what serves those too.
  std::vector<unsigned> order, reaching;
  auto reaches = [&](unsigned variant) { return beyond.first && beyond.reach[variant]; };
  auto add = [&](unsigned variant) {
    std::vector<unsigned> &to = reaches(variant) && !order.empty() ? reaching : order;
    if (!llvm::is_contained(order, variant) && !llvm::is_contained(to, variant))
      to.push_back(variant);
  };
  auto addAll = [&](std::vector<unsigned> variants) {
    llvm::sort(variants, [&](unsigned a, unsigned b) { return std::pair(means[a], a) < std::pair(means[b], b); });
    llvm::for_each(variants, add);
  };
  std::vector<unsigned> path = pathTo(tree, 0, leaf);
  for (unsigned node : llvm::reverse(path)) {
    std::vector<unsigned> near;
    collect(tree, node, near);
    addAll(near);
  }
  std::vector<unsigned> rest;
  for (unsigned variant = 0; variant < means.size(); ++variant)
    if (variant != universal)
      rest.push_back(variant);
  addAll(rest);
  if (beyond.first && !llvm::is_contained(order, *beyond.first))
    order.push_back(*beyond.first);
  for (unsigned variant : reaching)
    if (!llvm::is_contained(order, variant))
      order.push_back(variant);
  if (!llvm::is_contained(order, universal))
    order.push_back(universal);
  // Nothing is reached behind the one that always runs.
  order.erase(llvm::find(order, universal) + 1, order.end());
  return order;
}

BeyondVariants helion::aot::beyondVariants(const TunedSignature &signature) {
  BeyondVariants result;
  for (const TunedVariant &variant : signature.variants) {
    result.reach.push_back(variant.reaches);
    if (variant.beyond)
      result.first = variant.id;
  }
  return result;
}

std::vector<double> helion::aot::meanSlowdowns(const TunedSignature &signature) {
  std::vector<double> means;
  for (const TunedVariant &variant : signature.variants) {
    double sum = 0;
    unsigned rows = 0;
    for (const TunedRow &row : signature.rows)
      if (auto time = row.variants.find(variant.id); time != row.variants.end() && row.best.median > 0) {
        sum += std::log(time->second.median / row.best.median);
        ++rows;
      }
    means.push_back(rows ? std::exp(sum / rows) : std::numeric_limits<double>::infinity());
  }
  return means;
}
