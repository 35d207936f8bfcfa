// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-pipeline-loads: what a loop loads for its dots, or a program for one of its tiles, comes through a ring,
// filled some iterations ahead. Dots read registers, or the slots.

#include "dialect/IR/LayoutBuilders.h"
#include "dialect/IR/MatrixShape.h"
#include "dialect/IR/TensorMaps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Analysis/TileLoop.h"
#include "passes/Layout/DotLayouts.h"
#include "passes/Layout/Passes.h"
#include "passes/Normalize/Passes.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_PIPELINELOADSPASS
#include "passes/Layout/Passes.h.inc"
} // namespace helion

namespace {
/// A load of the loop and how its value comes to one operand of a dot: by changes of layout and permutes, which nothing
/// else reads. A load of a tile comes as it is to all that read it.
struct StagedLoad {
  LoadOp load;
  OpOperand *operand;           // Null for a load of a tile.
  SmallVector<Operation *> way; // from the load to the dot
  RankedTensorType buffer;
  Value source; // the tensor, or its map
};

/// A dot that reads its slot, and the numbers of its loads.
struct SlotDot {
  DotOp dot;
  unsigned lhs, rhs;
};

/// What the attributes of a loop ask for.
struct RingWish {
  int64_t stages;
  bool boxes, groups;
};

/// One loop whose loads are filled ahead.
class Pipeliner {
public:
  Pipeliner(LaunchOp launch, scf::ForOp loop, RingWish wish, AccessReader &accesses)
      : launch(launch), loop(loop), isOverTiles(runsTiles(loop)), stages(wish.stages), boxes(wish.boxes),
        groups(wish.groups), accesses(accesses), b(loop->getContext()) {}

  LogicalResult run() {
    if (failed(collect()) || failed(collectIndices()))
      return failure();
    ahead = stages - 1;
    if (groups && stages > 2 && findChains())
      --ahead;
    if (boxes && failed(describeSources()))
      return failure();
    b.setInsertionPointToStart(&launch.getBody().front());
    SmallVector<RankedTensorType> buffers;
    std::string site;
    for (StagedLoad &staged : loads) {
      buffers.push_back(staged.buffer);
      site += (site.empty() ? "" : "+") + staged.load.getSite().str();
    }
    ring = RingOp::create(b, loop.getLoc(), RingType::get(b.getContext(), stages, buffers), unusedSite(site),
                          StringAttr(), false);
    fillAhead();
    fillInLoop();
    drain();
    carryTokens();
    return success();
  }

private:
  /// A loop may have copies of itself.
  std::string unusedSite(const std::string &site) {
    std::string name = site;
    auto isTaken = [&] {
      return llvm::any_of(launch.getBody().getOps<RingOp>(), [&](RingOp other) { return other.getSite() == name; });
    };
    for (unsigned copy = 1; isTaken(); ++copy)
      name = site + "." + std::to_string(copy);
    return name;
  }

  //===-- What is staged ----------------------------------------------------------------------------------------===//

  InFlightDiagnostic error() {
    return loop->emitError() << "num_stages of `" << loopSite() << "` is `" << stages << "`, but ";
  }

  LogicalResult collect() {
    return failed(isOverTiles ? collectTiles() : collectOperands()) ? failure() : placeBuffers();
  }

  /// Programs know nothing of each other's stores, and the choice marks no load behind a store of its own.
  LogicalResult collectTiles() {
    for (LoadOp load : loop.getBody()->getOps<LoadOp>())
      if (load->hasAttr(kStagedAttr))
        loads.push_back({load, nullptr, {}, {}, load.getSource()});
    if (loads.empty())
      return error() << "no load in it is `" << kStagedAttr << "`; 1 is allowed";
    return success();
  }

