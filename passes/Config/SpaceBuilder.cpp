// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the space of a kernel: first every knob at every site with its values, then what the choices demand of each
// other.
#include "dialect/IR/Dims.h"
#include "mlir/IR/Matchers.h"
#include "passes/Config/BlockDefaults.h"
#include "passes/Config/ReadDemand.h"
#include "passes/Config/Sites.h"
#include "passes/Config/Space.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;

/// Of one tile value; Helion's bound (a tensor of Triton has at most that many elements).
static constexpr int64_t kMaxLanes = 1 << 20;
/// Tried for one of several blocks: two of that size make a tile of the largest legal size.
static constexpr int64_t kMaxTriedLanes = 1024;
/// Dots and reductions in all copies of a loop's body, one more than the factor for the iterations that are left: each
/// is a nest of loops of some 7 KB on a CPU. More would take seconds to compile and not fit the cache of instructions.
static constexpr int64_t kMaxTriedNests = 9;
/// All orders of more dims are too many to list; the others are reached by swaps.
static constexpr unsigned kMaxListedDims = 5;

static std::optional<int64_t> constantIndex(mlir::Value value) {
  llvm::APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue()) : std::nullopt;
}

namespace helion {

static bool sizesBlocks(const Knob &knob) { return knob.site == SiteKind::Block || knob.site == SiteKind::SliceBlock; }

class SpaceBuilder {
public:
  SpaceBuilder(Space &space, KernelOp kernel) : space(space), kernel(kernel) {}
  void build();

private:
  /// Blocks with their slices, and a product of numbers.
  using LanesKey = std::pair<std::vector<std::pair<int, int>>, int64_t>;

  void addChoice(const Knob &knob, const Site &site);
  std::vector<ConfigValue> valuesAt(const Choice &choice, const Site &site);
  std::vector<ConfigValue> integersAt(const Choice &choice, const Site &site);
  std::vector<ConfigValue> wordsAt(const Choice &choice, const Site &site);
  std::vector<ConfigValue> permutationsAt(const Choice &choice);
  std::vector<ConfigValue> listsAt(const Choice &choice);
  ConfigValue presetAt(const Choice &choice, const Site &site);
  void limitBlock(Choice &choice, BlockOp block);
  std::optional<int64_t> sizeLimit(BlockOp block);
  int64_t triedLimit(BlockOp block);
  int64_t triedCopies(TileOp loop);
  int64_t mostLanes();

  void addNeeds(unsigned index, const Need &need);
  std::vector<std::string> relatedSites(unsigned index, const Need &need);
  void addAtMost(unsigned index, BlockOp block);
  void addLanes();
  void addLanesOf(Type type, StringRef launch);
  void addLanes(std::map<LanesKey, Constraint> &found, int64_t limit, std::optional<unsigned> units);
  void dropHopeless();
  void raiseStart(unsigned index, const Constraint &constraint);
  void addUnrolls(unsigned index, TileOp loop);
  void addStays(unsigned index, TileOp loop);
  bool addIterations(Constraint &constraint, TileOp loop);
  std::optional<unsigned> indexOf(llvm::function_ref<bool(const Knob &)> isKnob, StringRef site) const;
  LanesProduct lanesOf(ArrayRef<DimAttr> dims);
  void addDemands();
  void addSlots(unsigned index, std::shared_ptr<const LaunchDemand> demand);
  void addGroups(unsigned index, std::shared_ptr<const LaunchDemand> demand);
  void addShared(unsigned index, std::shared_ptr<const LaunchDemand> demand);
  std::optional<Constraint::Term> termOf(StringAttr block, StringAttr range, int64_t &factor);

