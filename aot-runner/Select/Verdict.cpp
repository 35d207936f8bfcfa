// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection and its verdict.
#include "aot-runner/Select/Verdict.h"

#include "aot-runner/Select/Beyond.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace helion;
using namespace helion::aot;

llvm::StringRef helion::aot::name(Outcome outcome) {
  static constexpr llvm::StringLiteral names[] = {"met", "missed", "undecided"};
  return names[static_cast<unsigned>(outcome)];
}

Outcome helion::aot::outcomeOf(const Interval &slowdown, double threshold) {
  if (slowdown.high <= threshold)
    return Outcome::Met;
  return slowdown.low > threshold ? Outcome::Missed : Outcome::Undecided;
}

static Interval figureOf(const Matrix &matrix, Goal goal, llvm::ArrayRef<RowVerdict> rows) {
  auto over = [&](double Interval::*end) {
    std::vector<double> slowdowns;
    for (const RowVerdict &row : rows)
      slowdowns.push_back(row.slowdown.*end);
    return matrix.value(goal, slowdowns);
  };
  return {over(&Interval::median), over(&Interval::low), over(&Interval::high)};
}

static void summarise(const Matrix &matrix, const FitRequest &request, Verdict &verdict) {
  for (RowVerdict &row : verdict.rows)
    row.outcome = outcomeOf(row.slowdown, request.threshold);
  verdict.figure = figureOf(matrix, request.goal, verdict.rows);
  verdict.worst = figureOf(matrix, Goal::MaxSlowdown, verdict.rows);
  verdict.mean = figureOf(matrix, Goal::GeomeanSlowdown, verdict.rows);
  verdict.outcome = outcomeOf(verdict.figure, request.threshold);
}

llvm::Expected<Verdict> helion::aot::judge(const Matrix &matrix, llvm::ArrayRef<Binding> rows, const DispatchTree &tree,
                                           const FitRequest &request) {
  Verdict verdict;
  for (unsigned row = 0; row < matrix.numRows(); ++row) {
    llvm::Expected<unsigned> variant = dispatched(matrix, row, tree, rows[row], request);
    if (!variant)
      return variant.takeError();
    verdict.rows.push_back({*variant, matrix.judgeSlowdown(row, request.members[*variant])});
  }
  summarise(matrix, request, verdict);
  return verdict;
}

static FitRequest fitRequest(const Matrix &matrix, const ConfigSet &set, const SetRequest &request) {
  return {set.members, fallbackOf(matrix, set.members), request.goal, request.threshold};
}

/// Better verdicts first: met before undecided before missed, then by figure.
static std::pair<unsigned, double> order(const Verdict &verdict) {
  static constexpr unsigned rank[] = {0, 2, 1};
  return {rank[static_cast<unsigned>(verdict.outcome)], verdict.figure.median};
}

llvm::Expected<Selection> helion::aot::select(const Matrix &matrix, llvm::ArrayRef<Binding> rows,
                                              const SetRequest &request) {
  SetChoice choice = chooseSet(matrix, request);
  if (choice.set.members.empty())
    return llvm::createStringError("no set of %u configs serves every row; raise `--max-configs`", request.maxConfigs);
  std::vector<Feature> features = featuresOf(rows);
  std::optional<Selection> best;
  auto consider = [&](const ConfigSet &set) -> llvm::Error {
    Selection selection;
    selection.fit = fitRequest(matrix, set, request);
    selection.tree = fitDispatch(matrix, features, selection.fit);
    pickBeyond(matrix, request.maxConfigs, selection.fit);
    llvm::Expected<Verdict> verdict = judge(matrix, rows, selection.tree, selection.fit);
    if (!verdict)
      return verdict.takeError();
    selection.verdict = std::move(*verdict);
    if (selection.verdict.outcome == Outcome::Met)
      selection.treeMinimum = set.members.size();
    if (!best || order(selection.verdict) < order(best->verdict))
      best = std::move(selection);
    return llvm::Error::success();
  };
  if (llvm::Error error = consider(choice.set))
    return std::move(error);
  for (unsigned size = choice.set.members.size() + 1; choice.met && size <= request.maxConfigs; ++size) {
    if (best->verdict.outcome == Outcome::Met)
      break;
    choice.curve.push_back(bestSet(matrix, request.goal, size, request.nodeLimit));
    if (choice.curve.back().members.size() < size)
      break; // More members do not help.
    if (llvm::Error error = consider(choice.curve.back()))
      return std::move(error);
  }
  if (choice.met)
    best->setMinimum = choice.set.members.size();
  best->minimumProved = choice.minimal;
  best->setValue = choice.set.value;
  best->setLowerBound = choice.set.lowerBound;
  best->curve = std::move(choice.curve);
  return std::move(*best);
}

/// Rows by group; a row without a group is one of its own. Many groups are dealt out to a few parts, each left out at
/// once: the selection is made anew for each.
static std::vector<std::vector<unsigned>> groupsOf(const Matrix &matrix) {
  std::vector<std::vector<unsigned>> groups;
  std::map<std::string, size_t> known;
  for (auto [index, row] : llvm::enumerate(matrix.rows())) {
    auto [at, isNew] = known.try_emplace(row.group, groups.size());
    if (row.group.empty() || isNew) {
      at->second = groups.size();
      groups.emplace_back();
    }
    groups[at->second].push_back(index);
  }
  constexpr size_t kMostParts = 32;
  for (size_t group = kMostParts; group < groups.size(); ++group)
    llvm::append_range(groups[group % kMostParts], groups[group]);
  groups.resize(std::min(groups.size(), kMostParts));
  return groups;
}

llvm::Expected<std::optional<Verdict>> helion::aot::heldOut(const Matrix &matrix, llvm::ArrayRef<Binding> rows,
                                                            const SetRequest &request) {
  std::vector<std::vector<unsigned>> groups = groupsOf(matrix);
  if (groups.size() < 2)
    return std::optional<Verdict>();
  Verdict verdict;
  verdict.rows.resize(matrix.numRows());
  FitRequest last;
  for (const std::vector<unsigned> &group : groups) {
    std::vector<unsigned> others;
    std::vector<Binding> bindings;
    const std::set<unsigned> left(group.begin(), group.end());
    for (unsigned row = 0; row < matrix.numRows(); ++row)
      if (!left.count(row)) {
        others.push_back(row);
        bindings.push_back(rows[row]);
      }
    llvm::Expected<Selection> selection = select(matrix.subset(others), bindings, request);
    if (!selection)
      return selection.takeError();
    llvm::Expected<Verdict> all = judge(matrix, rows, selection->tree, selection->fit);
    if (!all)
      return all.takeError();
    for (unsigned row : group)
      verdict.rows[row] = all->rows[row];
    last = selection->fit;
  }
  summarise(matrix, last, verdict);
  return std::optional<Verdict>(std::move(verdict));
}
