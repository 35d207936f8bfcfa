// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of dots and the register-tiled loops. Loop order: panels of columns, then rows, then k, so that one panel
// stays in the first cache while all rows pass.

#include "codegen/CPU/DotEmitter.h"
#include "codegen/CPU/NarrowFloat.h"
#include "codegen/CPU/TileChain.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::cpu;

static constexpr llvm::StringLiteral kRegisterTileAttr = "register_tile";
// A register tile of this many accumulators leaves room for the operands in any register file.
static constexpr int64_t kMaxAccumulators = 64;
// Steps of k per round of the inner loop: the loop's own instructions are spread over them.
static constexpr int64_t kStepsPerRound = 4;

FailureOr<RegisterTile> cpu::registerTile(DotOp dot, const CodeOptions &options) {
  RegisterTile tile;
  Type element = getElementTypeOrSelf(dot.getAcc().getType());
  tile.width = std::max<int64_t>(1, options.vectorBits / element.getIntOrFloatBitWidth());
  // `auto`: as many accumulators as leave room for the operands, 8 x 2 vectors of 32, of 16 registers 6 x 2 or, where
  // only that divides the rows, 4 x 3. More rows of 32 registers have more addresses than there are scalar registers.
  bool isLarge = options.vectorRegisters > 16;
  int64_t rows = shapeOf(dot.getAcc())[shapeOf(dot.getAcc()).size() - 2];
  bool isFlat = !isLarge && rows % 6 != 0 && rows % 4 == 0;
  tile.rows = isLarge ? 8 : isFlat ? 4 : 6;
  tile.columns = (isFlat ? 3 : 2) * tile.width;
  if (auto attr = dot->getAttrOfType<DenseI64ArrayAttr>(kRegisterTileAttr)) {
    ArrayRef<int64_t> wanted = attr.asArrayRef();
    if (wanted.size() != 2 || wanted[0] < 1 || wanted[1] < 1 || wanted[1] % tile.width ||
        wanted[0] * (wanted[1] / tile.width) > kMaxAccumulators)
      return dot.emitOpError() << "register tile is not [rows, columns] with columns a multiple of `" << tile.width
                               << "` and at most `" << kMaxAccumulators << "` vectors";
    tile.rows = wanted[0];
    tile.columns = wanted[1];
  }
  tile.columns = std::min<int64_t>(tile.columns, llvm::alignTo(shapeOf(dot.getAcc()).back(), tile.width));
  return tile;
}

Operation *cpu::hoistPlace(const TileMemory &memory, Value value, Operation *user) {
  while (user->getBlock() != memory.blockOf(value) && isa<scf::ForOp>(user->getParentOp()))
    user = user->getParentOp();
  return user;
}

scf::ForOp DotEmitter::openLoop(Value begin, Value end, int64_t step, ValueRange inits) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, IndexMath(builder, loc).constant(step), inits);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

Value DotEmitter::trip(Value bound, int64_t extent) {
  return bound ? nests.evaluator().validCount(bound) : IndexMath(builder, loc).constant(extent);
}

DotEmitter::Shape DotEmitter::shapeOfDot(DotOp dot) {
  Shape shape;
  ArrayRef<int64_t> extents = shapeOf(dot.getResult());
  size_t rank = extents.size();
  auto bound = [&](unsigned dim) { return plan.reach().lanes(dot.getResult(), dim).bound; };
  for (size_t dim = 0; dim + 2 < rank; ++dim)
    shape.batch.push_back(trip(bound(dim), extents[dim]));
  shape.rows = trip(bound(rank - 2), extents[rank - 2]);
  shape.columns = trip(bound(rank - 1), extents[rank - 1]);
  shape.inner = trip(plan.reach().contractionBound(dot), shapeOf(dot.getLhs()).back());
  shape.tile = *registerTile(dot, options);
  return shape;
}

