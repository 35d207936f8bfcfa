// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics: Python indices become the indices of form K. Tiles and slices add dims, numbers none,
// integer tile values gather; `None` only inserts a dim into the result.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"

#include "dialect/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

/// The indices of one access and how its dims show in Python.
struct Interpreter::Access {
  SmallVector<Value> indices;
  SmallVector<DimAttr> dims;      // of the SSA value
  SmallVector<int> axes;          // of the Python value
  std::vector<TileValue> gathers; // broadcast tensor indices, in order
  bool isMasked = false;          // the source guards the access itself
  unsigned nextGather = 0;
};

//===-- Indices --------------------------------------------------------------------------------------------------===//

static std::vector<PyValue> flatten(const PyValue &index) {
  const Sequence *sequence = index.get<Sequence>();
  if (!sequence)
    return {index};
  std::vector<PyValue> out;
  for (const PyValue &item : *sequence->items) {
    std::vector<PyValue> inner = flatten(item);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

static bool isFullSlice(const PyValue &item) {
  const SliceValue *slice = item.get<SliceValue>();
  return slice && !slice->lower && !slice->upper;
}

// `...` stands for as many full slices as there are dims left.
static LogicalResult expandEllipsis(KernelBuilder &k, const HostTensor &tensor, std::vector<PyValue> &items) {
  size_t rank = tensor.sizes.size();
  size_t given = llvm::count_if(items, [](const PyValue &i) { return !i.isNone() && !i.is<EllipsisWord>(); });
  auto dots = llvm::find_if(items, [](const PyValue &i) { return i.is<EllipsisWord>(); });
  if (dots != items.end() && given <= rank) {
    dots = items.erase(dots);
    items.insert(dots, rank - given, PyValue(SliceValue{}));
    given = rank;
  }
  if (given == rank)
    return success();
  return k.fail("`" + tensor.name + "` has rank `" + llvm::Twine(rank) + "`, but is indexed by `" + llvm::Twine(given) +
                "` values");
}

// tile.index[:, None] with other_tile.index[None, :] is what the tiles themselves say.
static std::optional<Value> plainTile(const PyValue &item, unsigned position, unsigned count) {
  const TileValue *value = item.get<TileValue>();
  auto iota = value ? value->value.getDefiningOp<IotaOp>() : IotaOp();
  if (!iota || !iota.getTile() || value->rank() != count)
    return std::nullopt;
  for (unsigned i = 0; i < count; ++i)
    if ((value->axes[i] >= 0) != (i == position))
      return std::nullopt;
  return iota.getTile();
}

LogicalResult Interpreter::planTensorIndices(std::vector<PyValue> &items, Access &access) {
  SmallVector<unsigned> places;
  for (auto [i, item] : llvm::enumerate(items))
    if (const TileValue *value = item.get<TileValue>(); value && value->rank())
      places.push_back(i);
  // Tiles in disguise must stand side by side, so that their dims stay where the first one stood.
  SmallVector<Value> tiles;
  for (auto [position, place] : llvm::enumerate(places)) {
    std::optional<Value> tile = plainTile(items[place], position, places.size());
    if (!tile || place != places[0] + position)
      break;
    tiles.push_back(*tile);
  }
  if (tiles.size() == places.size()) {
    for (auto [place, tile] : llvm::zip(places, tiles)) {
      auto end = tileEnds.find(tile);
      items[place] = Tile{tile, end == tileEnds.end() ? std::nullopt : std::optional<SizeExpr>(end->second)};
    }
    return success();
  }
  std::vector<PyValue> operands;
  for (unsigned place : places)
    operands.push_back(items[place]);
  FailureOr<DType> type = resultType(k, operands);
  if (failed(type))
    return failure();
  if (isFloat(*type) || *type == DType::Bool)
    return k.fail("a tile value of `" + dtypeText(*type) + "` is no index; integers are");
  SmallVector<TileValue> values;
  for (const PyValue &operand : operands) {
    Result cast = castTo(k, operand, *type);
    if (failed(cast))
      return failure();
    values.push_back(*cast->get<TileValue>());
  }
  FailureOr<SmallVector<TileValue>> together = broadcastTogether(k, values);
  if (failed(together))
    return failure();
  access.gathers.assign(together->begin(), together->end());
  return success();
}

static void addDims(Interpreter &in, ArrayRef<DimAttr> dims, SmallVectorImpl<DimAttr> &into,
                    SmallVectorImpl<int> &axes) {
  for (DimAttr dim : dims) {
    axes.push_back(into.size());
    into.push_back(dim);
  }
}

// A tile of a loop that may run past this dim is guarded on the host: an access without a mask never leaves its tensor.
void Interpreter::checkBounds(const HostTensorPtr &tensor, unsigned dim, const Tile &tile) {
  if (tile.end && !k.mentionsBlock(*tile.end) && !k.mentionsBlock(tensor->sizes[dim]))
    k.assertThat(Pred::compare(Pred::Compare::LE, *tile.end, tensor->sizes[dim]));
}

LogicalResult Interpreter::planItem(const HostTensorPtr &tensor, unsigned dim, const PyValue &item, Access &access) {
  if (const Tile *tile = item.get<Tile>()) {
    if (!access.isMasked)
      checkBounds(tensor, dim, *tile);
    access.indices.push_back(tile->tile);
    addDims(*this, cast<TileType>(tile->tile.getType()).getDim(), access.dims, access.axes);
    return success();
  }
  if (const SliceValue *slice = item.get<SliceValue>()) {
    Value tile;
    const int64_t *lower = slice->lower ? slice->lower->get<int64_t>() : nullptr;
    const int64_t *upper = slice->upper ? slice->upper->get<int64_t>() : nullptr;
    int64_t begin = lower ? *lower : 0;
    bool isFull = isFullSlice(item);
    if (isFull && k.canonical(tensor->sizes[dim]).asConstant() == 0)
      return k.fail("the signature says that dim `" + llvm::Twine(dim) + "` of `" + tensor->name +
                    "` has no elements: there is nothing to slice");
    if (isFull)
      tile = k.fullSlice(tensor->sizes[dim]);
    else if ((slice->lower && !lower) || !upper || begin < 0 || *upper <= begin)
      return k.fail("a slice in the tile loops is `:` or has constant bounds");
    else
      tile = k.slice(begin, *upper - begin);
    if (!isFull)
      k.assertThat(Pred::compare(Pred::Compare::LE, SizeExpr::constant(*upper), tensor->sizes[dim]));
    access.indices.push_back(tile);
    addDims(*this, cast<TileType>(tile.getType()).getDim(), access.dims, access.axes);
    return success();
  }
  if (const TileValue *value = item.get<TileValue>(); value && value->rank()) {
    const TileValue &gather = access.gathers[access.nextGather];
    access.indices.push_back(gather.value);
    if (access.nextGather++)
      return success();
    int base = access.dims.size();
    for (DimAttr d : helion::dimsOf(gather.value.getType()))
      access.dims.push_back(d);
    for (int axis : gather.axes)
      access.axes.push_back(axis < 0 ? -1 : base + axis);
    return success();
  }
  const int64_t *constant = item.get<int64_t>();
  PyValue place =
      constant && *constant < 0 ? makeSize(SizeExpr::add(tensor->sizes[dim], SizeExpr::constant(*constant))) : item;
  if (!isArithmetic(place))
    return k.fail(item.describe() + " cannot index host tensor `" + tensor->name + "`");
  FailureOr<Value> index = indexValue(k, place);
  if (failed(index))
    return failure();
  access.indices.push_back(*index);
  return success();
}

FailureOr<Interpreter::Access> Interpreter::planAccess(const HostTensorPtr &tensor, const PyValue &index,
                                                       bool isMasked) {
  Access access;
  access.isMasked = isMasked;
  std::vector<PyValue> items = flatten(index);
  for (PyValue &item : items)
    if (const BlockHandle *block = item.get<BlockHandle>())
      item = makeSize(SizeExpr::scalar(block->block));
  if (failed(expandEllipsis(k, *tensor, items)) || failed(planTensorIndices(items, access)))
    return failure();
  unsigned dim = 0;
  for (const PyValue &item : items) {
    if (item.isNone())
      access.axes.push_back(-1);
    else if (failed(planItem(tensor, dim++, item, access)))
      return failure();
  }
  return access;
}

FailureOr<Value> Interpreter::accessMask(const PyValue &mask, const Access &access) {
  FailureOr<Value> covered = coveredLanes(k, access.dims);
  if (failed(covered) || !mask.isGiven())
    return covered;
  FailureOr<Value> own = filled(k, mask, DType::Bool, access.dims);
  if (failed(own) || !*covered)
    return own;
  return Value(arith::AndIOp::create(k.b, k.loc(), *own, *covered));
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

Result Interpreter::load(const HostTensorPtr &tensor, const PyValue &index, const PyValue &mask) {
  FailureOr<Access> access = planAccess(tensor, index, mask.isGiven());
  FailureOr<Value> lanes = failed(access) ? FailureOr<Value>(failure()) : accessMask(mask, *access);
  if (failed(lanes))
    return failure();
  Type type = tileValueType(access->dims, storageType(tensor->dtype, k.context()));
  auto load = LoadOp::create(k.b, k.loc(), type, tensor->memref, access->indices, *lanes, Value(),
                             k.b.getStringAttr(k.site(tensor->name)), StringAttr(), StringAttr());
  TileValue value{load.getResult(), tensor->dtype, access->axes};
  if (tensor->dtype != DType::Bool)
    return PyValue(value);
  value.dtype = DType::I8; // bools are bytes in memory
  return castTo(k, value, DType::Bool);
}

void Interpreter::markWritten(const HostTensorPtr &tensor) {
  written.push_back(tensor);
  const HostTensor *root = tensor.get();
  while (root->root)
    root = root->root.get();
  if (root->argument >= 0)
    k.kernel.setArgAttr(root->argument, kWritesAttr, k.b.getUnitAttr());
}

// The stored value in memory's type with exactly the dims of the indices.
static FailureOr<Value> storedValue(KernelBuilder &k, const HostTensorPtr &tensor, const PyValue &value,
                                    ArrayRef<DimAttr> dims) {
  if (!isArithmetic(value))
    return FailureOr<Value>(k.fail(value.describe() + " cannot be stored to `" + tensor->name + "`"));
  FailureOr<Value> lanes = filled(k, value, tensor->dtype, dims);
  if (failed(lanes) || tensor->dtype != DType::Bool)
    return lanes;
  Type type = withElementType(lanes->getType(), storageType(DType::Bool, k.context()));
  return Value(arith::ExtUIOp::create(k.b, k.loc(), type, *lanes));
}

LogicalResult Interpreter::store(const HostTensorPtr &tensor, const PyValue &index, const PyValue &value,
                                 const PyValue &mask) {
  FailureOr<Access> access = planAccess(tensor, index, mask.isGiven());
  if (failed(access))
    return failure();
  if (llvm::is_contained(access->axes, -1))
    return k.fail("`None` in the index of a store is not supported");
  FailureOr<Value> lanes = storedValue(k, tensor, value, access->dims);
  FailureOr<Value> where = failed(lanes) ? FailureOr<Value>(failure()) : accessMask(mask, *access);
  if (failed(where))
    return failure();
  StoreOp::create(k.b, k.loc(), *lanes, tensor->memref, access->indices, *where,
                  k.b.getStringAttr(k.site(tensor->name)), StringAttr(), StringAttr());
  markWritten(tensor);
  return success();
}

Result Interpreter::atomic(ReductionKind kind, MemoryOrder order, const HostTensorPtr &tensor, const PyValue &index,
                           const PyValue &value) {
  FailureOr<Access> access = planAccess(tensor, index, /*isMasked=*/false);
  if (failed(access))
    return failure();
  FailureOr<Value> lanes = storedValue(k, tensor, value, access->dims);
  FailureOr<Value> where = failed(lanes) ? lanes : accessMask(PyValue(), *access);
  if (failed(where))
    return failure();
  auto op = AtomicOp::create(k.b, k.loc(), lanes->getType(), kind, order, *lanes, tensor->memref, access->indices,
                             *where, k.b.getStringAttr(k.site(tensor->name)), StringAttr());
  markWritten(tensor);
  return PyValue(TileValue{op.getResult(), tensor->dtype, access->axes});
}
