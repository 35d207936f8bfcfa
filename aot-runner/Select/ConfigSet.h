// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which candidates a package holds: the smallest set that meets the goal, found by trying sizes from 1 up with branch
// and bound, as if every row got the fastest member. A set holds at least one universal candidate. Exact unless the
// limit of nodes ends it; the limit is a count, so the outcome does not depend on the machine.
#ifndef HELION_AOT_RUNNER_SELECT_CONFIGSET_H
#define HELION_AOT_RUNNER_SELECT_CONFIGSET_H

#include "aot-runner/Select/Matrix.h"

namespace helion::aot {

struct SetRequest {
  Goal goal = Goal::MaxSlowdown;
  double threshold = 1.1;
  unsigned maxConfigs = 8;
  uint64_t nodeLimit = 300000; // For each size.
};

struct ConfigSet {
  std::vector<unsigned> members; // Candidates, ascending; empty where no set serves every row.
  double value = 0;              // The goal's figure on the picking half; infinity for no members.
  double lowerBound = 0;         // No set of this size or smaller has a lower figure.
  int64_t codeBytes = 0;         // Of all members.
  uint64_t nodes = 0;
  bool proved() const { return lowerBound >= value; }
};

struct SetChoice {
  ConfigSet set;
  bool met = false;
  bool minimal = false; // Proved that no smaller set meets the threshold; where none does, that none of this size does.
  std::vector<ConfigSet> curve; // The best set of each size tried: configs -> slowdown -> bytes.
};

/// The best set of at most `size` candidates.
ConfigSet bestSet(const Matrix &matrix, Goal goal, unsigned size, uint64_t nodeLimit);
/// The smallest set that meets the threshold; where none of `maxConfigs` does, the best one of that size.
SetChoice chooseSet(const Matrix &matrix, const SetRequest &request);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_CONFIGSET_H