/// The memory of a value whose lanes below `bounds` lie there as they are.
std::optional<View> DotEmitter::inPlace(Value value, ArrayRef<Value> bounds, Type element) {
  if (getElementTypeOrSelf(value.getType()) != element)
    return std::nullopt;
  if (plan.isStored(value))
    return memory.stored.find(value)->second;
  if (auto permute = value.getDefiningOp<PermuteOp>()) {
    SmallVector<Value> sourceBounds(bounds.size());
    for (auto [dim, source] : llvm::enumerate(permute.getDims()))
      sourceBounds[source] = bounds[dim];
    std::optional<View> source = inPlace(permute.getValue(), sourceBounds, element);
    if (!source)
      return std::nullopt;
    View view = *source;
    for (auto [dim, from] : llvm::enumerate(permute.getDims()))
      view.strides[dim] = source->strides[from];
    return view;
  }
  auto load = value.getDefiningOp<LoadOp>();
  if (!load || load.getMask())
    return std::nullopt;
  View host = memory.viewOf(load.getSource()), view{host.memory, host.offset, {}};
  IndexMath math(builder, loc);
  for (auto [dim, index] : llvm::enumerate(indexDims(load.getIndices()))) {
    if (isTileValue(index.index.getType()))
      return std::nullopt;
    bool isTile = isa<TileType>(index.index.getType());
    if (isTile) {
      Value bound = plan.reach().boundOf(index.index);
      if (bound && bound != bounds[index.first])
        return std::nullopt;
      view.strides.push_back(host.strides[dim]);
    }
    Value begin = isTile ? nests.evaluator().beginOf(index.index) : index.index;
    view.offset = math.add(view.offset, math.mul(begin, host.strides[dim]));
  }
  return view;
}

View DotEmitter::leftOperand(DotOp dot) {
  Value lhs = dot.getLhs();
  Type element = getElementTypeOrSelf(dot.getAcc().getType());
  SmallVector<Value> bounds;
  for (size_t dim = 0; dim < shapeOf(lhs).size(); ++dim)
    bounds.push_back(plan.reach().lanes(dot.getResult(), dim).bound);
  bounds.back() = plan.reach().contractionBound(dot);
  if (std::optional<View> view = inPlace(lhs, bounds, element))
    return *view;
  OpBuilder::InsertionGuard guard(builder);
  Operation *place = hoistPlace(memory, lhs, dot);
  builder.setInsertionPoint(place);
  View view = memory.allocate(builder, loc, shapeOf(lhs), element);
  NestGroup group;
  group.nests.push_back(fillNest(plan, dot, lhs, view));
  group.nests.back().convertTo = element;
  shapeLoops(group.nests.back(), plan, memory, options);
  nests.emit(group);
  return view;
}

View DotEmitter::rightOperand(DotOp dot, const Shape &shape) {
  Value rhs = dot.getRhs();
  ArrayRef<int64_t> extents = shapeOf(rhs);
  int64_t columns = shape.tile.columns, panels = llvm::divideCeil(extents.back(), columns);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(hoistPlace(memory, rhs, dot));
  SmallVector<int64_t> packedShape(extents.begin(), extents.end() - 2);
  llvm::append_range(packedShape, ArrayRef<int64_t>{panels, extents[extents.size() - 2], columns});
  View packed = memory.allocate(builder, loc, packedShape, getElementTypeOrSelf(dot.getAcc().getType()));
  NestGroup group;
  group.nests.push_back(fillNest(plan, dot, rhs, packed));
  group.nests.back().vectorDim = extents.size() - 1;
  nests.emitUnderTest(group, [&](bool unitStride) { pack(dot, packed, shape.tile, unitStride); });
  return packed;
}

void DotEmitter::pack(DotOp dot, const View &packed, const RegisterTile &tile, bool unitStride) {
  size_t rank = shapeOf(dot.getRhs()).size();
  NestFacts facts;
  for (size_t dim = 0; dim < rank; ++dim) {
    facts.bounds.push_back(plan.reach().lanes(dot.getRhs(), dim).bound);
    facts.levels.push_back(std::min(dim, rank - 2));
  }
  facts.width = tile.width;
  facts.unitStride = unitStride;
  nests.evaluator().startNest(facts);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Position> batch;
  for (size_t dim = 0; dim + 2 < rank; ++dim) {
    auto loop = openLoop(IndexMath(builder, loc).constant(0), trip(facts.bounds[dim], shapeOf(dot.getRhs())[dim]), 1);
    nests.evaluator().hoistTo(int(dim) - 1, loop);
    nests.evaluator().enterLevel(dim);
    batch.push_back({loop.getInductionVar(), int(dim), false});
  }
  packPanels(dot, packed, tile, batch);
}