  LogicalResult collectOperands() {
    for (DotOp dot : loop.getBody()->getOps<DotOp>())
      if (groups && failed(collectSlotDot(dot)))
        return failure();
      else if (!groups && dot->hasAttr(kInstructionAttr))
        for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()})
          if (std::optional<StagedLoad> staged = follow(operand))
            loads.push_back(*staged);
    if (loads.empty())
      return error() << "no load in it goes to a dot on matrix instructions as it is; 1 is allowed";
    for (Operation &op : *loop.getBody()) {
      WalkResult walk = op.walk([&](Operation *inner) {
        return isa<StoreOp, AtomicOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return error() << "it stores to memory, which loads of later iterations may read; 1 is allowed";
    }
    return success();
  }

  LogicalResult placeBuffers() {
    for (StagedLoad &staged : loads)
      if (failed(placeBuffer(staged)))
        return failure();
    return success();
  }

  LogicalResult collectSlotDot(DotOp dot) {
    auto instruction = dot->getAttrOfType<StringAttr>(kInstructionAttr);
    slotDots.push_back({dot, unsigned(loads.size()), unsigned(loads.size()) + 1});
    for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
      std::optional<StagedLoad> staged = follow(operand);
      if (!instruction || instruction.getValue() != kGroupInstruction || !staged ||
          llvm::any_of(staged->way, llvm::IsaPred<PermuteOp>))
        return loop->emitError() << "dots of `" << loopSite() << "` are to be those of four warps, but dot `"
                                 << dot.getSite()
                                 << "` has an operand that is no load of 16-bit floats as it is, blocks that are no "
                                    "multiples of `"
                                 << kGroupMatrix.rows << "` rows, `" << kGroupMatrix.columns << "` columns and `"
                                 << kGroupMatrix.depth(kGroupElementBytes) << "` steps, or warps that are none of `"
                                 << kGroupWarps << "`; those of one warp are allowed";
      loads.push_back(*staged);
    }
    return success();
  }

  std::optional<StagedLoad> follow(OpOperand *operand) {
    StagedLoad staged{LoadOp(), operand, {}, {}, {}};
    Operation *op = operand->get().getDefiningOp();
    for (; op && op->getBlock() == loop.getBody() && op->hasOneUse() && isa<ConvertLayoutOp, PermuteOp>(op);
         op = op->getOperand(0).getDefiningOp())
      staged.way.insert(staged.way.begin(), op);
    staged.load = dyn_cast_or_null<LoadOp>(op);
    staged.source = staged.load ? staged.load.getSource() : Value();
    if (!staged.load || op->getBlock() != loop.getBody() || !op->hasOneUse() || staged.load.getMask() ||
        staged.load.getOther() || !isTileValue(staged.load.getType()))
      return std::nullopt;
    auto type = cast<RankedTensorType>(staged.load.getType());
    bool tilesOnly = llvm::none_of(staged.load.getIndices(), [](Value index) { return isTileValue(index.getType()); });
    if (!isMatrixShape(type.getShape()) || !tilesOnly)
      return std::nullopt;
    return staged;
  }

  /// Rows in pieces that one copy takes, with the widest swizzle.
  LogicalResult placeBuffer(StagedLoad &staged) {
    auto type = cast<RankedTensorType>(staged.load.getType());
    int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    TileAccess access = accesses.read(staged.load, staged.load.getSource(), staged.load.getIndices());
    if (std::optional<std::string> missing = accesses.missingForCopies(staged.load.getSource(), bytes))
      return error() << "nothing says that `" << *missing << "`, which asynchronous copies of load `"
                     << staged.load.getSite() << "` need; record it as a fact";
    if (!access.fastDim || (!isOverTiles && *access.fastDim + 2 < type.getRank()))
      return error() << "load `" << staged.load.getSite() << "` has no tile along its contiguous dim; 1 is allowed";
    if (isOverTiles) {
      staged.buffer = withLayout(type, plainLayout(type.getShape(), *access.fastDim));
      return success();
    }
    for (unsigned swizzle : {128, 64, 32, 0}) {
      llvm::Expected<Layout> layout = sharedTileLayout(type.getShape(), *access.fastDim, bytes, swizzle);
      if (!layout) {
        llvm::consumeError(layout.takeError());
        continue;
      }
      staged.buffer =
          RankedTensorType::get(type.getShape(), type.getElementType(), LayoutAttr::get(type.getContext(), *layout));
      return success();
    }
    llvm_unreachable("plain rows place every tile");
  }

