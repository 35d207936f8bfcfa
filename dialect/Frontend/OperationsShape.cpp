// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move or rename dims of tile values. Inserting and dropping dims of extent 1 costs nothing.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "dialect/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

// `x.permute(1, 0)` and `x.permute([1, 0])` are one.
static std::vector<PyValue> spreadArguments(const PyValue &rest) {
  const std::vector<PyValue> &items = *rest.get<Sequence>()->items;
  if (items.size() == 1 && items[0].is<Sequence>())
    return *items[0].get<Sequence>()->items;
  return items;
}

//===-- Permute --------------------------------------------------------------------------------------------------===//

static Result permute(Interpreter &in, const TileValue &value, ArrayRef<int> order) {
  FailureOr<TileValue> real = withRealDims(in.k, value);
  if (failed(real))
    return failure();
  SmallVector<DimAttr> from = helion::dimsOf(real->value.getType()), to;
  SmallVector<int64_t> dims;
  for (int dim : order) {
    to.push_back(from[dim]);
    dims.push_back(dim);
  }
  Type type = tileValueType(to, laneType(value.dtype, in.k.context()));
  Value moved = PermuteOp::create(in.k.b, in.k.loc(), type, real->value, in.k.b.getDenseI64ArrayAttr(dims));
  return PyValue(tileValue(moved, value.dtype));
}

static Result runPermute(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "input");
  if (failed(value))
    return failure();
  SmallVector<int> order;
  for (const PyValue &item : spreadArguments(a[1])) {
    FailureOr<int64_t> dim = expectInteger(in, item, "dims");
    FailureOr<int> place = failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, value->rank());
    if (failed(place))
      return failure();
    order.push_back(*place);
  }
  SmallVector<int> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int>(0, value->rank())))
    return in.k.fail("`dims` is no permutation of the dims of a value of rank `" + llvm::Twine(value->rank()) + "`");
  return permute(in, *value, order);
}

static Result runTranspose(Interpreter &in, const PyValue &input, const PyValue &dim0, const PyValue &dim1) {
  FailureOr<TileValue> value = expectTile(in, input, "input");
  FailureOr<int64_t> first = expectInteger(in, dim0, "dim0"), second = expectInteger(in, dim1, "dim1");
  if (failed(value) || failed(first) || failed(second))
    return failure();
  FailureOr<int> a = normalizeDim(in.k, *first, value->rank()), b = normalizeDim(in.k, *second, value->rank());
  if (failed(a) || failed(b))
    return failure();
  SmallVector<int> order = llvm::to_vector(llvm::seq<int>(0, value->rank()));
  std::swap(order[*a], order[*b]);
  return permute(in, *value, order);
}

//===-- Inserted dims --------------------------------------------------------------------------------------------===//

static Result runUnsqueeze(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "input");
  FailureOr<int64_t> dim = expectInteger(in, a[1], "dim");
  if (failed(value) || failed(dim))
    return failure();
  FailureOr<int> place = normalizeDim(in.k, *dim, value->rank() + 1);
  if (failed(place))
    return failure();
  value->axes.insert(value->axes.begin() + *place, -1);
  return PyValue(*value);
}

static Result runSqueeze(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "input");
  FailureOr<int64_t> dim = expectInteger(in, a[1], "dim");
  FailureOr<int> place =
      failed(value) || failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, value->rank());
  if (failed(place))
    return failure();
  if (value->axes[*place] >= 0) // torch leaves dims of other extents alone
    return a[0];
  value->axes.erase(value->axes.begin() + *place);
  return PyValue(*value);
}

// Numbers of -1 keep the dim of the value.
static Result runExpand(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "input");
  if (failed(value))
    return failure();
  std::vector<PyValue> items = spreadArguments(a[1]);
  SmallVector<DimAttr> have = frontend::dimsOf(*value, in.k.context());
  if (items.size() < have.size())
    return in.k.fail("a value of rank `" + llvm::Twine(have.size()) + "` cannot be expanded to rank `" +
                     llvm::Twine(items.size()) + "`");
  size_t added = items.size() - have.size();
  for (size_t i = added; i < items.size(); ++i)
    if (const int64_t *size = items[i].get<int64_t>(); size && *size == -1)
      items[i] = DimHandle{have[i - added]};
  FailureOr<SmallVector<DimAttr>> dims = expectDims(in, makeSequence(items));
  FailureOr<Value> wide = failed(dims) ? FailureOr<Value>(failure()) : broadcastTo(in.k, *value, *dims);
  return failed(wide) ? Result(failure()) : Result(PyValue(tileValue(*wide, value->dtype)));
}

//===-- Reshape --------------------------------------------------------------------------------------------------===//

