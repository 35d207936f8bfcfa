// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the ops on tile values (ValueOps.td): the table of rules for dims.

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"
#include "dialect/IR/LayoutRules.h"

using namespace mlir;
using namespace helion;

static LogicalResult verifySameElement(Operation *op, Type a, Type b) {
  if (getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
    return success();
  return op->emitOpError() << "element types " << getElementTypeOrSelf(a) << " and " << getElementTypeOrSelf(b)
                           << " differ";
}

LogicalResult IotaOp::verify() {
  SmallVector<DimAttr> dims = dimsOf(getResult().getType());
  Type element = getElementTypeOrSelf(getResult().getType());
  if (dims.size() != 1 || !element.isIntOrIndex())
    return emitOpError() << "result type " << getResult().getType() << " is not one dim of integers";
  if (Value tile = getTile()) {
    if (DimAttr dim = cast<TileType>(tile.getType()).getDim(); dim != dims[0])
      return emitOpError() << "result has dim `" << dims[0].str() << "`, the tile `" << dim.str() << "`";
    return success();
  }
  if (dims[0].getRange())
    return emitOpError() << "without a tile the dim `" << dims[0].str() << "` cannot have a range";
  return success();
}

LogicalResult SplatOp::verify() { return verifySameElement(*this, getValue().getType(), getResult().getType()); }

LogicalResult BroadcastOp::verify() {
  SmallVector<DimAttr> from = dimsOf(getValue().getType()), to = dimsOf(getResult().getType());
  if (getDims().size() != from.size())
    return emitOpError() << "names " << getDims().size() << " dims for an operand of rank " << from.size();
  int64_t last = -1;
  for (auto [dim, source] : llvm::zip(getDims(), from)) {
    if (dim <= last || dim >= int64_t(to.size()))
      return emitOpError() << "dim `" << dim << "` is not above `" << last << "` and below the result's rank "
                           << to.size();
    last = dim;
    if (source != to[dim] && source.getConstant() != 1)
      return emitOpError() << "operand dim `" << source.str() << "` becomes `" << to[dim].str()
                           << "`; only the integer 1 can be repeated";
  }
  if (failed(verifySameElement(*this, getValue().getType(), getResult().getType())))
    return failure();
  LayoutAttr operand = layoutOf(getValue().getType()), result = layoutOf(getResult().getType());
  if (!operand || !result)
    return success();
  Layout wanted =
      broadcastOperand(result.getLayout(), getDims(), cast<RankedTensorType>(getValue().getType()).getShape());
  if (operand.getLayout() != wanted)
    return emitOpError() << "operand has another layout than the result without its new dims, " << wanted.str();
  return success();
}

LogicalResult PermuteOp::verify() {
  SmallVector<DimAttr> from = dimsOf(getValue().getType()), to = dimsOf(getResult().getType());
  SmallVector<int64_t> sorted(getDims());
  llvm::sort(sorted);
  if (sorted.size() != from.size() || from.size() != to.size() ||
      !llvm::equal(sorted, llvm::seq<int64_t>(0, from.size())))
    return emitOpError() << "dims are no permutation of 0.." << from.size();
  for (auto [dim, target] : llvm::zip(getDims(), to))
    if (from[dim] != target)
      return emitOpError() << "operand dim `" << from[dim].str() << "` becomes `" << target.str() << "`";
  LayoutAttr operand = layoutOf(getValue().getType()), result = layoutOf(getResult().getType());
  if (operand && result && operand.getLayout().permuted(getDims()) != result.getLayout())
    return emitOpError() << "result has another layout than the permuted one, "
                         << operand.getLayout().permuted(getDims()).str();
  return verifySameElement(*this, getValue().getType(), getResult().getType());
}

LogicalResult ReshapeOp::verify() {
  SmallVector<DimAttr> high = dimsOf(getValue().getType()), low = dimsOf(getResult().getType());
  if (high.size() < low.size())
    std::swap(high, low);
  if (getGroups().size() != low.size())
    return emitOpError() << "has " << getGroups().size() << " groups for " << low.size() << " dims";
  int64_t next = 0;
  for (auto [attr, dim] : llvm::zip(getGroups().getAsRange<DenseI64ArrayAttr>(), low)) {
    SmallVector<DimAttr> members;
    for (int64_t member : attr.asArrayRef()) {
      if (member != next++ || member >= int64_t(high.size()))
        return emitOpError() << "groups do not list the dims 0.." << high.size() << " in order";
      members.push_back(high[member]);
    }
    std::optional<DimAttr> product = productOf(getContext(), members);
    if (!product)
      return emitOpError() << "dims " << dimsStr(members) << " have a range and cannot be merged or split";
    if (*product != dim)
      return emitOpError() << "dims " << dimsStr(members) << " make `" << product->str() << "`, not `" << dim.str()
                           << "`";
  }
  if (next != int64_t(high.size()))
    return emitOpError() << "groups do not list the dims 0.." << high.size() << " in order";
  LayoutAttr operand = layoutOf(getValue().getType()), result = layoutOf(getResult().getType());
  if (operand && result) {
    std::optional<Layout> wanted = reshapedLayout(operand.getLayout(), result.getLayout().shape(), getGroups());
    if (!wanted)
      return emitOpError() << "a thread's part of the operand is no part of the result; convert the layout first";
    if (*wanted != result.getLayout())
      return emitOpError() << "result has another layout than the reshaped one, " << wanted->str();
  }
  return verifySameElement(*this, getValue().getType(), getResult().getType());
}

/// The dims with and without dim `dim`, which has to be the constant `extent`; any constant where it is 0.
static LogicalResult verifyOwnDim(Operation *op, uint64_t dim, ArrayRef<DimAttr> with, ArrayRef<DimAttr> without,
                                  int64_t extent) {
  if (dim >= with.size())
    return op->emitOpError() << "dim `" << dim << "` is outside the rank " << with.size();
  std::optional<int64_t> constant = with[dim].getConstant();
  if (!constant || (extent && *constant != extent))
    return op->emitOpError() << "dim `" << with[dim].str() << "` is not "
                             << (extent ? "the number of values, " + Twine(extent) : Twine("a constant"));
  SmallVector<DimAttr> rest(with);
  rest.erase(rest.begin() + dim);
  if (rest != without)
    return op->emitOpError() << "dims " << dimsStr(with) << " without `" << dim << "` are not " << dimsStr(without);
  return success();
}

LogicalResult LaneOp::verify() {
  SmallVector<DimAttr> from = dimsOf(getValue().getType()), to = dimsOf(getResult().getType());
  if (failed(verifyOwnDim(*this, getDim(), from, to, 0)))
    return failure();
  if (getIndex() >= uint64_t(*from[getDim()].getConstant()))
    return emitOpError() << "lane `" << int64_t(getIndex()) << "` is outside the dim `" << from[getDim()].str() << "`";
  return verifySameElement(*this, getValue().getType(), getResult().getType());
}

LogicalResult StackOp::verify() {
  if (getValues().empty())
    return emitOpError() << "has no values";
  Type type = getValues()[0].getType();
  SmallVector<DimAttr> from = dimsOf(type), to = dimsOf(getResult().getType());
  if (failed(verifyOwnDim(*this, getDim(), to, from, getValues().size())))
    return failure();
  return verifySameElement(*this, type, getResult().getType());
}

LogicalResult ReboundOp::verify() {
  SmallVector<DimAttr> from = dimsOf(getValue().getType()), to = dimsOf(getResult().getType());
  auto sameExtent = [](DimAttr a, DimAttr b) { return a.withoutRange() == b.withoutRange(); };
  if (from.size() != to.size() || !llvm::equal(from, to, sameExtent))
    return emitOpError() << "changes dims " << dimsStr(from) << " to " << dimsStr(to) << "; only ranges may change";
  return verifySameElement(*this, getValue().getType(), getResult().getType());
}

LogicalResult MaskOp::verify() {
  SmallVector<DimAttr> dims = dimsOf(getValue().getType());
  if (getDims().size() != getTiles().size())
    return emitOpError() << "names " << getDims().size() << " dims for " << getTiles().size() << " tiles";
  for (auto [dim, tile] : llvm::zip(getDims(), getTiles())) {
    if (dim < 0 || dim >= int64_t(dims.size()))
      return emitOpError() << "dim `" << dim << "` is outside the value's rank " << dims.size();
    DimAttr extent = cast<TileType>(tile.getType()).getDim();
    if (extent.withoutRange() != dims[dim].withoutRange())
      return emitOpError() << "dim `" << dims[dim].str() << "` is masked by a tile of `" << extent.str() << "`";
  }
  return verifySameElement(*this, getFill().getType(), getValue().getType());
}

static LogicalResult verifyDim(Operation *op, Type type, uint64_t dim) {
  if (size_t rank = dimsOf(type).size(); dim >= rank)
    return op->emitOpError() << "dim `" << dim << "` is outside the value's rank " << rank;
  return success();
}

/// Type after `dim` is combined away.
static FailureOr<Type> reducedType(Operation *op, Type type, uint64_t dim, Type element) {
  SmallVector<DimAttr> dims = dimsOf(type);
  if (failed(verifyDim(op, type, dim)))
    return failure();
  dims.erase(dims.begin() + dim);
  if (LayoutAttr layout = layoutOf(type); layout && !dims.empty()) {
    Layout left = layout.getLayout().withoutDim(dim);
    return Type(RankedTensorType::get(left.shape(), element, LayoutAttr::get(type.getContext(), left)));
  }
  bool encoded = cast<RankedTensorType>(type).getEncoding() != nullptr;
  return tileValueType(dims, element, encoded);
}

LogicalResult ReduceOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!acceptsElement(getKind(), element))
    return emitOpError() << "kind `" << stringifyReductionKind(getKind()) << "` does not take elements of type "
                         << element;
  bool gives = getKind() == ReductionKind::ArgMax || getKind() == ReductionKind::ArgMin;
  FailureOr<Type> wanted =
      reducedType(*this, getValue().getType(), getDim(), gives ? Type(IndexType::get(getContext())) : element);
  if (failed(wanted))
    return failure();
  if (*wanted != getResult().getType())
    return emitOpError() << "result type " << getResult().getType() << " is not " << *wanted;
  return success();
}

