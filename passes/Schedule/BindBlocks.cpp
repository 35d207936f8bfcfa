// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-bind-blocks: the step from symbolic to static extents.
//
// Three parts in this order: masks go before combining ops while the ranges that bound the dims still stand in the
// types; slices become tiles with a recorded fact; then all types change at once and what only symbolic dims needed
// goes.

#include "dialect/IR/Dims.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "passes/Analysis/HostExpr.h"
#include "passes/Config/BlockDefaults.h"
#include "passes/Config/SiteOptions.h"
#include "passes/Schedule/Combiners.h"
#include "passes/Schedule/LaneIdentity.h"
#include "passes/Schedule/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_BINDBLOCKSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace helion

using Binding = llvm::StringMap<int64_t>;

//===-- Extents --------------------------------------------------------------------------------------------------===//

static LogicalResult checkExtent(BlockOp block, int64_t extent, const Binding &binding) {
  auto refuse = [&]() {
    return block.emitError() << "extent `" << extent << "` of block `" << block.getSymName() << "` ";
  };
  if (std::optional<uint64_t> min = block.getMin(); min && extent < static_cast<int64_t>(*min))
    return refuse() << "is below its minimum `" << *min << "`";
  if (std::optional<uint64_t> multiple = block.getMultiple(); multiple && extent % static_cast<int64_t>(*multiple))
    return refuse() << "is no multiple of `" << *multiple << "`";
  Attribute max = block.getMaxAttr();
  std::optional<int64_t> limit;
  if (auto number = dyn_cast_or_null<IntegerAttr>(max))
    limit = number.getInt();
  if (auto other = dyn_cast_or_null<FlatSymbolRefAttr>(max))
    limit = binding.lookup(other.getValue());
  if (limit && extent > *limit)
    return refuse() << "is above its maximum `" << *limit << "`";
  return success();
}

/// The extent of every block of the kernel: the option's, the fixed one, or the default.
static FailureOr<Binding> bindExtents(KernelOp kernel, SiteOptions &options) {
  Binding binding;
  for (auto block : kernel.getOps<BlockOp>()) {
    std::optional<int64_t> chosen = options.integer(block.getSymName());
    if (block.getValue() && chosen && *chosen != static_cast<int64_t>(*block.getValue()))
      return block.emitError() << "block `" << block.getSymName() << "` is fixed to `" << *block.getValue()
                               << "`, not `" << *chosen << "`";
    int64_t extent = block.getValue() ? static_cast<int64_t>(*block.getValue())
                     : chosen         ? *chosen
                                      : defaultExtent(block);
    binding[block.getSymName()] = extent;
  }
  for (auto block : kernel.getOps<BlockOp>())
    if (failed(checkExtent(block, binding[block.getSymName()], binding)))
      return failure();
  return binding;
}

//===-- Masks ----------------------------------------------------------------------------------------------------===//

namespace {
/// Puts the identity into lanes outside ranges before every op that combines lanes, and drops those lanes where an
/// access would not.
class MaskInserter {
public:
  explicit MaskInserter(KernelOp kernel) : builder(kernel.getContext()), kernel(kernel) {}
  unsigned inserted = 0, proved = 0;

  void run() {
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<TileOp>(op))
        for (BlockArgument tile : loop.getTiles())
          addTile(tile);
      if (auto range = dyn_cast<RangeOp>(op))
        addTile(range.getTile());
    });
    SmallVector<Operation *> combining;
    kernel.walk([&](Operation *op) {
      if (isa<ReduceOp, ReduceFnOp, ScanOp, ScanFnOp, DotOp>(op))
        combining.push_back(op);
    });
    for (Operation *op : combining)
      maskOperands(op);
    kernel.walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<LoadOp, StoreOp, AtomicOp>([&](auto access) { maskLanes(access); });
    });
    kernel.walk([&](MaskOp mask) { dropProved(mask); });
  }

