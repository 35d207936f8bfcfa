// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to move a value from one layout to another: a renaming of registers, shuffles inside warps, or staged
// memory. Pure functions: passes ask for the cost, the lowering for the plan.

#ifndef HELION_DIALECT_IR_LAYOUTCONVERSION_H
#define HELION_DIALECT_IR_LAYOUTCONVERSION_H

#include "dialect/IR/Layout.h"
#include <vector>

namespace helion {
/// One exchange between the lanes of every warp: each lane offers one register and reads the one that another lane
/// offers. Tables per lane.
struct ShuffleRound {
  std::vector<int64_t> offered; // source register that the lane offers
  std::vector<int64_t> lane;    // lane that it reads
  std::vector<int64_t> target;  // result register that it fills; -1 for none
};

struct ConversionPlan {
  enum class Kind { Registers, Shuffle, Shared } kind = Kind::Shared;
  /// `kept[lane][r]`: source register of result register `r` where the lane has the element itself, -1 where a round
  /// brings it. With Kind::Registers all lanes agree and nothing is -1.
  std::vector<std::vector<int64_t>> kept;
  /// Rounds for one warp; every warp of every group and CTA does the same.
  std::vector<ShuffleRound> rounds;
};

/// The cheapest way from `from` to `to` (equal shapes, no staged memory, `lanes` per warp). Shared is always possible;
/// it is what is left when a value has to leave its warp, the layouts do not line up, or a thread would need more
/// registers than any device has.
ConversionPlan planConversion(const Layout &from, const Layout &to, int64_t lanes);
/// Only the kind of that plan.
ConversionPlan::Kind conversionKind(const Layout &from, const Layout &to, int64_t lanes);

/// Accesses of one warp to staged memory, in units that the memory serves at once.
struct BankUse {
  int64_t accesses = 0;   // vector instructions of one warp over the whole tile
  int64_t wavefronts = 0; // turns that the banks take for them
  int64_t minimum = 0;    // turns without any conflict
  int64_t vectorBytes = 0;
};

/// Memory with `banks` banks of `bankBytes`, that serves vectors of up to `vectorBytes`.
struct BankModel {
  int64_t banks = 32, bankBytes = 4, vectorBytes = 16, lanes = 32;
};

/// Turns for reading or writing all registers of `registers` at their places in `shared`. None when the layouts do not
/// line up.
std::optional<BankUse> countBankUse(const Layout &registers, const Layout &shared, int64_t elementBytes,
                                    const BankModel &model = {});

/// A layout of staged memory for a value that is written in one layout and read in the other, with the fewest turns
/// together: plain rows or one of the swizzles of sharedLayout(), along either dim. None when none lines up (rank other
/// than 2).
struct SharedChoice {
  Layout layout;
  int64_t wavefronts, minimum;
};
std::optional<SharedChoice> chooseSharedLayout(const Layout &writer, const Layout &reader, int64_t elementBytes,
                                               const BankModel &model = {});
} // namespace helion

#endif // HELION_DIALECT_IR_LAYOUTCONVERSION_H
