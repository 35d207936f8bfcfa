// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice for calls beyond the rows.
#include "aot-runner/Select/Beyond.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace helion::aot;

namespace {
/// Rows on which the fewest candidates that end were measured, and how many those are.
struct EdgeRows {
  std::vector<unsigned> rows;
  unsigned ending = 0;
};
} // namespace

static EdgeRows edgeOf(const Matrix &matrix) {
  EdgeRows edge;
  for (unsigned row = 0; row < matrix.numRows(); ++row) {
    unsigned ending = 0;
    for (unsigned c = 0; c < matrix.numCandidates(); ++c)
      ending += matrix.at(row, c).measured() && !matrix.candidates()[c].reaches;
    if (!edge.rows.empty() && ending > edge.ending)
      continue;
    if (ending < edge.ending)
      edge.rows.clear();
    edge.ending = ending;
    edge.rows.push_back(row);
  }
  return edge;
}

/// Geometric mean over the rows; infinity where one was not measured.
static double slowdownOn(const Matrix &matrix, llvm::ArrayRef<unsigned> rows, unsigned candidate) {
  double sum = 0;
  for (unsigned row : rows)
    sum += std::log(matrix.best(row) ? matrix.pickSlowdown(row, candidate) : 1);
  return std::exp(sum / std::max<size_t>(rows.size(), 1));
}

static bool isMeasured(const Matrix &matrix, unsigned candidate) {
  for (unsigned row = 0; row < matrix.numRows(); ++row)
    if (matrix.at(row, candidate).measured())
      return true;
  return false;
}

/// What the model says: less is better; infinity where it says nothing.
static double placeOf(const Matrix &matrix, unsigned candidate) {
  const MatrixCandidate &it = matrix.candidates()[candidate];
  bool isKnown = it.reaches && it.modelled && isMeasured(matrix, candidate);
  return isKnown ? *it.modelled : std::numeric_limits<double>::infinity();
}

void helion::aot::pickBeyond(const Matrix &matrix, unsigned maxMembers, FitRequest &request) {
  EdgeRows edge = edgeOf(matrix);
  auto byTime = [&](unsigned c) {
    return matrix.candidates()[c].reaches ? slowdownOn(matrix, edge.rows, c) : std::numeric_limits<double>::infinity();
  };
  auto byModel = [&](unsigned c) { return placeOf(matrix, c); };
  auto least = [&](llvm::function_ref<double(unsigned)> cost) {
    std::optional<unsigned> best;
    for (unsigned c = 0; c < matrix.numCandidates(); ++c)
      if (!std::isinf(cost(c)) && (!best || cost(c) < cost(*best)))
        best = c;
    return best;
  };
  std::optional<unsigned> modelled = edge.ending ? least(byModel) : std::nullopt;
  std::optional<unsigned> picked = modelled ? modelled : least(byTime);
  if (!picked)
    return;
  // Of the members, one that the model names too, or that is as fast as the threshold asks.
  std::optional<unsigned> member;
  for (unsigned index = 0; index < request.members.size(); ++index) {
    unsigned c = request.members[index];
    double cost = modelled ? byModel(c) : byTime(c);
    bool isEnough = modelled ? !std::isinf(cost) : cost <= request.threshold * byTime(*picked);
    if (isEnough &&
        (!member || cost < (modelled ? byModel(request.members[*member]) : byTime(request.members[*member]))))
      member = index;
  }
  if (!member && request.members.size() < maxMembers) {
    member = request.members.size();
    request.members.push_back(*picked);
  }
  for (unsigned c : request.members)
    request.beyond.reach.push_back(matrix.candidates()[c].reaches);
  request.beyond.first = member;
}
