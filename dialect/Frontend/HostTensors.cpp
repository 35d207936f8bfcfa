// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views are memref ops on the host. A reshape is found by matching sizes from the left: equal dims pass, a product of
// neighbours merges, a size that is a product splits.
#include "dialect/Frontend/HostTensors.h"
#include "dialect/Frontend/Lanes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

FailureOr<HostTensorPtr> helion::frontend::allocateHost(KernelBuilder &k, llvm::StringRef name,
                                                        ArrayRef<SizeExpr> sizes, DType dtype, const PyValue &fill) {
  auto tensor = std::make_shared<HostTensor>();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> extents;
  for (const SizeExpr &size : sizes) {
    SizeExpr expr = k.canonical(size);
    tensor->sizes.push_back(expr);
    extents.push_back(expr.asConstant().value_or(ShapedType::kDynamic));
    if (!expr.asConstant())
      dynamic.push_back(k.materialize(expr));
  }
  tensor->name = name.str();
  tensor->dtype = dtype;
  auto type = MemRefType::get(extents, storageType(dtype, k.context()));
  k.nameHint = name.str();
  if (fill.isAbsent()) {
    tensor->memref = EmptyOp::create(k.b, k.loc(), type, dynamic, k.b.getStringAttr(name), UnitAttr());
  } else {
    FailureOr<Value> value = scalar(k, fill, dtype == DType::Bool ? DType::I8 : dtype);
    if (failed(value))
      return failure();
    tensor->memref = FullOp::create(k.b, k.loc(), type, dynamic, *value, k.b.getStringAttr(name), UnitAttr());
  }
  k.nameHint.clear();
  return tensor;
}

static HostTensorPtr viewOf(const HostTensorPtr &tensor, Value memref, std::vector<SizeExpr> sizes) {
  auto view = std::make_shared<HostTensor>(*tensor);
  view->memref = memref;
  view->sizes = std::move(sizes);
  view->root = tensor;
  view->argument = -1;
  return view;
}

//===-- Reshape --------------------------------------------------------------------------------------------------===//

namespace {
// One step: dims `from` of the source become dims `to` of the result; one of the two has a single entry, but for ones.
struct ReshapeGroup {
  SmallVector<int64_t> from, to;
};
} // namespace

static SizeExpr productOf(ArrayRef<SizeExpr> sizes) {
  SizeExpr out = SizeExpr::constant(1);
  for (const SizeExpr &size : sizes)
    out = SizeExpr::mul(out, size);
  return out;
}

// The shape with its -1 replaced by the product of the source dims that the other sizes leave over.
static std::optional<std::vector<SizeExpr>> inferShape(ArrayRef<SizeExpr> source, ArrayRef<SizeExpr> shape) {
  std::vector<SizeExpr> out(shape), rest(source);
  auto open = llvm::find_if(out, [](const SizeExpr &size) { return size.isConstant(-1); });
  if (open == out.end())
    return out;
  int64_t factor = 1;
  for (const SizeExpr &size : out) {
    if (&size == &*open)
      continue;
    auto same = llvm::find(rest, size);
    if (same != rest.end())
      rest.erase(same);
    else if (size.asConstant())
      factor *= *size.asConstant();
    else
      return std::nullopt;
  }
  SizeExpr left = productOf(rest);
  if (factor != 1) {
    if (factor <= 0 || !left.asConstant() || *left.asConstant() % factor)
      return std::nullopt;
    left = SizeExpr::constant(*left.asConstant() / factor);
  }
  *open = left;
  return out;
}

static std::optional<std::vector<ReshapeGroup>> matchReshape(ArrayRef<SizeExpr> source, ArrayRef<SizeExpr> target) {
  std::vector<ReshapeGroup> groups;
  size_t s = 0, t = 0;
  while (s < source.size() && t < target.size()) {
    ReshapeGroup group{{static_cast<int64_t>(s)}, {static_cast<int64_t>(t)}};
    SizeExpr have = source[s++], want = target[t++];
    size_t merged = s, split = t;
    SizeExpr more = have, parts = want;
    while (!(have == want)) {
      if (merged < source.size() && (more = SizeExpr::mul(more, source[merged++])) == want) {
        for (; s < merged; ++s)
          group.from.push_back(s);
        break;
      }
      if (split < target.size() && (parts = SizeExpr::mul(parts, target[split++])) == have) {
        for (; t < split; ++t)
          group.to.push_back(t);
        break;
      }
      if (merged >= source.size() && split >= target.size())
        return std::nullopt;
    }
    groups.push_back(std::move(group));
  }
  // Added or dropped ones at the end belong to the last group.
  for (; s < source.size() && source[s].isConstant(1) && !groups.empty(); ++s)
    groups.back().from.push_back(s);
  for (; t < target.size() && target[t].isConstant(1) && !groups.empty(); ++t)
    groups.back().to.push_back(t);
  bool all = s == source.size() && t == target.size();
  return all ? std::optional<std::vector<ReshapeGroup>>(std::move(groups)) : std::nullopt;
}

// `bias.reshape(-1, m, n)`: behind the -1, sizes of other tensors stand for those of `bias`, and must be equal to them.
static std::optional<Equality> trailingEquality(ArrayRef<SizeExpr> source, ArrayRef<SizeExpr> wanted) {
  auto isSize = [](const SizeExpr &size) {
    return size.kind() == SizeExpr::Kind::Leaf && size.leaf().kind == Leaf::Kind::Size;
  };
  if (wanted.empty() || !wanted.front().isConstant(-1))
    return std::nullopt;
  for (auto [have, want] : llvm::zip(llvm::reverse(source), llvm::reverse(wanted.drop_front())))
    if (!(have == want))
      return isSize(have) && isSize(want) ? std::optional<Equality>({want, have}) : std::nullopt;
  return std::nullopt;
}

