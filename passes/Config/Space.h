// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All configs of one kernel: each choice with its values, and what they demand of each other. The search walks it, the
// command line validates against it. It holds no IR, so it outlives the module; nothing in it depends on hash order.
#ifndef HELION_PASSES_CONFIG_SPACE_H
#define HELION_PASSES_CONFIG_SPACE_H

#include "dialect/IR/Helion.h"
#include "passes/Config/Config.h"
#include "passes/Config/LaunchDemand.h"
#include "passes/Config/Random.h"
#include <set>

namespace helion {

/// One knob at one site.
struct Choice {
  const Knob *knob;
  std::string site;
  std::string launch;              // As in Site.
  std::vector<ConfigValue> values; // What the search tries, in order; the default is among them.
  ConfigValue preset;              // What a text that does not name the choice means.
  ConfigValue start;               // Of the default config, where the target wants another one than `preset`.
  // Limits of this site beyond the knob's.
  int64_t low = 1, high = INT64_MAX, multiple = 1;
  unsigned numDims = 0; // Of the loop, for a permutation.

  /// Success when the value, tried by the search or not, is legal at the site by itself.
  llvm::Error check(const ConfigValue &value) const;
};

/// A demand on several choices. `choices` are indices, in the order that the kind gives them.
struct Constraint {
  enum class Kind {
    Needs,   // choices[0] has its default, or one of the others has a value in `values`.
    AtMost,  // Block choices[0] is at most block choices[1].
    Lanes,   // The product of `terms`, times `factor`, is at most `limit`; with a choice, `limit` for each unit of it.
    Unrolls, // Flag choices[0] is off, or the iterations over `terms` (`trips` lanes each) are at most `limit`.
    Stays,   // choices[0] has its default, or choices[1] copies of a loop's body leave a loop of its iterations (as
             // above).
    Slots, // choices[0] has its default, or the ring that it is the depth of holds something: operands of dots that run
           // on matrix instructions, or loads of a grid.
    Groups, // choices[0] has its default, or all dots of its ring run on matrix instructions of several warps.
    Shared, // `demand` is at most `limit` bytes.
  };
  using Term = LanesTerm;
  Kind kind;
  std::vector<unsigned> choices;
  std::vector<ConfigValue> values;
  std::vector<Term> terms;
  int64_t factor = 1, limit = 0;
  std::string text{};                           // For messages and the printed space.
  std::shared_ptr<const LaunchDemand> demand{}; // For Slots, Groups, Shared: of the launch around.

  /// Demands on one choice, choices[0]: without what it needs its values but the default say nothing.
  bool isNeed() const { return kind == Kind::Needs || kind == Kind::Slots || kind == Kind::Groups; }

  /// Every choice that it looks at, by index.
  std::set<unsigned> involved() const;
};

class Space {
public:
  /// Normalised kernels only: sites must be unique.
  Space(KernelOp kernel, KnobTable table);

  /// In the order of the passes, then knobs, then the program.
  llvm::ArrayRef<Choice> choices() const { return choiceList; }
  llvm::ArrayRef<Constraint> constraints() const { return constraintList; }
  const KnobTable &knobs() const { return table; }

  /// How many legal configs the tried values make. `exact` is empty when counting them would take too long or they are
  /// 2^63 or more; `estimate` then counts some illegal ones too.
  struct Size {
    double estimate = 1;
    std::optional<int64_t> exact = 1;
  };
  Size size() const;

  Config defaultConfig() const;
  /// The default, but with code that serves every size wherever a knob has such a value.
  Config universalConfig() const;
  /// Each choice uniform among its values; draws that break a limit are drawn again, choices without meaning get their
  /// default.
  Config randomConfig(Random &random) const;
  /// `count` random legal configs, different from each other while the space has more. Together they have every value
  /// of every choice that a legal config with a meaning for it can have; of a choice that has more values than there is
  /// place for, values at even distances.
  std::vector<Config> coveringConfigs(unsigned count, Random &random) const;
  /// The legal configs one step away: the next value up or down for integers and list elements, a swap of neighbours
  /// for permutations, any other word. Sorted; the config itself is not among them.
  std::vector<Config> neighbours(const Config &config) const;
  /// The first `limit` legal configs, the last choice varying fastest.
  std::vector<Config> enumerate(uint64_t limit) const;

  /// The value at a site, default or not. The choice must exist.
  const ConfigValue &valueOf(const Config &config, llvm::StringRef knob, llvm::StringRef site) const;
  /// Choices that have no meaning beside the others get their defaults, as Helion does for a multiplier of a kernel
  /// that is not persistent.
  Config withoutMeaningless(const Config &config) const;
  /// Without the values that are this kernel's defaults: equal artifacts of one kernel then have equal texts.
  Config canonical(const Config &config) const;
  /// Fails on a site that the kernel does not have (the error names those it has), on a value outside the site's
  /// limits, and on a broken constraint.
  llvm::Error validate(const Config &config) const;

  /// One object: choices with values and defaults, constraints, the default and the universal config, size.
  void printJson(llvm::raw_ostream &os) const;

private:
  friend class SpaceBuilder;
  friend class SpaceCover;
  friend class SpaceWalk;
  using Point = ConfigPoint;

  std::optional<unsigned> indexOf(llvm::StringRef knob, llvm::StringRef site) const;
  /// Points into `config`, which must stay.
  Point toPoint(const Config &config) const;
  Point toPoint(Config &&config) const = delete;
  /// Of the default config.
  Point defaultPoint() const;
  Config toConfig(const Point &point) const;
  bool holds(const Constraint &constraint, const Point &point) const;
  /// Of a need: whether what it asks for is there.
  bool isMet(const Constraint &need, const Point &point) const;
  bool isLegal(const Config &config) const;
  Config withLargestSlices(Config config) const;
  void fitUnits(Config &config) const;

  KnobTable table;
  std::vector<Choice> choiceList;
  std::vector<Constraint> constraintList;
};

/// Reads a config text for a kernel: parses, validates, canonical.
llvm::Expected<Config> parseConfig(llvm::StringRef text, const Space &space);

} // namespace helion

#endif // HELION_PASSES_CONFIG_SPACE_H