private:
  void addTile(Value tile) {
    if (StringAttr range = cast<TileType>(tile.getType()).getDim().getRange())
      tiles[range] = tile;
  }

  void maskOperands(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return mask(op, 0, reduce.getDim(),
                  reductionIdentity(reduce.getKind(), getElementTypeOrSelf(reduce.getValue().getType())));
    if (auto scan = dyn_cast<ScanOp>(op))
      return mask(op, 0, scan.getDim(), reductionIdentity(scan.getKind(), getElementTypeOrSelf(scan.getType())));
    if (auto dot = dyn_cast<DotOp>(op)) {
      unsigned rank = dimsOf(dot.getLhs().getType()).size();
      mask(op, 0, rank - 1, builder.getZeroAttr(getElementTypeOrSelf(dot.getLhs().getType())));
      return mask(op, 1, rank - 2, builder.getZeroAttr(getElementTypeOrSelf(dot.getRhs().getType())));
    }
    if (auto scan = dyn_cast<ScanFnOp>(op))
      return maskAll(op, scan.getDim(), scan.getOthers());
    auto reduce = cast<ReduceFnOp>(op);
    maskAll(op, reduce.getDim(), reduce.getOthers());
  }

  /// The first operands, each by its own identity.
  void maskAll(Operation *op, unsigned dim, OperandRange others) {
    for (auto [operand, other] : llvm::enumerate(others))
      if (Value tile = boundOf(op->getOperand(operand), dim))
        replace(op, operand, dim, tile, other);
  }

  /// A tile among the indices drops lanes outside its range by itself. A tensor index does not say which of its lanes
  /// are outside, and what it holds there is no index, so a mask drops them.
  template <typename AccessOp> void maskLanes(AccessOp access) {
    auto tensor = llvm::find_if(access.getIndices(), [](Value index) { return isTileValue(index.getType()); });
    if (tensor == access.getIndices().end())
      return;
    builder.setInsertionPoint(access);
    Location loc = access.getLoc();
    Value lanes = access.getMask();
    SmallVector<DimAttr> dims = *accessDims(access.getIndices().getTypes());
    for (auto [position, dim] : llvm::enumerate(dims)) {
      Value tile = llvm::is_contained(dimsOf((*tensor).getType()), dim) ? tileOf(dim) : Value();
      if (!tile || (lanes && holdsOutside(lanes, position, tile, builder.getBoolAttr(false))))
        continue;
      if (!lanes)
        lanes = SplatOp::create(builder, loc, tileValueType(dims, builder.getI1Type()),
                                arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
      lanes = MaskOp::create(builder, loc, lanes.getType(), lanes,
                             builder.getDenseI64ArrayAttr({static_cast<int64_t>(position)}), tile,
                             arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)));
      ++inserted;
    }
    access.getMaskMutable().assign(lanes ? ValueRange(lanes) : ValueRange());
  }

  /// A mask that another pass or the source put, and whose lanes hold its value already.
  void dropProved(MaskOp mask) {
    TypedAttr fill;
    if (mask.getTiles().size() != 1 || !matchPattern(mask.getFill(), m_Constant(&fill)) ||
        !holdsOutside(mask.getValue(), mask.getDims()[0], mask.getTiles()[0], fill))
      return;
    mask.replaceAllUsesWith(mask.getValue());
    mask.erase();
    ++proved;
  }

  Value tileOf(DimAttr dim) { return dim.getRange() ? tiles.lookup(dim.getRange()) : Value(); }
  Value boundOf(Value value, unsigned dim) { return tileOf(dimsOf(value.getType())[dim]); }

  void mask(Operation *op, unsigned operand, unsigned dim, TypedAttr identity) {
    Value value = op->getOperand(operand), tile = boundOf(value, dim);
    if (!tile)
      return;
    if (holdsOutside(value, dim, tile, identity)) {
      ++proved;
      return;
    }
    builder.setInsertionPoint(op);
    replace(op, operand, dim, tile, arith::ConstantOp::create(builder, op->getLoc(), identity));
  }

  void replace(Operation *op, unsigned operand, unsigned dim, Value tile, Value fill) {
    builder.setInsertionPoint(op);
    Value value = op->getOperand(operand);
    op->setOperand(operand, MaskOp::create(builder, op->getLoc(), value.getType(), value,
                                           builder.getDenseI64ArrayAttr({static_cast<int64_t>(dim)}), tile, fill));
    ++inserted;
  }

  OpBuilder builder;
  KernelOp kernel;
  llvm::DenseMap<StringAttr, Value> tiles;
};
} // namespace

//===-- Slices and types -----------------------------------------------------------------------------------------===//