  Space &space;
  KernelOp kernel;
  std::vector<Site> siteOf; // Per choice.
  llvm::StringMap<int64_t> starts;
  /// Of all launches.
  std::map<LanesKey, Constraint> lanes;
  /// Of single launches.
  std::map<std::string, std::map<LanesKey, Constraint>> lanesOfLaunch;
};

//===-- Choices ---------------------------------------------------------------------------------------------------===//

void SpaceBuilder::limitBlock(Choice &choice, BlockOp block) {
  choice.low = block.getMin().value_or(1);
  choice.multiple = block.getMultiple().value_or(1);
  if (auto max = dyn_cast_or_null<IntegerAttr>(block.getMaxAttr()))
    choice.high = max.getInt();
  auto bound = dyn_cast_or_null<FlatSymbolRefAttr>(block.getMaxAttr());
  if (auto other = bound ? kernel.lookupSymbol<BlockOp>(bound.getAttr()) : BlockOp(); other && other.getValue())
    choice.high = *other.getValue();
}

/// Beyond the loop's size, where it is a number, a larger block makes the same tiles.
std::optional<int64_t> SpaceBuilder::sizeLimit(BlockOp block) {
  std::optional<int64_t> limit = 1;
  kernel.walk([&](TileOp loop) {
    for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
      if (loop.getTileType(dim).getDim().getBlock() != block.getSymNameAttr())
        continue;
      std::optional<int64_t> low = constantIndex(loop.getLowers()[dim]), high = constantIndex(loop.getUppers()[dim]);
      if (!limit || !low || !high)
        limit.reset();
      else
        limit = std::max<int64_t>(*limit, llvm::PowerOf2Ceil(std::max<int64_t>(*high - *low, 1)));
    }
  });
  return limit;
}

/// Of one tile value.
int64_t SpaceBuilder::mostLanes() {
  int64_t most = kMaxLanes;
  for (const Knob &knob : space.table.knobs())
    most = std::min(most, knob.mostElements.value_or(most));
  return most;
}

int64_t SpaceBuilder::triedLimit(BlockOp block) {
  auto isChosen = [](BlockOp other) { return other.getKind() != BlockKind::Fixed; };
  int64_t limit = llvm::count_if(kernel.getOps<BlockOp>(), isChosen) > 1 ? kMaxTriedLanes : kMaxLanes;
  return std::min(limit, sizeLimit(block).value_or(limit));
}

int64_t SpaceBuilder::triedCopies(TileOp loop) {
  int64_t nests = 0;
  loop.walk([&](Operation *op) { nests += isa<DotOp, ReduceOp, ReduceFnOp, ScanOp, ScanFnOp>(op); });
  return std::max<int64_t>(kMaxTriedNests / std::max<int64_t>(nests, 1) - 1, 1);
}

std::vector<ConfigValue> SpaceBuilder::integersAt(const Choice &choice, const Site &site) {
  const Knob &knob = *choice.knob;
  int64_t limit = INT64_MAX;
  if (site.kind == SiteKind::Block)
    limit = triedLimit(cast<BlockOp>(site.op));
  else if (knob.copies)
    limit = triedCopies(cast<TileOp>(site.op));
  if (isa<BlockOp, RangeOp>(site.op))
    limit = std::min(limit, mostLanes());
  std::set<int64_t> tried;
  auto tryValue = [&](int64_t value) {
    bool legal = knob.spans[0].contains(value) && value >= choice.low && value <= choice.high;
    if (legal && value % choice.multiple == 0 && value <= limit)
      tried.insert(value);
  };
  for (int64_t sample : knob.samples.empty() ? knob.spans[0].all() : knob.samples) {
    tryValue(sample);
    if (!knob.samples.empty())
      tryValue(sample * choice.multiple);
  }
  for (const ConfigValue &value : {choice.preset, choice.start})
    if (value.asInteger())
      tried.insert(*value.asInteger());
  std::vector<ConfigValue> values(tried.begin(), tried.end());
  for (StringRef word : knob.words)
    values.push_back(ConfigValue::word(word));
  return values;
}

std::vector<ConfigValue> SpaceBuilder::wordsAt(const Choice &choice, const Site &site) {
  std::vector<ConfigValue> values;
  for (StringRef word : choice.knob->words) {
    if (site.kind == SiteKind::Launch && word == "xyz" && !canMapXyz(cast<LaunchOp>(site.op)))
      continue;
    values.push_back(ConfigValue::word(word));
  }
  return values;
}

