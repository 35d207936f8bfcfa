// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configs to try: the default, seeds from a simple model of the target, uniform random legal ones, and neighbours
// of winners. Everything follows from the seed, so a run that goes on draws the same configs again.
#ifndef HELION_AOT_RUNNER_SEARCH_CANDIDATESOURCE_H
#define HELION_AOT_RUNNER_SEARCH_CANDIDATESOURCE_H

#include "aot-runner/Search/SearchKernel.h"
#include <set>

namespace helion::aot {

class CandidateSource {
public:
  CandidateSource(const SearchKernel &kernel, uint64_t seed) : kernel(kernel), seed(seed), random(seed) {}

  /// Default and seeds: tiles of a few sizes whose sides fill vector registers and whose area fits a cache, with the
  /// other choices at their defaults. Few, so that at least half of a pool is random.
  std::vector<std::string> seeds(unsigned most) const;
  /// Of the model of rows (`RowSeeds.h`): the first of each row, then the second of each, up to `most`.
  std::vector<std::string> rowSeeds(llvm::ArrayRef<helion::Binding> rows, unsigned most) const;
  /// Of the same model, for rows longer than any block: the most promising first.
  std::vector<std::string> longRows() const;
  /// The universal config, the default, and the one with the largest slices, for kernels whose slices cannot be cut:
  /// one of them serves every call that any config serves.
  std::vector<std::string> general() const;
  /// The whole space where it has at most `most` configs.
  std::optional<std::vector<std::string>> all(unsigned most) const;
  /// Random legal configs that were not drawn before by this object; fewer where the space seems used up. Uniform in
  /// each choice, but that a choice between a word and numbers, such as a whole row or chunks of it, is first one
  /// between the two: else the word would be one value of many, and its strategy hardly tried.
  std::vector<std::string> draw(unsigned count);
  /// Choices between a word and numbers: they are strategies, and each side should be seen on every row.
  std::vector<const Choice *> strategies() const;
  /// Random configs on the pattern's side of a strategy, with slices at least as large as the pattern's.
  std::vector<std::string> alike(const Config &pattern, const Choice &strategy, unsigned count);
  /// For each winner up to `each` configs that are one step away, the first of all winners first; always the same ones
  /// for a winner, and with a larger `each` more of them.
  std::vector<std::string> neighbours(llvm::ArrayRef<std::string> winners, unsigned each) const;

private:
  Config drawOne();

  const SearchKernel &kernel;
  uint64_t seed;
  Random random;
  std::set<std::string> drawn;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_CANDIDATESOURCE_H