static bool isContiguous(Value memref) { return cast<MemRefType>(memref.getType()).getLayout().isIdentity(); }

// First all merges, then all splits.
static Value emitReshape(KernelBuilder &k, Value memref, ArrayRef<ReshapeGroup> groups, ArrayRef<SizeExpr> target,
                         llvm::StringRef method) {
  SmallVector<ReassociationIndices> merges, splits;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> extents;
  int64_t middle = 0;
  for (const ReshapeGroup &group : groups) {
    merges.push_back(ReassociationIndices(group.from.begin(), group.from.end()));
    splits.push_back(ReassociationIndices(group.to.begin(), group.to.end()));
    ++middle;
  }
  bool contiguous = isContiguous(memref);
  if (llvm::any_of(merges, [](const ReassociationIndices &group) { return group.size() > 1; })) {
    auto collapse = memref::CollapseShapeOp::create(k.b, k.loc(), memref, merges);
    if (!contiguous)
      collapse->setAttr("helion.view", k.b.getStringAttr(method));
    memref = collapse;
  }
  if (static_cast<int64_t>(target.size()) == middle)
    return memref;
  for (const SizeExpr &size : target) {
    std::optional<int64_t> constant = size.asConstant();
    extents.push_back(constant.value_or(ShapedType::kDynamic));
    sizes.push_back(constant ? OpFoldResult(k.b.getIndexAttr(*constant)) : OpFoldResult(k.materialize(size)));
  }
  auto type = memref::ExpandShapeOp::computeExpandedType(cast<MemRefType>(memref.getType()), extents, splits);
  if (failed(type))
    return {};
  return memref::ExpandShapeOp::create(k.b, k.loc(), *type, memref, splits, sizes);
}

FailureOr<HostTensorPtr> helion::frontend::reshapeHost(KernelBuilder &k, const HostTensorPtr &tensor,
                                                       ArrayRef<SizeExpr> shape, llvm::StringRef method) {
  std::vector<SizeExpr> source, wanted;
  for (const SizeExpr &size : tensor->sizes)
    source.push_back(k.canonical(size));
  for (const SizeExpr &size : shape)
    wanted.push_back(k.canonical(size));
  std::optional<std::vector<SizeExpr>> target = inferShape(source, wanted);
  auto groups = target ? matchReshape(source, *target) : std::nullopt;
  std::optional<Equality> equal = groups ? std::nullopt : trailingEquality(source, wanted);
  if (equal)
    return FailureOr<HostTensorPtr>(k.require(equal->lhs, equal->rhs));
  if (!groups)
    return FailureOr<HostTensorPtr>(k.fail("cannot see how `" + tensor->name + "` takes this shape; a `" + method +
                                           "` on the host merges or splits neighbouring dims"));
  if (*target == source)
    return tensor;
  Value memref = emitReshape(k, tensor->memref, *groups, *target, method);
  if (!memref)
    return FailureOr<HostTensorPtr>(k.fail("this shape is no view of `" + tensor->name + "`"));
  return viewOf(tensor, memref, std::move(*target));
}

FailureOr<HostTensorPtr> helion::frontend::permuteHost(KernelBuilder &k, const HostTensorPtr &tensor,
                                                       ArrayRef<int> order) {
  SmallVector<unsigned> permutation(order.begin(), order.end());
  std::vector<SizeExpr> sizes;
  for (unsigned dim : permutation)
    sizes.push_back(tensor->sizes[dim]);
  AffineMap map = AffineMap::getPermutationMap(permutation, k.context());
  Value memref = memref::TransposeOp::create(k.b, k.loc(), tensor->memref, AffineMapAttr::get(map));
  return viewOf(tensor, memref, std::move(sizes));
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static void eraseUnused(Value view) {
  Operation *op = view.getDefiningOp();
  if (op && op->use_empty() && isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op)) {
    Value source = op->getOperand(0);
    op->erase();
    eraseUnused(source);
  }
}

FailureOr<HostTensorPtr> helion::frontend::returnedTensor(KernelBuilder &k, const HostTensorPtr &tensor) {
  HostTensorPtr root = tensor;
  bool onlyReshapes = true;
  while (root->root) {
    onlyReshapes &= isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp>(root->memref.getDefiningOp());
    root = root->root;
  }
  if (root == tensor)
    return tensor;
  Operation *allocation = root->memref.getDefiningOp();
  if (!allocation || !onlyReshapes)
    return FailureOr<HostTensorPtr>(
        k.fail("`" + tensor->name + "` is returned as a view; only reshapes of tensors that the kernel allocates are"));
  return k.before(allocation, [&]() -> FailureOr<HostTensorPtr> {
    FailureOr<HostTensorPtr> output = allocateHost(k, root->name, tensor->sizes, root->dtype, PyValue());
    if (failed(output))
      return failure();
    if (auto full = dyn_cast<FullOp>(allocation)) {
      Operation *empty = (*output)->memref.getDefiningOp();
      (*output)->memref = FullOp::create(k.b, k.loc(), (*output)->memref.getType(), empty->getOperands(),
                                         full.getValue(), full.getNameAttr(), UnitAttr());
      empty->erase();
    }
    FailureOr<HostTensorPtr> inside = reshapeHost(k, *output, root->sizes, "reshape");
    if (failed(inside))
      return failure();
    root->memref.replaceAllUsesWith((*inside)->memref);
    allocation->erase();
    eraseUnused(tensor->memref);
    return output;
  });
}