  //===-- Tensor maps -------------------------------------------------------------------------------------------===//

  /// One map a load, in the host part; loads of copies of a loop share theirs when what follows removes equal ops.
  LogicalResult describeSources() {
    b.setInsertionPoint(launch);
    for (StagedLoad &staged : loads) {
      LoadOp load = staged.load;
      if (std::optional<std::string> missing = accesses.missingForBoxes(load.getSource(), load.getIndices()))
        return loop.emitError() << "copies of `" << loopSite() << "` is `boxes`, but nothing says that `" << *missing
                                << "`, which load `" << load.getSite() << "` needs; record it as a fact";
      FailureOr<TensorMapType> type = mapType(staged);
      if (failed(type))
        return failure();
      staged.source = TensorMapOp::create(b, load.getLoc(), *type, load.getSource(), load.getSiteAttr(), FloatAttr());
    }
    return success();
  }

  FailureOr<TensorMapType> mapType(const StagedLoad &staged) {
    RankedTensorType buffer = staged.buffer;
    std::optional<SmallVector<int64_t>> box =
        largestBox(layoutOf(buffer).getLayout(), buffer.getElementTypeBitWidth() / 8);
    LoadOp load = staged.load;
    if (!box || load.getIndices().size() > kMostBoxDims)
      return loop.emitError() << "copies of `" << loopSite() << "` is `boxes`, but tile " << load.getType()
                              << " of load `" << load.getSite() << "` is not whole boxes of at most `" << kMostBoxDims
                              << "` dims; `pieces` is allowed";
    Layout corner = *layoutOf(buffer).getLayout().corner(*box);
    auto tile = RankedTensorType::get(*box, buffer.getElementType(), LayoutAttr::get(b.getContext(), corner));
    SmallVector<int64_t> extents;
    unsigned tileDim = 0;
    for (Value index : load.getIndices())
      extents.push_back(index.getType().isIndex() ? 1 : (*box)[tileDim++]);
    return TensorMapType::get(b.getContext(), extents, tile);
  }

  StringRef loopSite() {
    auto site = loop->getAttrOfType<StringAttr>("site");
    return site ? site.getValue() : "";
  }

  //===-- Indices of other iterations ----------------------------------------------------------------------------===//

  /// What the indices of the loads are computed of inside the loop.
  LogicalResult collectIndices() {
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
    SetVector<Operation *> slice;
    for (StagedLoad &staged : loads)
      for (Value index : staged.load.getIndices())
        if (Operation *op = index.getDefiningOp(); op && op->getBlock() == loop.getBody())
          (void)getBackwardSlice(op, &slice, options);
    for (Operation &op : *loop.getBody()) {
      if (!slice.contains(&op))
        continue;
      bool carried = llvm::any_of(op.getOperands(),
                                  [&](Value operand) { return llvm::is_contained(loop.getRegionIterArgs(), operand); });
      // A tile's place is divided for, in numbers that are not 0 where there is a tile.
      bool isComputed = isOverTiles ? isMemoryEffectFree(&op) : isPure(&op);
      if (!isComputed || op.getNumRegions() || carried)
        return error() << "an index of its loads is no function of its counter; 1 is allowed";
      indexOps.push_back(&op);
    }
    return success();
  }