/// Whole panels of valid columns, then the rest, whose missing columns are 0.
void DotEmitter::packPanels(DotOp dot, const View &packed, const RegisterTile &tile, ArrayRef<Position> batch) {
  LaneEvaluator &lanes = nests.evaluator();
  IndexMath math(builder, loc);
  ArrayRef<int64_t> extents = shapeOf(dot.getRhs());
  int dim = extents.size() - 1, inner = dim - 1;
  Value columns = trip(lanes.facts.bounds[dim], extents[dim]);
  Value split = lanes.facts.bounds[dim] ? Value() : nests.splitBoundOf(fillNest(plan, dot, dot.getRhs(), packed), dim);
  Value checked = split ? lanes.validCount(split) : columns;
  Value whole = math.floorTo(checked, tile.columns);
  for (bool isTail : {false, true}) {
    Value begin = isTail ? whole : math.constant(0), end = isTail ? columns : whole;
    if (constantOf(begin) && constantOf(begin) == constantOf(end))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    auto panelLoop = openLoop(begin, end, tile.columns);
    Value panel = panelLoop.getInductionVar();
    auto innerLoop = openLoop(math.constant(0), trip(lanes.facts.bounds[inner], extents[inner]), 1);
    lanes.hoistTo(int(batch.size()) - 1, panelLoop);
    lanes.enterLevel(batch.size());
    SmallVector<Position> at(batch);
    at.push_back({innerLoop.getInductionVar(), inner, false});
    at.push_back({panel, dim, true});
    lanes.facts.split = isTail ? Value() : split;
    packRow(dot, packed, tile, at, panel, isTail ? columns : Value());
  }
  lanes.facts.split = lanes.facts.tail = {};
}

/// One row of a panel; `columns` is the number of valid columns where some may be missing.
void DotEmitter::packRow(DotOp dot, const View &packed, const RegisterTile &tile, ArrayRef<Position> at, Value panel,
                         Value columns) {
  LaneEvaluator &lanes = nests.evaluator();
  IndexMath math(builder, loc);
  Type from = getElementTypeOrSelf(dot.getRhs().getType()), element = getElementTypeOrSelf(dot.getAcc().getType());
  size_t batch = at.size() - 2;
  Value number = builder.createOrFold<arith::DivUIOp>(loc, panel, math.constant(tile.columns));
  Value row = math.add(packed.offset, math.mul(number, packed.strides[batch]));
  row = math.add(row, math.mul(at[batch].index, packed.strides[batch + 1]));
  for (size_t dim = 0; dim < batch; ++dim)
    row = math.add(row, math.mul(at[dim].index, packed.strides[dim]));
  SmallVector<Position> position(at);
  for (int64_t column = 0; column < tile.columns; column += tile.width) {
    position.back().index = math.add(panel, math.constant(column));
    lanes.facts.tail = columns ? math.sub(columns, position.back().index) : Value();
    Value lane = lanes.spread(convertElement(builder, loc, lanes.evaluate(dot.getRhs(), position), from, element));
    auto type = VectorType::get({tile.width}, element);
    if (!isa<VectorType>(lane.getType()))
      lane = vector::BroadcastOp::create(builder, loc, type, lane);
    if (columns) {
      auto maskType = VectorType::get({tile.width}, builder.getI1Type());
      Value exists = vector::CreateMaskOp::create(builder, loc, maskType, ValueRange{lanes.facts.tail});
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      lane = arith::SelectOp::create(builder, loc, exists, lane, zero);
    }
    vector::StoreOp::create(builder, loc, lane, packed.memory, ValueRange{math.add(row, math.constant(column))});
  }
}

void DotEmitter::emit(DotOp dot, const View &accumulator) {
  loc = dot.getLoc();
  Shape shape = shapeOfDot(dot);
  Operands operands{leftOperand(dot), rightOperand(dot, shape), accumulator};
  Value &stride = operands.lhs.strides[shape.batch.size() + 1];
  if (constantOf(stride))
    return emitBatch(shape, operands, {});
  // Where k is contiguous, as it mostly is, a step of k costs no address arithmetic.
  IndexMath math(builder, loc);
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, stride, math.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, loc, isOne, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitBatch(shape, operands, {});
  builder.setInsertionPointToStart(branch.thenBlock());
  stride = math.constant(1);
  emitBatch(shape, operands, {});
}