std::vector<ConfigValue> SpaceBuilder::permutationsAt(const Choice &choice) {
  std::vector<int64_t> order = *choice.preset.asList();
  std::vector<ConfigValue> values;
  if (choice.numDims <= kMaxListedDims) {
    do
      values.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    return values;
  }
  values.push_back(order);
  for (unsigned dim = 1; dim != choice.numDims; ++dim) {
    std::vector<int64_t> swapped = order;
    std::swap(swapped[dim - 1], swapped[dim]);
    values.push_back(std::move(swapped));
  }
  values.push_back(std::vector<int64_t>(order.rbegin(), order.rend()));
  return values;
}

std::vector<ConfigValue> SpaceBuilder::listsAt(const Choice &choice) {
  std::vector<std::vector<int64_t>> lists = {{}};
  for (const Span &span : choice.knob->spans) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &list : lists)
      for (int64_t element : span.all()) {
        longer.push_back(list);
        longer.back().push_back(element);
      }
    lists = std::move(longer);
  }
  std::vector<ConfigValue> values(lists.begin(), lists.end());
  for (StringRef word : choice.knob->words)
    values.push_back(ConfigValue::word(word));
  return values;
}

std::vector<ConfigValue> SpaceBuilder::valuesAt(const Choice &choice, const Site &site) {
  switch (choice.knob->kind) {
  case ValueKind::Flag:
    return {ConfigValue::flag(false), ConfigValue::flag(true)};
  case ValueKind::Integer:
    return integersAt(choice, site);
  case ValueKind::Word:
    return wordsAt(choice, site);
  case ValueKind::Permutation:
    return permutationsAt(choice);
  case ValueKind::List:
    return listsAt(choice);
  }
  llvm_unreachable("covered switch");
}

ConfigValue SpaceBuilder::presetAt(const Choice &choice, const Site &site) {
  if (auto block = dyn_cast<BlockOp>(site.op))
    return defaultExtent(block);
  if (choice.knob->kind != ValueKind::Permutation)
    return *choice.knob->preset;
  return std::vector<int64_t>(llvm::seq<int64_t>(0, choice.numDims).begin(),
                              llvm::seq<int64_t>(0, choice.numDims).end());
}

void SpaceBuilder::addChoice(const Knob &knob, const Site &site) {
  Choice choice{&knob, site.name, site.launch, {}, {}, {}};
  if (auto loop = dyn_cast<TileOp>(site.op))
    choice.numDims = loop.getNumDims();
  if (auto block = dyn_cast<BlockOp>(site.op))
    limitBlock(choice, block);
  choice.preset = choice.start = presetAt(choice, site);
  if (auto start = starts.find(site.name); start != starts.end() && isa<BlockOp>(site.op))
    choice.start = start->second;
  choice.values = valuesAt(choice, site);
  space.choiceList.push_back(std::move(choice));
  siteOf.push_back(site);
}

std::optional<unsigned> SpaceBuilder::indexOf(llvm::function_ref<bool(const Knob &)> isKnob, StringRef site) const {
  for (auto [index, choice] : llvm::enumerate(space.choiceList))
    if (choice.site == site && isKnob(*choice.knob))
      return index;
  return std::nullopt;
}

//===-- Constraints -----------------------------------------------------------------------------------------------===//

/// Where the other knob of a need is looked up for a choice.
std::vector<std::string> SpaceBuilder::relatedSites(unsigned index, const Need &need) {
  const Choice &choice = space.choiceList[index];
  ArrayRef<Knob> others = space.table.find(need.knob);
  if (!others.empty() && others.front().site == SiteKind::Launch)
    return {choice.launch};
  if (choice.knob->site == SiteKind::StagedGrid && !others.empty() && others.front().site == SiteKind::PointwiseGrid)
    return {onlyGrid(cast<LaunchOp>(siteOf[index].op)).getSite().str()};
  if (choice.knob->site != SiteKind::SliceBlock)
    return {choice.site};
  std::vector<std::string> sites;
  kernel.walk([&](RangeOp range) {
    StringAttr block = range.getTile().getType().getDim().getBlock(); // null for a constant extent
    if (block && block == choice.site)
      sites.push_back(range.getSite().str());
  });
  return sites;
}

