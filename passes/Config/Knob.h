// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of choices of one target: the knobs of passes/Knobs.td and the target's own, with bounds as numbers. Config
// text, search space, Helion import and docs all read it, so a knob is described once.
#ifndef HELION_PASSES_CONFIG_KNOB_H
#define HELION_PASSES_CONFIG_KNOB_H

#include "dialect/IR/MatrixShape.h"
#include "passes/Config/ConfigValue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <optional>

namespace helion {

/// Where in a kernel a knob has a value; passes/Config/KnobClasses.td says what each means.
enum class SiteKind {
  Block,
  SliceBlock,
  Slice,
  OrderedLoop,
  PointwiseGrid,
  GroupedGrid,
  Launch,
  InnerLoop,
  ConstantLoop,
  StagedLoop,
  SlotDotLoop,
  StagedGrid,
  Dot,
  Access,
  Load,
  Store
};

enum class ValueKind { Flag, Integer, Word, List, Permutation };

//===-- Rows as utils/gen-knobs.py writes them --------------------------------------------------------------------===//

struct SpanRow {
  llvm::StringLiteral low, high, step, preset;
  int64_t odd = 1;
};
struct NeedRow {
  llvm::StringLiteral knob, values;
};
struct HelionKeyRow {
  llvm::StringLiteral key, alias;
  bool single;
  llvm::ArrayRef<llvm::StringLiteral> words; // `THEIRS=OURS`
};
struct KnobRow {
  llvm::StringLiteral name, pass;
  SiteKind site;
  ValueKind value;
  llvm::ArrayRef<SpanRow> spans;
  llvm::ArrayRef<llvm::StringLiteral> words;
  llvm::ArrayRef<int64_t> samples;
  llvm::ArrayRef<llvm::StringLiteral> matrix, groupMatrix, persistent;
  llvm::ArrayRef<NeedRow> needs;
  bool copies;
  llvm::StringLiteral preset, universal, elements, mostElements, sharedBytes;
  llvm::StringLiteral fact; // What a target must have; empty: nothing.
  HelionKeyRow helion;
  llvm::StringLiteral summary;
};
struct ChoicePassRow {
  llvm::StringLiteral name;
  int order;
  llvm::StringLiteral fact; // What a target must have; empty: nothing.
};
struct IgnoredKeyRow {
  llvm::StringLiteral key, reason;
};
/// What one Knobs.td holds.
struct KnobRows {
  llvm::ArrayRef<ChoicePassRow> passes;
  llvm::ArrayRef<KnobRow> knobs;
  llvm::ArrayRef<IgnoredKeyRow> ignored;
};

//===-- The table -------------------------------------------------------------------------------------------------===//

/// The range of an integer or list element. A step of 0 means powers of two times odd numbers up to `odd`.
struct Span {
  int64_t low, high, step;
  std::optional<int64_t> preset;
  int64_t odd = 1;

  bool contains(int64_t value) const;
  /// In ascending order.
  std::vector<int64_t> all() const;
  /// `8..64 (powers of two)`
  std::string str() const;
};

/// A value other than the default has meaning only where `knob`, at the same site or the launch around it, has one of
/// `values`.
struct Need {
  llvm::StringRef knob;
  std::vector<ConfigValue> values;
};

/// A matrix instruction of several warps.
struct GroupMatrix {
  MatrixShape shape;
  int64_t warps;
};

/// One row with its bounds evaluated; never changes. Two knobs may share a name when their sites differ in kind.
struct Knob {
  llvm::StringRef name, pass, summary;
  SiteKind site;
  ValueKind kind;
  std::vector<Span> spans;
  std::vector<llvm::StringRef> words;
  std::vector<int64_t> samples;
  std::vector<Need> needs;
  /// The default where it is one for all sites.
  std::optional<ConfigValue> preset;
  /// The value whose code serves every size, where the default's does not.
  std::optional<ConfigValue> universal;
  /// Elements that a tile value of the launch may have for each unit of the value.
  std::optional<int64_t> elements;
  /// And whatever the value.
  std::optional<int64_t> mostElements;
  /// Bytes of shared memory of the launch.
  std::optional<int64_t> sharedBytes;
  /// Another value than the default has meaning only where a dot of the loop runs on it and reads a load.
  std::optional<MatrixShape> matrix;
  /// The same where all dots of the loop run on it and read loads, and the program's warps are a multiple.
  std::optional<GroupMatrix> groupMatrix;
  /// Values with which a program runs several tiles, one after another.
  std::vector<ConfigValue> persistent;
  /// It counts copies of a loop's body.
  bool copies = false;
  HelionKeyRow helion;

  /// It is the number of slots of a grid's ring.
  bool isDepthOfGrid() const { return site == SiteKind::StagedGrid && kind == ValueKind::Integer; }
  /// Whether some site could have the value; what a kernel's own limits exclude is Space's question.
  bool allows(const ConfigValue &value) const;
  /// What is allowed, for messages: "an integer in 1..64".
  std::string allowed() const;
};

/// A handle; copies share the table.
class KnobTable {
public:
  /// `fact` gives the value of `dev.NAME` in bounds. Passes whose fact has none are left out with their knobs; every
  /// other fact that a bound names must have one.
  KnobTable(llvm::ArrayRef<KnobRows> groups, llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> fact);

  /// In the order of the config text.
  llvm::ArrayRef<llvm::StringRef> passes() const;
  /// By pass, then name.
  llvm::ArrayRef<Knob> knobs() const;
  /// Knobs of that name; empty when there is none.
  llvm::ArrayRef<Knob> find(llvm::StringRef name) const;
  /// The default that all knobs of the name share, if they do.
  const ConfigValue *preset(llvm::StringRef name) const;
  /// Why Helion's key is ignored; none when it is not one of those.
  std::optional<llvm::StringRef> ignored(llvm::StringRef helionKey) const;

private:
  struct Data;
  std::shared_ptr<const Data> data;
};

/// The records of passes/Knobs.td, and a table of them alone.
const KnobRows &neutralKnobRows();
KnobTable neutralKnobs();

} // namespace helion

#endif // HELION_PASSES_CONFIG_KNOB_H