static int64_t extentOf(DimAttr dim, const Binding &binding) {
  SmallVector<AffineExpr> values;
  for (StringAttr block : dim.getBlocks())
    values.push_back(getAffineConstantExpr(binding.lookup(block.getValue()), dim.getContext()));
  return cast<AffineConstantExpr>(simplifyAffineExpr(dim.getExpr().replaceSymbols(values), 0, 0)).getValue();
}

/// A slice of symbolic size is one tile whose extent the size must not exceed.
static LogicalResult bindSlice(RangeOp range, const Binding &binding) {
  DimAttr dim = range.getTile().getType().getDim();
  OpBuilder builder(range);
  int64_t extent = extentOf(dim, binding);
  Value end = dim.getConstant() ? Value() : range.getUpper();
  if (!dim.getConstant()) {
    std::optional<SizeExpr> lower = hostExpr(range.getLower()), upper = hostExpr(range.getUpper());
    if (!lower || !upper)
      return range.emitError() << "size of slice `" << range.getSite()
                               << "` is no expression of the arguments; choose reduction_loops for it";
    Pred fits = Pred::compare(Pred::Compare::LE, SizeExpr::sub(*upper, *lower), SizeExpr::constant(extent));
    range->getParentOfType<KernelOp>().addFact(fits.str());
  }
  Value tile = MakeTileOp::create(builder, range.getLoc(), range.getTile().getType(), range.getLower(), end);
  range.getTile().replaceAllUsesWith(tile);
  range.erase();
  return success();
}

/// All dims become numbers, in every type of the kernel, at once.
static void bindTypes(KernelOp kernel, const Binding &binding) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](TileType type) -> std::optional<Type> {
    return TileType::get(type.getContext(), DimAttr::get(type.getContext(), extentOf(type.getDim(), binding)));
  });
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    if (!isa_and_nonnull<DimsAttr>(type.getEncoding()))
      return std::nullopt;
    SmallVector<int64_t> shape;
    for (DimAttr dim : dimsOf(type))
      shape.push_back(extentOf(dim, binding));
    return RankedTensorType::get(shape, type.getElementType());
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

/// What only symbolic dims needed: block sizes fold, rebound has nothing left to change, blocks are an attribute.
static void dropSymbols(KernelOp kernel, const Binding &binding) {
  kernel.walk([&](BlockSizeOp op) {
    OpBuilder builder(op);
    Value size = arith::ConstantIndexOp::create(builder, op.getLoc(), binding.lookup(op.getBlock()));
    op.replaceAllUsesWith(size);
    op.erase();
  });
  kernel.walk([&](ReboundOp op) {
    op.replaceAllUsesWith(op.getValue());
    op.erase();
  });
  NamedAttrList extents;
  for (auto block : llvm::make_early_inc_range(kernel.getOps<BlockOp>())) {
    extents.set(block.getSymName(), Builder(kernel.getContext()).getI64IntegerAttr(binding.lookup(block.getSymName())));
    block.erase();
  }
  kernel->setAttr(kBlocksAttr, extents.getDictionary(kernel.getContext()));
}

namespace {
struct BindBlocks : public helion::impl::BindBlocksPassBase<BindBlocks> {
  using BindBlocksPassBase::BindBlocksPassBase;

  void runOnOperation() override {
    SiteOptions options("block_sizes", SiteOptions::Kind::Integer);
    SmallVector<StringRef> names;
    for (auto kernel : getOperation().getOps<KernelOp>())
      for (auto block : kernel.getOps<BlockOp>())
        names.push_back(block.getSymName());
    if (failed(options.parse(getOperation(), blockSizes)) || failed(options.checkSites(getOperation(), names)) ||
        failed(options.checkValues(getOperation())))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(bind(kernel, options)))
        return signalPassFailure();
  }

  LogicalResult bind(KernelOp kernel, SiteOptions &options) {
    FailureOr<Binding> binding = bindExtents(kernel, options);
    if (failed(binding))
      return failure();
    MaskInserter inserter(kernel);
    inserter.run();
    masks += inserter.inserted;
    proved += inserter.proved;
    SmallVector<RangeOp> slices;
    kernel.walk([&](RangeOp range) { slices.push_back(range); });
    for (RangeOp range : slices)
      if (failed(bindSlice(range, *binding)))
        return failure();
    bindTypes(kernel, *binding);
    dropSymbols(kernel, *binding);
    return success();
  }
};
} // namespace