void SpaceBuilder::addNeeds(unsigned index, const Need &need) {
  const Choice &choice = space.choiceList[index];
  Constraint constraint{Constraint::Kind::Needs, {index}, need.values, {}};
  for (const std::string &site : relatedSites(index, need)) {
    std::optional<unsigned> other = space.indexOf(need.knob, site);
    const ConfigValue *preset = space.table.preset(need.knob);
    if (!other && preset && llvm::is_contained(need.values, *preset))
      return; // A site without the choice has the default for good.
    if (other)
      constraint.choices.push_back(*other);
  }
  std::string values;
  for (const ConfigValue &value : need.values)
    values += (values.empty() ? "`" : " or `") + value.str() + "`";
  constraint.text =
      ("`" + choice.knob->name + "` of `" + choice.site + "` needs `" + need.knob + "` to be " + values).str();
  space.constraintList.push_back(std::move(constraint));
}

void SpaceBuilder::addAtMost(unsigned index, BlockOp block) {
  auto bound = dyn_cast_or_null<FlatSymbolRefAttr>(block.getMaxAttr());
  std::optional<unsigned> other = bound ? indexOf(sizesBlocks, bound.getValue()) : std::nullopt;
  if (!other)
    return;
  Constraint constraint{Constraint::Kind::AtMost, {index, *other}, {}, {}};
  constraint.text =
      ("`block_sizes` of `" + block.getSymName() + "` is at most that of `" + bound.getValue() + "`").str();
  space.constraintList.push_back(std::move(constraint));
}

/// The lanes of a block in a type; a number multiplies `factor` instead.
std::optional<Constraint::Term> SpaceBuilder::termOf(StringAttr block, StringAttr range, int64_t &factor) {
  Constraint::Term term;
  term.block = indexOf(sizesBlocks, block);
  if (!term.block) {
    if (auto fixed = kernel.lookupSymbol<BlockOp>(block); fixed && fixed.getValue())
      factor *= *fixed.getValue();
    return std::nullopt;
  }
  if (range)
    kernel.walk([&](RangeOp slice) {
      if (slice.getTile().getType().getDim().getRange() == range)
        term.roll = indexOf([](const Knob &knob) { return knob.site == SiteKind::Slice; }, slice.getSite());
    });
  return term;
}

void SpaceBuilder::addLanesOf(Type type, StringRef launch) {
  if (!isTileValue(type))
    return;
  Constraint constraint{Constraint::Kind::Lanes, {}, {}, {}};
  std::vector<std::pair<int, int>> key;
  for (DimAttr dim : dimsOf(type)) {
    constraint.factor *= dim.getConstant().value_or(1);
    for (StringAttr block : dim.getBlocks())
      if (auto term = termOf(block, dim.getRange(), constraint.factor)) {
        constraint.terms.push_back(*term);
        key.emplace_back(*term->block, term->roll ? int(*term->roll) : -1);
      }
  }
  llvm::sort(key);
  LanesKey whole{std::move(key), constraint.factor};
  if (!launch.empty())
    lanesOfLaunch[launch.str()].try_emplace(whole, constraint);
  if (!whole.first.empty())
    lanes.try_emplace(std::move(whole), std::move(constraint));
}

/// The default of the choice becomes as large as the constraint wants.
void SpaceBuilder::raiseStart(unsigned index, const Constraint &constraint) {
  Choice &choice = space.choiceList[index];
  for (const ConfigValue &value : choice.values) {
    Config config = space.defaultConfig();
    if (space.holds(constraint, space.toPoint(config)))
      return;
    if (choice.start < value)
      choice.start = value;
  }
}