void DotEmitter::emitBatch(const Shape &shape, const Operands &operands, SmallVector<Value> batch) {
  IndexMath math(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  if (batch.size() < shape.batch.size()) {
    auto loop = openLoop(math.constant(0), shape.batch[batch.size()], 1);
    batch.push_back(loop.getInductionVar());
    return emitBatch(shape, operands, batch);
  }
  auto loop = openLoop(math.constant(0), shape.columns, shape.tile.columns);
  Value panel = loop.getInductionVar();
  auto base = [&](const View &view) {
    Value index = view.offset;
    for (auto [position, stride] : llvm::zip(batch, view.strides))
      index = math.add(index, math.mul(position, stride));
    return index;
  };
  Value number = builder.createOrFold<arith::DivUIOp>(loc, panel, math.constant(shape.tile.columns));
  Place place{math.add(base(operands.acc), panel), base(operands.lhs),
              math.add(base(operands.rhs), math.mul(number, operands.rhs.strides[batch.size()]))};
  emitRows(shape, operands, place);
}

/// Rows by whole register tiles, then by ever smaller ones.
void DotEmitter::emitRows(const Shape &shape, const Operands &operands, Place place) {
  IndexMath math(builder, loc);
  Value begin = math.constant(0);
  for (int64_t rows = shape.tile.rows; rows > 0; rows = rows == 1 ? 0 : int64_t(llvm::bit_floor(uint64_t(rows - 1)))) {
    Value end = math.add(begin, math.floorTo(math.sub(shape.rows, begin), rows));
    std::optional<int64_t> first = constantOf(begin);
    if (first && first == constantOf(end))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openLoop(begin, end, rows);
    size_t batch = shape.batch.size();
    Place row = place;
    row.acc = math.add(place.acc, math.mul(loop.getInductionVar(), operands.acc.strides[batch]));
    row.lhs = math.add(place.lhs, math.mul(loop.getInductionVar(), operands.lhs.strides[batch]));
    emitKernel(shape, operands, row, rows);
    begin = end;
  }
}

static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value c) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return vector::FMAOp::create(builder, loc, a, b, c);
  return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, a, b), c);
}

void DotEmitter::emitKernel(const Shape &shape, const Operands &operands, Place place, int64_t rows) {
  IndexMath math(builder, loc);
  int64_t width = shape.tile.width, vectors = shape.tile.columns / width;
  auto type = VectorType::get({width}, cast<MemRefType>(operands.rhs.memory.getType()).getElementType());
  SmallVector<Value> addresses, held;
  for (int64_t row = 0; row < rows; ++row) {
    Value accRow = math.add(place.acc, math.mul(math.constant(row), operands.acc.strides[shape.batch.size()]));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      addresses.push_back(math.add(accRow, math.constant(vector * width)));
      held.push_back(vector::LoadOp::create(builder, loc, type, operands.acc.memory, ValueRange{addresses.back()}));
    }
  }
  for (auto [address, value] : llvm::zip(addresses, accumulate(shape, operands, place, rows, held)))
    vector::StoreOp::create(builder, loc, value, operands.acc.memory, ValueRange{address});
}

/// The loop over k, several steps a round where k is contiguous, and what is left of it.
SmallVector<Value> DotEmitter::accumulate(const Shape &shape, const Operands &operands, Place place, int64_t rows,
                                          SmallVector<Value> held) {
  IndexMath math(builder, loc);
  bool isContiguous = constantOf(operands.lhs.strides[shape.batch.size() + 1]) == 1;
  Value begin = math.constant(0);
  for (int64_t steps : {isContiguous ? kStepsPerRound : int64_t(1), int64_t(1)}) {
    Value end = math.floorTo(shape.inner, steps);
    if (constantOf(begin) && constantOf(begin) == constantOf(end))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    auto loop = openLoop(begin, end, steps, held);
    held.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    for (int64_t step = 0; step < steps; ++step)
      held = multiplyStep(shape, operands, place, math.add(loop.getInductionVar(), math.constant(step)), held);
    scf::YieldOp::create(builder, loc, held);
    held.assign(loop.getResults().begin(), loop.getResults().end());
    begin = end;
    if (steps == 1)
      break;
  }
  return held;
}

/// Adds the products of column `k` of the left operand and row `k` of the right one.
SmallVector<Value> DotEmitter::multiplyStep(const Shape &shape, const Operands &operands, Place place, Value k,
                                            SmallVector<Value> held) {
  IndexMath math(builder, loc);
  size_t batch = shape.batch.size();
  int64_t width = shape.tile.width, vectors = shape.tile.columns / width;
  auto type = VectorType::get({width}, cast<MemRefType>(operands.rhs.memory.getType()).getElementType());
  Value rhsRow = math.add(place.rhs, math.mul(k, operands.rhs.strides[batch + 1]));
  Value lhsColumn = math.mul(k, operands.lhs.strides[batch + 1]);
  SmallVector<Value> rhs;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value index = math.add(rhsRow, math.constant(vector * width));
    rhs.push_back(vector::LoadOp::create(builder, loc, type, operands.rhs.memory, ValueRange{index}));
  }
  for (int64_t row = 0; row < int64_t(held.size()) / vectors; ++row) {
    Value lhsRow = math.add(place.lhs, math.mul(math.constant(row), operands.lhs.strides[batch]));
    Value scalar = memref::LoadOp::create(builder, loc, operands.lhs.memory, ValueRange{math.add(lhsRow, lhsColumn)});
    Value lhs = vector::BroadcastOp::create(builder, loc, type, scalar);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value &sum = held[row * vectors + vector];
      sum = multiplyAdd(builder, loc, lhs, rhs[vector], sum);
    }
  }
  return held;
}
