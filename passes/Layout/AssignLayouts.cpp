// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-assign-layouts: separate what is cheap, choose, write the layouts into the types, and convert where a rule and
// a class disagree.

#include "dialect/IR/Dims.h"
#include "dialect/IR/LayoutConversion.h"
#include "dialect/IR/LayoutRules.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Layout/CheapValues.h"
#include "passes/Layout/LayoutChoice.h"
#include "passes/Layout/Passes.h"
#include "passes/Normalize/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "passes/Layout/Passes.h.inc"
} // namespace helion

static RankedTensorType withLayout(Type type, const Layout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), LayoutAttr::get(type.getContext(), layout));
}

namespace {
/// Writes the chosen layouts into one launch.
class LayoutWriter {
public:
  LayoutWriter(TileGraph &graph, const LayoutTarget &target) : graph(graph), target(target) {}

  void write() {
    for (TileClass &each : graph.classes)
      for (Value value : each.values)
        setLayout(value, *each.layout);
    // What ops give comes first, so that readers convert what the class has.
    for (LayoutRule &rule : graph.rules)
      if (rule.def)
        writeDef(rule);
    for (LayoutRule &rule : graph.rules)
      if (rule.use)
        writeUse(*rule.use, *derive(rule));
  }

private:
  std::optional<Layout> derive(const LayoutRule &rule) const {
    return rule.derive(graph.layoutOfSource(rule), graph.classes[rule.source].split);
  }

  static void setLayout(Value value, const Layout &layout) {
    auto type = withLayout(value.getType(), layout);
    value.setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  }

  void writeDef(LayoutRule &rule) {
    const Layout &wanted = *graph.classes[rule.target].layout;
    std::optional<Layout> given = derive(rule);
    if (!given)
      given = writeReshape(cast<ReshapeOp>(rule.op));
    if (*given == wanted)
      return;
    Type type = rule.def.getType();
    rule.def.setType(withLayout(type, *given));
    if (rule.def.use_empty())
      return;
    OpBuilder builder(rule.op->getContext());
    builder.setInsertionPointAfter(rule.op);
    auto convert = ConvertLayoutOp::create(builder, rule.op->getLoc(), type, rule.def);
    rule.def.replaceAllUsesExcept(convert.getResult(), convert);
  }

  /// Where the dims cut through the parts of threads: the operand comes into a layout that keeps every dim apart, which
  /// also merges, and the result has what follows from that.
  Layout writeReshape(ReshapeOp reshape) {
    auto from = cast<RankedTensorType>(reshape.getValue().getType()),
         to = cast<RankedTensorType>(reshape.getResult().getType());
    ArrayRef<int64_t> high = from.getRank() < to.getRank() ? to.getShape() : from.getShape();
    Layout apart = spreadBlocked(high, {unsigned(high.size() - 1), 1, SmallVector<unsigned>(high.size(), 0)}, target);
    auto merged = [&](ArrayRef<int64_t> shape) {
      return shape.size() == high.size() ? apart : *reshapedLayout(apart, shape, reshape.getGroups());
    };
    writeUse(reshape.getValueMutable(), merged(from.getShape()));
    return merged(to.getShape());
  }

  /// Converts the operand, outside of the loops that its value comes from outside of.
  void writeUse(OpOperand &use, const Layout &wanted) {
    Value value = use.get();
    if (layoutOf(value.getType()).getLayout() == wanted)
      return;
    OpBuilder builder(value.getParentBlock()->findAncestorOpInBlock(*use.getOwner()));
    use.set(ConvertLayoutOp::create(builder, use.getOwner()->getLoc(), withLayout(value.getType(), wanted), value));
  }

  TileGraph &graph;
  const LayoutTarget &target;
};

/// Threads of a program that any device has, and so a bound for warps and lanes.
constexpr int64_t kMostThreads = 1024;

struct AssignLayouts : public helion::impl::AssignLayoutsPassBase<AssignLayouts> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions(module)))
      return signalPassFailure();
    for (auto kernel : module.getOps<KernelOp>()) {
      if (failed(verifyFormScheduled(kernel)))
        return signalPassFailure();
      for (LaunchOp launch : llvm::make_early_inc_range(kernel.getBody().getOps<LaunchOp>()))
        if (failed(assign(launch)))
          return signalPassFailure();
      if (failed(verifyFormLaidOut(kernel)))
        return signalPassFailure();
    }
    module->setAttr(kFormAttr, StringAttr::get(&getContext(), "laidout"));
  }

private:
  LogicalResult checkOptions(ModuleOp module) {
    for (auto [name, value] : {std::pair<StringRef, int64_t>("lanes", lanes), {"vector-bytes", vectorBytes}})
      if (value < 1 || value > kMostThreads || !llvm::isPowerOf2_64(value))
        return module.emitError() << name << ": `" << value << "` is no power of two up to `" << kMostThreads << "`";
    for (const std::string &name : *dotInstruction)
      if (!warpInstruction(name))
        return unknownInstruction(module, name);
    return success();
  }

  static LogicalResult unknownInstruction(ModuleOp module, StringRef name) {
    InFlightDiagnostic error = module.emitError() << "dot-instruction: `" << name << "` is none of ";
    llvm::interleaveComma(kWarpInstructions, error,
                          [&](const WarpInstruction &known) { error << "`" << known.name << "`"; });
    return error;
  }

  LogicalResult assign(LaunchOp launch) {
    if (!launch.getWarps())
      launch.setWarps(warps);
    if (int64_t given = *launch.getWarps(); given < 1 || given > kMostThreads)
      return launch.emitOpError() << "has `" << given << "` warps; 1 to `" << kMostThreads << "` are possible";
    // Of a number of warps that is no power of two, the rest holds copies.
    LayoutTarget target{lanes,          int64_t(llvm::bit_floor(uint64_t(*launch.getWarps()))),
                        vectorBytes,    *dotInstruction,
                        threadElements, blockElements};
    separateCheapValues(launch);
    FailureOr<TileGraph> graph = TileGraph::build(launch, target);
    if (failed(graph))
      return failure();
    chooseLayouts(*graph, target);
    LayoutWriter(*graph, target).write();
    IRRewriter rewriter(launch);
    DominanceInfo dominance(launch->getParentOp());
    eliminateCommonSubExpressions(rewriter, dominance, launch);
    // Tables of conversions take longer than the rest of the pass.
    if (report)
      reportConversions(launch);
    return success();
  }

  void reportConversions(LaunchOp launch) {
    llvm::DenseMap<std::pair<Attribute, Attribute>, ConversionPlan::Kind> kinds;
    launch.walk([&](ConvertLayoutOp convert) {
      LayoutAttr from = layoutOf(convert.getValue().getType()), to = layoutOf(convert.getResult().getType());
      auto [it, isNew] = kinds.try_emplace({from, to});
      if (isNew)
        it->second = conversionKind(from.getLayout(), to.getLayout(), lanes);
      constexpr StringLiteral ways[] = {"in registers", "by shuffles", "through staged memory"};
      convert.emitRemark() << "converts " << dimsStr(dimsOf(convert.getValue().getType())) << " "
                           << ways[unsigned(it->second)];
    });
  }
};
} // namespace