/// One constraint for each product of blocks that some tile value has and no other value's product contains. With
/// `units` the limit is for each unit of that choice.
void SpaceBuilder::addLanes(std::map<LanesKey, Constraint> &found, int64_t limit, std::optional<unsigned> units) {
  auto contained = [&](const auto &small) {
    return llvm::any_of(found, [&](const auto &large) {
      return &large.first != &small && small.second <= large.first.second &&
             std::includes(large.first.first.begin(), large.first.first.end(), small.first.begin(), small.first.end());
    });
  };
  Space::Point defaults = space.defaultPoint();
  for (auto &[key, constraint] : found) {
    if (contained(key))
      continue;
    constraint.limit = limit;
    if (units) {
      constraint.choices = {*units};
      raiseStart(*units, constraint);
    }
    // The default is legal whatever its size.
    for (; !units && !space.holds(constraint, defaults);)
      constraint.limit *= 2;
    std::string product = constraint.factor > 1 || constraint.terms.empty() ? std::to_string(constraint.factor) : "";
    for (const Constraint::Term &term : constraint.terms)
      product += (product.empty() ? "`" : " * `") + space.choiceList[*term.block].site + "`";
    constraint.text =
        "a tile value has " + product + " lanes; at most " + std::to_string(constraint.limit) + " are legal";
    if (units)
      constraint.text +=
          " for each of `" + space.choiceList[*units].knob->name.str() + "` of `" + space.choiceList[*units].site + "`";
    space.constraintList.push_back(constraint);
  }
}

void SpaceBuilder::addLanes() {
  kernel.walk([&](Operation *op) {
    auto launch = isa<LaunchOp>(op) ? cast<LaunchOp>(op) : op->getParentOfType<LaunchOp>();
    StringRef name = launch ? launch.getName() : StringRef();
    llvm::for_each(op->getResultTypes(), [&](Type type) { addLanesOf(type, name); });
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArgumentTypes(), [&](Type type) { addLanesOf(type, name); });
  });
  addLanes(lanes, mostLanes(), std::nullopt);
  for (auto [index, choice] : llvm::enumerate(space.choiceList))
    if (choice.knob->elements)
      addLanes(lanesOfLaunch[choice.site], *choice.knob->elements, index);
}

/// Drops values that make a tile value too large whatever the other choices are: no config has them.
void SpaceBuilder::dropHopeless() {
  auto needs = [&](unsigned needy, unsigned other) {
    return llvm::any_of(space.constraintList, [&](const Constraint &need) {
      return need.kind == Constraint::Kind::Needs && need.choices == std::vector<unsigned>{needy, other};
    });
  };
  for (const Constraint &constraint : space.constraintList) {
    if (constraint.kind != Constraint::Kind::Lanes)
      continue;
    Space::Point best = space.defaultPoint();
    std::set<unsigned> involved = constraint.involved();
    for (unsigned index : involved) {
      const std::vector<ConfigValue> &values = space.choiceList[index].values;
      bool isUnits = llvm::is_contained(constraint.choices, index);
      best[index] = isUnits ? &*llvm::max_element(values) : &*llvm::min_element(values);
    }
    for (unsigned index : involved) {
      Choice &choice = space.choiceList[index];
      Space::Point point = best;
      // Lanes of a slice that stays whole say nothing where it is rolled.
      for (const Constraint::Term &term : constraint.terms)
        if (term.block == index && term.roll && needs(index, *term.roll))
          point[*term.roll] = &space.choiceList[*term.roll].preset;
      llvm::erase_if(choice.values, [&](const ConfigValue &value) {
        point[index] = &value;
        return value != choice.preset && value != choice.start && !space.holds(constraint, point);
      });
      best[index] = llvm::is_contained(constraint.choices, index) ? &*llvm::max_element(choice.values)
                                                                  : &*llvm::min_element(choice.values);
    }
  }
}