// Groups of `high` that make the dims of `low`, greedily from the left.
static std::optional<SmallVector<Attribute>> groupDims(OpBuilder &b, ArrayRef<DimAttr> high, ArrayRef<DimAttr> low) {
  SmallVector<Attribute> groups;
  size_t next = 0;
  for (DimAttr dim : low) {
    SmallVector<int64_t> members;
    SmallVector<DimAttr> dims;
    bool found = false;
    while (next < high.size() && !found) {
      members.push_back(next);
      dims.push_back(high[next++]);
      found = productOf(b.getContext(), dims) == dim;
    }
    if (!found)
      return std::nullopt;
    // Trailing ones belong to the last group.
    for (; groups.size() + 1 == low.size() && next < high.size() && high[next].getConstant() == 1; ++next)
      members.push_back(next);
    groups.push_back(b.getDenseI64ArrayAttr(members));
  }
  return next == high.size() ? std::optional<SmallVector<Attribute>>(groups) : std::nullopt;
}

// Replaces a -1 by what is left of the constant extents.
static LogicalResult inferSize(Interpreter &in, ArrayRef<DimAttr> have, std::vector<PyValue> &items) {
  auto isOpen = [](const PyValue &item) { return item.is<int64_t>() && *item.get<int64_t>() == -1; };
  auto open = llvm::find_if(items, isOpen);
  if (open == items.end())
    return success();
  SmallVector<DimAttr> rest(have);
  int64_t extent = 1;
  for (const PyValue &item : items) {
    if (&item == &*open)
      continue;
    FailureOr<SmallVector<DimAttr>> dim = expectDims(in, item);
    if (failed(dim))
      return failure();
    auto same = llvm::find(rest, (*dim)[0]);
    if (same != rest.end())
      rest.erase(same);
    else if ((*dim)[0].getConstant())
      extent *= *(*dim)[0].getConstant();
    else
      return in.k.fail("cannot infer the `-1` of this reshape");
  }
  std::optional<DimAttr> left = productOf(in.k.context(), rest);
  if (left && extent == 1) {
    *open = DimHandle{*left};
    return success();
  }
  if (!left || !left->getConstant() || *left->getConstant() % extent)
    return in.k.fail("cannot infer the `-1` of this reshape");
  *open = *left->getConstant() / extent;
  return success();
}

// The value with other inserted dims, where the two shapes differ only in ones that `to` has more.
static std::optional<TileValue> withOnes(const TileValue &real, ArrayRef<DimAttr> from, ArrayRef<DimAttr> to) {
  TileValue shown = real;
  shown.axes.clear();
  size_t next = 0;
  for (DimAttr dim : to) {
    bool isOwn = next < from.size() && dim == from[next];
    if (!isOwn && dim.getConstant() != 1)
      return std::nullopt;
    shown.axes.push_back(isOwn ? static_cast<int>(next++) : -1);
  }
  return next == from.size() ? std::optional<TileValue>(shown) : std::nullopt;
}

static Result runReshape(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "input");
  FailureOr<TileValue> real = failed(value) ? value : withRealDims(in.k, *value);
  if (failed(real))
    return failure();
  SmallVector<DimAttr> from = helion::dimsOf(real->value.getType());
  std::vector<PyValue> items = spreadArguments(a[1]);
  if (failed(inferSize(in, from, items)))
    return failure();
  FailureOr<SmallVector<DimAttr>> to = expectDims(in, makeSequence(items));
  if (failed(to))
    return failure();
  if (*to == from)
    return PyValue(*real);
  if (std::optional<TileValue> shown = withOnes(*real, from, *to))
    return PyValue(*shown);
  bool merges = from.size() >= to->size();
  auto groups = merges ? groupDims(in.k.b, from, *to) : groupDims(in.k.b, *to, from);
  if (!groups)
    return in.k.fail("dims " + dimsStr(from) + " cannot be reshaped to " + dimsStr(*to) +
                     "; a reshape merges or splits dims without ranges");
  Type type = tileValueType(*to, laneType(value->dtype, in.k.context()));
  Value out = ReshapeOp::create(in.k.b, in.k.loc(), type, real->value, in.k.b.getArrayAttr(*groups));
  return PyValue(tileValue(out, value->dtype));
}

//===-- Lanes side by side ---------------------------------------------------------------------------------------===//

static Result takeLane(KernelBuilder &k, const TileValue &real, int dim, int64_t index) {
  SmallVector<DimAttr> dims = helion::dimsOf(real.value.getType());
  dims.erase(dims.begin() + dim);
  Type type = tileValueType(dims, laneType(real.dtype, k.context()));
  return PyValue(tileValue(LaneOp::create(k.b, k.loc(), type, real.value, dim, index), real.dtype));
}