LogicalResult ReduceFnOp::verify() {
  size_t count = getValues().size();
  if (!count || getOthers().size() != count || getResults().size() != count)
    return emitOpError() << "has " << count << " values, " << getOthers().size() << " identities and "
                         << getResults().size() << " results";
  for (auto [value, other, result] : llvm::zip(getValues(), getOthers(), getResults())) {
    Type element = getElementTypeOrSelf(value.getType());
    FailureOr<Type> wanted = reducedType(*this, value.getType(), getDim(), element);
    if (failed(wanted))
      return failure();
    if (*wanted != result.getType() || other.getType() != element ||
        dimsOf(value.getType()) != dimsOf(getValues()[0].getType()))
      return emitOpError() << "value " << value.getType() << ", identity " << other.getType() << " and result "
                           << result.getType() << " do not fit";
  }
  return success();
}

/// The combiner takes two scalars per value and yields one.
template <typename Op> static LogicalResult verifyCombiner(Op op) {
  SmallVector<Type> elements;
  for (Value value : op.getValues())
    elements.push_back(getElementTypeOrSelf(value.getType()));
  SmallVector<Type> twice(elements);
  twice.append(elements);
  auto yield = dyn_cast<YieldOp>(op.getCombiner().front().back());
  if (!yield || !llvm::equal(TypeRange(twice), op.getCombiner().getArgumentTypes()) ||
      !llvm::equal(TypeRange(elements), yield.getOperandTypes()))
    return op.emitOpError() << "combiner does not take two scalars per value and yield one";
  return success();
}

