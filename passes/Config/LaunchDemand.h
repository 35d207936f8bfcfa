// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch asks of a processor's matrix instructions and shared memory, as a function of the choices. Read from
// form K once, it holds no IR. The lowering decides in the end (codegen/Common/PlanShared.h); this is no less than
// that.
#ifndef HELION_PASSES_CONFIG_LAUNCHDEMAND_H
#define HELION_PASSES_CONFIG_LAUNCHDEMAND_H

#include "passes/Config/Knob.h"
#include <set>

namespace helion {

/// One value per choice; the values belong to the choices or to a config.
using ConfigPoint = std::vector<const ConfigValue *>;

/// The lanes of a block: its choice, or the chunk of its slice where that is rolled, or a number.
struct LanesTerm {
  std::optional<unsigned> block, roll;
  int64_t lanes = 1; // Without a choice; with one, for Constraint::Unrolls: the loop's extent.

  int64_t at(const ConfigPoint &point) const;
};

/// A product of blocks and a number; saturates.
struct LanesProduct {
  std::vector<LanesTerm> terms;
  int64_t factor = 1;

  int64_t at(const ConfigPoint &point) const;
};

/// None where the target has no such instruction.
using MatrixInstruction = std::optional<MatrixShape>;

struct DotDemand {
  LanesProduct batch, rows, columns, depth;
  int64_t matrixBytes; // Of an operand's element, where the matrix instruction takes the dot's types; else 0.
  int64_t bytes[2];    // Of an element of each operand.
  bool mayStage[2];    // The operand is a load that may come through a ring.
  bool readsSlots;     // Instructions of several warps may read both there.

  bool runsOn(const MatrixInstruction &shape, const ConfigPoint &point) const;
  /// Bytes of a slot of the ring, if the dot's loop has one.
  int64_t slotBytes(const MatrixInstruction &shape, const ConfigPoint &point) const;
  /// Bytes of the operands that no ring has.
  int64_t operandBytes(const MatrixInstruction &shape, bool isStaged, const ConfigPoint &point) const;
};

/// What asynchronous copies move at once: a load comes through a grid's ring in whole pieces of it along its last dim,
/// or not at all.
constexpr int64_t kPieceBytes = 16;

/// A load that may come through the ring of a grid.
struct LoadDemand {
  LanesProduct lanes, row; // Of all and of the last dim.
  int64_t bytes;           // Of an element.

  /// Stands in the grid's body, not in the loop of a rolled slice, and has rows of whole pieces.
  bool isStaged(const ConfigPoint &point) const;
};

struct LaunchDemand {
  /// A loop, or a grid whose programs stay, that may have a ring.
  struct Ring {
    unsigned stages;                // The choice of its depth.
    std::optional<unsigned> copies; // The choice of copies of its body; the loop of what is left has a ring too.
    std::optional<unsigned> groups; // The choice whether dots run on instructions of several warps.
    std::vector<DotDemand> dots;
    std::vector<LoadDemand> loads; // Of a grid.

    bool runsOn(const GroupMatrix &group, const ConfigPoint &point) const;
    bool isOn(const ConfigPoint &point) const;
    int64_t slotBytes(const MatrixInstruction &shape, const ConfigPoint &point) const;
  };
  /// The choice how tiles are given to programs, and its values with which programs keep their rings for the next tile.
  struct Order {
    unsigned choice;
    std::vector<ConfigValue> persistent;
  };
  /// A dot, or a tile value that may change its layout.
  struct Piece {
    std::optional<DotDemand> dot;
    std::optional<unsigned> ring; // Of the dot's loop.
    LanesProduct lanes;
    int64_t bytes;          // Of an element.
    bool isBehind;          // Comes after all loops with rings, where programs run once.
    bool isPerWarp = false; // Each warp has its own.
  };
  MatrixInstruction shape;
  std::optional<Order> order;
  std::optional<unsigned> warps; // The choice of their number.
  std::vector<Ring> rings;
  std::vector<Piece> pieces;

  /// Whether the ring whose choice of groups is `groups` can have them.
  bool takesGroups(unsigned groups, const GroupMatrix &group, const ConfigPoint &point) const;
  /// At most so many bytes of shared memory.
  int64_t sharedBytes(const ConfigPoint &point) const;
  /// Every choice that it looks at.
  std::set<unsigned> involved() const;
};

} // namespace helion

#endif // HELION_PASSES_CONFIG_LAUNCHDEMAND_H