LanesProduct SpaceBuilder::lanesOf(ArrayRef<DimAttr> dims) {
  LanesProduct product;
  for (DimAttr dim : dims) {
    product.factor *= dim.getConstant().value_or(1);
    for (StringAttr block : dim.getBlocks())
      if (auto term = termOf(block, dim.getRange(), product.factor))
        product.terms.push_back(*term);
  }
  return product;
}

/// What rings need to have a meaning, and what a launch's choices need of shared memory together.
void SpaceBuilder::addDemands() {
  auto lanes = [&](ArrayRef<DimAttr> dims) { return lanesOf(dims); };
  auto choice = [&](const Knob &knob, StringRef site) {
    return indexOf([&](const Knob &other) { return &other == &knob; }, site);
  };
  for (unsigned index = 0, end = space.choiceList.size(); index != end; ++index) {
    const Knob &knob = *space.choiceList[index].knob;
    if (!knob.matrix && !knob.groupMatrix && !knob.sharedBytes && !knob.isDepthOfGrid())
      continue;
    Operation *op = siteOf[index].op;
    auto launch = isa<LaunchOp>(op) ? cast<LaunchOp>(op) : op->getParentOfType<LaunchOp>();
    auto demand = std::make_shared<const LaunchDemand>(readDemand(launch, {space.table, lanes, choice}));
    if (knob.matrix || knob.isDepthOfGrid())
      addSlots(index, demand);
    if (knob.groupMatrix)
      addGroups(index, demand);
    if (knob.sharedBytes)
      addShared(index, demand);
  }
}

/// What a ring holds must come through it at all.
void SpaceBuilder::addSlots(unsigned index, std::shared_ptr<const LaunchDemand> demand) {
  const Choice &choice = space.choiceList[index];
  Constraint constraint{Constraint::Kind::Slots, {index}, {}, {}};
  LaunchDemand own{demand->shape, {}, {}, {}, {}};
  for (const LaunchDemand::Ring &ring : demand->rings)
    if (ring.stages == index)
      own.rings = {ring};
  own.rings.front().copies.reset();
  for (unsigned other : own.involved())
    if (other != index)
      constraint.choices.push_back(other);
  std::string who = ("`" + choice.knob->name + "` of `" + choice.site + "` needs ").str();
  if (const std::optional<MatrixShape> &shape = choice.knob->matrix)
    constraint.text = (Twine(who) + "a dot of a batch of one with a load as an operand, " +
                       "whose rows, columns and bytes of depth are multiples of " + Twine(shape->rows) + ", " +
                       Twine(shape->columns) + " and " + Twine(shape->depthBytes))
                          .str();
  else
    constraint.text = (Twine(who) + "a load that no rolled slice is part of, whose rows are multiples of " +
                       Twine(kPieceBytes) + " bytes")
                          .str();
  constraint.demand = std::move(demand);
  space.constraintList.push_back(std::move(constraint));
}

void SpaceBuilder::addGroups(unsigned index, std::shared_ptr<const LaunchDemand> demand) {
  const Choice &choice = space.choiceList[index];
  const GroupMatrix &group = *choice.knob->groupMatrix;
  Constraint constraint{Constraint::Kind::Groups, {index}, {}, {}};
  auto ring = llvm::find_if(demand->rings, [&](const LaunchDemand::Ring &other) { return other.groups == index; });
  LaunchDemand own{demand->shape, {}, {}, {*ring}, {}};
  own.rings.front().copies.reset();
  for (unsigned other : own.involved())
    if (other != ring->stages)
      constraint.choices.push_back(other);
  if (demand->warps)
    constraint.choices.push_back(*demand->warps);
  constraint.text = ("`" + choice.knob->name + "` of `" + choice.site +
                     "` needs dots of two loads as they are, whose rows, columns and bytes of depth are multiples of " +
                     Twine(group.shape.rows) + ", " + Twine(group.shape.columns) + " and " +
                     Twine(group.shape.depthBytes) + ", and a multiple of " + Twine(group.warps) + " warps")
                        .str();
  constraint.demand = std::move(demand);
  space.constraintList.push_back(std::move(constraint));
}