LogicalResult ReduceFnOp::verifyRegions() { return verifyCombiner(*this); }

LogicalResult ScanOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  bool isPosition = getKind() == ReductionKind::ArgMax || getKind() == ReductionKind::ArgMin;
  if (isPosition || !acceptsElement(getKind(), element))
    return emitOpError() << "kind `" << stringifyReductionKind(getKind()) << "` does not take elements of type "
                         << element;
  return verifyDim(*this, getValue().getType(), getDim());
}

LogicalResult ScanFnOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                         DictionaryAttr attrs, OpaqueProperties properties, RegionRange regions,
                                         SmallVectorImpl<Type> &types) {
  llvm::append_range(types, ScanFnOp::Adaptor(operands, attrs, properties, regions).getValues().getTypes());
  return success();
}

LogicalResult ScanFnOp::verify() {
  size_t count = getValues().size();
  if (!count || getOthers().size() != count)
    return emitOpError() << "has " << count << " values and " << getOthers().size() << " identities";
  Type first = getValues()[0].getType();
  for (auto [value, other] : llvm::zip(getValues(), getOthers())) {
    Type type = value.getType();
    if (other.getType() != getElementTypeOrSelf(type) || dimsOf(type) != dimsOf(first) ||
        layoutOf(type) != layoutOf(first))
      return emitOpError() << "value " << type << " and identity " << other.getType()
                           << " do not fit each other and value " << first;
  }
  return verifyDim(*this, first, getDim());
}

LogicalResult ScanFnOp::verifyRegions() { return verifyCombiner(*this); }

LogicalResult DotOp::verify() {
  SmallVector<DimAttr> lhs = dimsOf(getLhs().getType()), rhs = dimsOf(getRhs().getType()),
                       acc = dimsOf(getAcc().getType());
  size_t rank = acc.size();
  if (rank < 2 || lhs.size() != rank || rhs.size() != rank)
    return emitOpError() << "operands have ranks " << lhs.size() << ", " << rhs.size() << " and " << rank
                         << "; all must be equal and at least 2";
  SmallVector<DimAttr> batch(acc.begin(), acc.end() - 2);
  auto expect = [&](DimAttr m, DimAttr n) {
    SmallVector<DimAttr> dims(batch);
    dims.push_back(m);
    dims.push_back(n);
    return dims;
  };
  DimAttr m = acc[rank - 2], n = acc[rank - 1], k = lhs[rank - 1];
  if (lhs != expect(m, k) || rhs != expect(k, n))
    return emitOpError() << "dims " << dimsStr(lhs) << " x " << dimsStr(rhs) << " do not give " << dimsStr(acc);
  return success();
}

#define GET_OP_CLASSES
#include "dialect/IR/HelionOps.cpp.inc"