  /// True when lanes of a tile without a bound, or an index, would lie behind the loop's end.
  bool reachesBehind() {
    if (isOverTiles)
      return true;
    auto dependsOnCounter = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return value == loop.getInductionVar() || llvm::is_contained(indexOps, op);
    };
    for (StagedLoad &staged : loads)
      for (Value index : staged.load.getIndices())
        if (index.getType().isIndex() && dependsOnCounter(index))
          return true;
    return llvm::any_of(indexOps, [&](Operation *op) {
      auto made = dyn_cast<MakeTileOp>(op);
      return isa<TileShiftOp>(op) ||
             (made && !made.getEnd() && made.getBegin() != loop.getInductionVar() && dependsOnCounter(made.getBegin()));
    });
  }

  /// Acquires a slot and starts the loads of the iteration at `counter`. Behind the end they fill with 0 what nobody
  /// reads.
  void fill(Value counter) {
    Location loc = loop.getLoc();
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), counter);
    auto acquire = AcquireOp::create(b, loc, ring.getRing());
    OpBuilder::InsertPoint outside;
    // Through a map nothing outside of the tensor is read, wherever the box lies.
    if (!boxes && reachesBehind()) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, counter, loop.getUpperBound());
      auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
      outside = b.saveInsertionPoint();
      b.setInsertionPointToStart(branch.thenBlock());
    }
    for (Operation *op : indexOps) {
      auto made = dyn_cast<MakeTileOp>(op);
      if (made && !made.getEnd() && made.getBegin() == loop.getInductionVar())
        mapping.map(made.getTile(), MakeTileOp::create(b, loc, made.getType(), counter, loop.getUpperBound()));
      else
        cloneAhead(op, mapping);
    }
    for (auto [number, staged] : llvm::enumerate(loads)) {
      LoadOp load = staged.load;
      auto indices =
          llvm::map_to_vector(load.getIndices(), [&](Value index) { return mapping.lookupOrDefault(index); });
      LoadAsyncOp::create(b, load.getLoc(), staged.source, indices, acquire.getBuffers()[number], load.getSiteAttr(),
                          UnitAttr(), load.getEvictAttr());
    }
    if (outside.isSet())
      b.restoreInsertionPoint(outside);
    CommitOp::create(b, loc, acquire.getSlot());
  }

  /// Behind the last tile what is left of a group may be nothing, and something divides by it; where it is not guarded,
  /// any number does.
  void cloneAhead(Operation *op, IRMapping &mapping) {
    Operation *copy = b.clone(*op, mapping);
    if (!boxes || !isa<arith::DivUIOp, arith::RemUIOp>(op) ||
        !llvm::is_contained(indexOps, op->getOperand(1).getDefiningOp()))
      return;
    b.setInsertionPoint(copy);
    copy->setOperand(1, arith::MaxUIOp::create(b, op->getLoc(), copy->getOperand(1), constant(1)));
    b.setInsertionPointAfter(copy);
  }

  //===-- The code ------------------------------------------------------------------------------------------------===//

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loop.getLoc(), value); }

  void forAllAhead(llvm::function_ref<void(Value)> body) {
    Location loc = loop.getLoc();
    auto each = scf::ForOp::create(b, loc, constant(0), constant(ahead), constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(each.getBody());
    body(each.getInductionVar());
  }

  Value counterAt(Value from, Value number) {
    Location loc = loop.getLoc();
    Value distance = arith::MulIOp::create(b, loc, number, loop.getStep());
    return arith::AddIOp::create(b, loc, from, distance);
  }

  void fillAhead() {
    b.setInsertionPoint(loop);
    forAllAhead([&](Value number) { fill(counterAt(loop.getLowerBound(), number)); });
  }

  /// The take comes first: behind its barrier the slot of the iteration before is free.
  void fillInLoop() {
    Location loc = loop.getLoc();
    b.setInsertionPointToStart(loop.getBody());
    auto take = TakeOp::create(b, loc, ring.getRing());
    fill(counterAt(loop.getInductionVar(), constant(ahead)));
    Value last;
    for (const SlotDot &each : slotDots)
      last = start(each, take);
    if (slotDots.empty())
      for (auto [number, staged] : llvm::enumerate(loads))
        staged.operand ? read(staged, take.getBuffers()[number]) : readTile(staged, take.getBuffers()[number]);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    ReleaseOp::create(b, loc, take.getSlot(), chains.empty() ? Value() : last);
  }

  //===-- Dots that read slots ------------------------------------------------------------------------------------===//

  /// Where every accumulator is carried by the loop and nothing else looks at it, the dots of one iteration may fly
  /// while the next takes its slot: their own is filled one iteration later.
  bool findChains() {
    SmallVector<unsigned> found;
    for (SlotDot &each : slotDots) {
      Value acc = each.dot.getAcc(), result = each.dot.getResult();
      auto carried = dyn_cast<BlockArgument>(acc);
      bool isFirst = carried && carried.getOwner() == loop.getBody() && carried != loop.getInductionVar();
      if (!acc.hasOneUse() || !result.hasOneUse() || !(isFirst || isSlotDot(acc.getDefiningOp<DotOp>())))
        return false;
      OpOperand &use = *result.use_begin();
      if (use.getOwner() == loop.getBody()->getTerminator()) {
        for (auto other = acc.getDefiningOp<DotOp>(); other; other = acc.getDefiningOp<DotOp>())
          acc = other.getAcc();
        if (acc != loop.getRegionIterArg(use.getOperandNumber()))
          return false;
        found.push_back(use.getOperandNumber());
      } else if (auto next = dyn_cast<DotOp>(use.getOwner()); !isSlotDot(next) || next.getAcc() != result) {
        return false;
      }
    }
    chains = std::move(found);
    return true;
  }

  bool isSlotDot(DotOp dot) const {
    return dot && llvm::any_of(slotDots, [&](const SlotDot &each) { return each.dot == dot; });
  }

  /// Carried accumulators become tokens of what is in flight.
  void carryTokens() {
    for (unsigned number : chains) {
      Location loc = loop.getLoc();
      OpOperand &init = loop.getInitArgsMutable()[number];
      auto token = TokenType::get(b.getContext(), cast<RankedTensorType>(init.get().getType()));
      b.setInsertionPoint(loop);
      init.set(ReadyOp::create(b, loc, token, init.get()));
      loop.getRegionIterArg(number).setType(token);
      Value result = loop.getResult(number);
      result.setType(token);
      b.setInsertionPointAfter(loop);
      auto wait = WaitOp::create(b, loc, result);
      result.replaceAllUsesExcept(wait.getValue(), wait);
    }
  }

  /// Returns the token.
  Value start(const SlotDot &each, TakeOp take) {
    DotOp dot = each.dot;
    Location loc = dot.getLoc();
    b.setInsertionPoint(dot);
    auto tile = cast<RankedTensorType>(dot.getResult().getType());
    Value token =
        DotAsyncOp::create(b, loc, TokenType::get(b.getContext(), tile), take.getBuffers()[each.lhs],
                           take.getBuffers()[each.rhs], dot.getAcc(), dot.getSiteAttr(), dot.getPrecisionAttr())
            .getToken();
    dot.getResult().replaceAllUsesWith(chains.empty() ? WaitOp::create(b, loc, token).getValue() : token);
    dot.erase();
    for (unsigned number : {each.lhs, each.rhs})
      eraseWay(loads[number]);
    return token;
  }

  static void eraseWay(StagedLoad &staged) {
    for (Operation *op : llvm::reverse(staged.way))
      op->erase();
    staged.load->erase();
  }

  //===-- Reads ---------------------------------------------------------------------------------------------------===//

  /// The layout that the dot wants, taken back through the permutes.
  void read(StagedLoad &staged, Value buffer) {
    b.setInsertionPoint(staged.operand->getOwner());
    auto type = cast<RankedTensorType>(staged.operand->get().getType());
    Layout layout = layoutOf(type).getLayout();
    SmallVector<PermuteOp> permutes;
    for (Operation *op : llvm::reverse(staged.way))
      if (auto permute = dyn_cast<PermuteOp>(op)) {
        SmallVector<int64_t> back(permute.getDims().size());
        for (auto [dim, from] : llvm::enumerate(permute.getDims()))
          back[from] = dim;
        layout = layout.permuted(back);
        permutes.insert(permutes.begin(), permute);
      }
    Value value = ReadOp::create(b, staged.load.getLoc(), withLayout(staged.buffer, layout), buffer);
    for (PermuteOp permute : permutes) {
      layout = layout.permuted(permute.getDims());
      IRMapping mapping;
      mapping.map(permute.getValue(), value);
      Operation *copy = b.clone(*permute, mapping);
      copy->getResult(0).setType(withLayout(cast<RankedTensorType>(permute.getType()), layout));
      value = copy->getResult(0);
    }
    staged.operand->set(value);
    eraseWay(staged);
  }

  /// In the layout that the load had, with what it wants outside of its tiles, where slots hold 0.
  void readTile(StagedLoad &staged, Value buffer) {
    LoadOp load = staged.load;
    Location loc = load.getLoc();
    b.setInsertionPoint(load);
    Value value = ReadOp::create(b, loc, load.getType(), buffer);
    SmallVector<Value> tiles;
    SmallVector<int64_t> dims;
    for (auto [dim, tile] : llvm::enumerate(
             llvm::make_filter_range(load.getIndices(), [](Value index) { return isa<TileType>(index.getType()); }))) {
      auto made = tile.getDefiningOp<MakeTileOp>();
      if (!made || !made.getEnd())
        continue;
      dims.push_back(dim);
      tiles.push_back(tile);
    }
    if (load.getOther() && !tiles.empty())
      value = MaskOp::create(b, loc, value.getType(), value, dims, tiles, load.getOther());
    load.getResult().replaceAllUsesWith(value);
    load->erase();
  }

  static RankedTensorType withLayout(RankedTensorType type, const Layout &layout) {
    return RankedTensorType::get(type.getShape(), type.getElementType(), LayoutAttr::get(type.getContext(), layout));
  }

  void drain() {
    b.setInsertionPointAfter(loop);
    forAllAhead([&](Value) {
      auto take = TakeOp::create(b, loop.getLoc(), ring.getRing());
      ReleaseOp::create(b, loop.getLoc(), take.getSlot(), Value());
    });
  }

  LaunchOp launch;
  scf::ForOp loop;
  bool isOverTiles;
  int64_t stages, ahead = 0; // Slots; iterations that are filled ahead.
  bool boxes, groups;
  AccessReader &accesses;
  OpBuilder b;
  SmallVector<StagedLoad> loads;
  SmallVector<SlotDot> slotDots;
  SmallVector<unsigned> chains; // What the loop carries as tokens, by number.
  SmallVector<Operation *> indexOps;
  RingOp ring;
};

struct PipelineLoads : public helion::impl::PipelineLoadsPassBase<PipelineLoads> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      AccessReader accesses(kernel, LayoutTarget());
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        auto stages = dyn_cast_or_null<IntegerAttr>(loop->removeAttr(kStagesAttr));
        RingWish wish{stages ? stages.getInt() : 1, bool(loop->removeAttr(kBoxesAttr)),
                      bool(loop->removeAttr(kGroupDotsAttr))};
        if (wish.groups && (wish.stages < 2 || !wish.boxes)) {
          loop.emitError() << "has `" << kGroupDotsAttr << "` without `" << kStagesAttr << "` above 1 and `"
                           << kBoxesAttr << "`, which fill what its dots are to read";
          return signalPassFailure();
        }
        if (wish.stages < 2)
          continue;
        auto launch = loop->getParentOfType<LaunchOp>();
        if (failed(Pipeliner(launch, loop, wish, accesses).run()))
          return signalPassFailure();
        ++pipelined;
      }
      if (failed(verifyFormLaidOut(kernel)))
        return signalPassFailure();
    }
  }
};
} // namespace
