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
  /// The whole space where it has at most `most` configs.
  std::optional<std::vector<std::string>> all(unsigned most) const;
  /// Draws that were not drawn before by this object; fewer where the space seems used up.
  std::vector<std::string> draw(unsigned count);
  /// For each winner up to `each` configs that are one step away; always the same ones for a winner.
  std::vector<std::string> neighbours(llvm::ArrayRef<std::string> winners, unsigned each) const;

private:
  const SearchKernel &kernel;
  uint64_t seed;
  Random random;
  std::set<std::string> drawn;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_CANDIDATESOURCE_H