static Result runSplit(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<TileValue> value = expectTile(in, a[0], "tensor");
  FailureOr<TileValue> real = failed(value) ? value : withRealDims(in.k, *value);
  if (failed(real))
    return failure();
  SmallVector<DimAttr> dims = helion::dimsOf(real->value.getType());
  if (dims.empty() || dims.back().getConstant() != 2)
    return in.k.fail("`hl.split` needs a last dim of 2, and the dims are " + dimsStr(dims));
  std::vector<PyValue> halves;
  for (int64_t index : {0, 1}) {
    Result half = takeLane(in.k, *real, dims.size() - 1, index);
    if (failed(half))
      return failure();
    halves.push_back(*half);
  }
  return makeSequence(std::move(halves));
}

// Values of one type and one shape along a new dim.
static Result stack(Interpreter &in, ArrayRef<PyValue> items, const PyValue &dim, StringRef method) {
  if (items.empty())
    return in.k.fail("`" + method + "` needs at least one tile value");
  FailureOr<DType> type = resultType(in.k, items);
  if (failed(type))
    return failure();
  SmallVector<TileValue> values;
  for (const PyValue &item : items) {
    Result same = castTo(in.k, item, *type);
    FailureOr<TileValue> value = failed(same) ? FailureOr<TileValue>(failure()) : expectTile(in, *same, "tensors");
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  FailureOr<int64_t> number = expectInteger(in, dim, "dim");
  FailureOr<SmallVector<TileValue>> wide = broadcastTogether(in.k, values);
  if (failed(number) || failed(wide))
    return failure();
  FailureOr<int> place = normalizeDim(in.k, *number, wide->front().rank() + 1);
  SmallVector<Value> operands;
  for (const TileValue &value : *wide) {
    FailureOr<TileValue> real = withRealDims(in.k, value);
    if (failed(real) || failed(place))
      return failure();
    operands.push_back(real->value);
  }
  SmallVector<DimAttr> dims = helion::dimsOf(operands[0].getType());
  dims.insert(dims.begin() + *place, DimAttr::get(in.k.context(), operands.size()));
  Type stacked = tileValueType(dims, laneType(*type, in.k.context()));
  return PyValue(tileValue(StackOp::create(in.k.b, in.k.loc(), stacked, operands, *place), *type));
}

static Result runStack(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<std::vector<PyValue>> items = in.elements(a[0]);
  return failed(items) ? Result(failure()) : stack(in, *items, a[1], "torch.stack");
}

static Result runSize(Interpreter &in, ArrayRef<PyValue> a) {
  Result shape = in.attribute(a[0], "shape");
  if (failed(shape) || !a[1].isGiven())
    return shape;
  FailureOr<int64_t> dim = expectInteger(in, a[1], "dim");
  FailureOr<int> place =
      failed(dim) ? FailureOr<int>(failure()) : normalizeDim(in.k, *dim, shape->get<Sequence>()->items->size());
  return failed(place) ? Result(failure()) : Result((*shape->get<Sequence>()->items)[*place]);
}

static Result identity(Interpreter &, ArrayRef<PyValue> a) { return a[0]; }

std::vector<OperationRow> helion::frontend::shapeOperations() {
  return {{"torch.permute Tensor.permute", "input *dims", runPermute},
          {"torch.transpose Tensor.transpose torch.swapaxes Tensor.swapaxes", "input dim0 dim1",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runTranspose(in, a[0], a[1], a[2]); }},
          {"torch.t Tensor.t", "input",
           [](Interpreter &in, ArrayRef<PyValue> a) { return runTranspose(in, a[0], int64_t(-2), int64_t(-1)); }},
          {"torch.unsqueeze Tensor.unsqueeze", "input dim", runUnsqueeze},
          {"torch.squeeze Tensor.squeeze", "input dim", runSqueeze},
          {"Tensor.expand torch.broadcast_to Tensor.broadcast_to", "input *size", runExpand},
          {"Tensor.expand_as", "input other",
           [](Interpreter &in, ArrayRef<PyValue> a) -> Result {
             Result shape = in.attribute(a[1], "shape");
             return failed(shape) ? shape : runExpand(in, {a[0], makeSequence({*shape})});
           }},
          {"hl.split", "tensor", runSplit},
          {"hl.join", "tensor0 tensor1",
           [](Interpreter &in, ArrayRef<PyValue> a) { return stack(in, {a[0], a[1]}, int64_t(-1), "hl.join"); }},
          {"torch.stack", "tensors dim=0", runStack},
          {"torch.reshape Tensor.reshape Tensor.view", "input *shape", runReshape},
          {"Tensor.contiguous Tensor.clone Tensor.detach", "input", identity},
          {"Tensor.size", "input dim=None", runSize}};
}