/// A default that needs more than there is is the compiler's to refuse.
void SpaceBuilder::addShared(unsigned index, std::shared_ptr<const LaunchDemand> demand) {
  const Choice &choice = space.choiceList[index];
  Constraint constraint{Constraint::Kind::Shared, {}, {}, {}};
  constraint.limit = *choice.knob->sharedBytes;
  constraint.text = "launch `" + choice.site + "` has " + std::to_string(constraint.limit) +
                    " bytes of shared memory; the chosen blocks, stages and copies of loops need more";
  constraint.demand = std::move(demand);
  if (space.holds(constraint, space.defaultPoint()))
    space.constraintList.push_back(std::move(constraint));
}

/// False where the bounds of the loop are not all constant.
bool SpaceBuilder::addIterations(Constraint &constraint, TileOp loop) {
  for (unsigned dim = 0; dim != loop.getNumDims(); ++dim) {
    std::optional<int64_t> lower = constantIndex(loop.getLowers()[dim]), upper = constantIndex(loop.getUppers()[dim]);
    if (!lower || !upper)
      return false;
    int64_t extent = *upper - *lower, fixed = 1;
    StringAttr block = loop.getTileType(dim).getDim().getBlock();
    auto term = block ? termOf(block, {}, fixed) : std::nullopt;
    if (!term) {
      constraint.factor *= llvm::divideCeil(std::max<int64_t>(extent, 0), fixed);
      continue;
    }
    term->lanes = extent;
    constraint.terms.push_back(*term);
  }
  return true;
}

/// A loop that runs once is none, and has no ring.
void SpaceBuilder::addStays(unsigned index, TileOp loop) {
  const Choice &choice = space.choiceList[index];
  std::optional<unsigned> copies = indexOf([](const Knob &knob) { return knob.copies; }, choice.site);
  Constraint constraint{Constraint::Kind::Stays, {index}, {}, {}};
  if (!copies || !addIterations(constraint, loop))
    return;
  constraint.choices.push_back(*copies);
  constraint.text = ("`" + choice.knob->name + "` of `" + choice.site + "` needs a loop; of the chosen blocks and `" +
                     space.choiceList[*copies].knob->name + "` none is left that runs more than once")
                        .str();
  space.constraintList.push_back(std::move(constraint));
}

void SpaceBuilder::addUnrolls(unsigned index, TileOp loop) {
  Constraint constraint{Constraint::Kind::Unrolls, {index}, {}, {}};
  constraint.limit = kMaxUnrolledTrips;
  addIterations(constraint, loop);
  constraint.text = "`static_ranges` of `" + space.choiceList[index].site + "` unrolls at most " +
                    std::to_string(kMaxUnrolledTrips) + " iterations; the chosen blocks make more";
  space.constraintList.push_back(std::move(constraint));
}

void SpaceBuilder::build() {
  std::vector<Site> sites = sitesOf(kernel);
  if (llvm::any_of(space.table.knobs(), [](const Knob &knob) { return knob.elements.has_value(); }))
    starts = startExtents(kernel);
  for (const Knob &knob : space.table.knobs())
    for (const Site &site : sites)
      if (site.kind == knob.site)
        addChoice(knob, site);
  for (unsigned index = 0; index != space.choiceList.size(); ++index) {
    for (const Need &need : space.choiceList[index].knob->needs)
      addNeeds(index, need);
    if (auto block = dyn_cast<BlockOp>(siteOf[index].op))
      addAtMost(index, block);
    if (siteOf[index].kind == SiteKind::ConstantLoop)
      addUnrolls(index, cast<TileOp>(siteOf[index].op));
    if (space.choiceList[index].knob->matrix)
      addStays(index, cast<TileOp>(siteOf[index].op));
  }
  addLanes();
  addDemands();
  dropHopeless();
}

Space::Space(KernelOp kernel, KnobTable table) : table(std::move(table)) { SpaceBuilder(*this, kernel).build(); }

} // namespace helion
