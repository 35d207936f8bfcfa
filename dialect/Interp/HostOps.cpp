// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host part: allocation, asserts, device facts, and views of host tensors (memref).

#include "dialect/Interp/OpTable.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cstring>

using namespace mlir;
using namespace helion;
using namespace helion::interp;

//===-- Allocation -----------------------------------------------------------------------------------------------===//

static FailureOr<HostTensor> allocate(Machine &machine, Operation *op, MemRefType type, ValueRange dynamicSizes) {
  constexpr int64_t kMaxBytes = int64_t(1) << 36;
  std::optional<ElementType> element = elementTypeOf(type.getElementType());
  if (!element)
    return machine.fail(op, "allocates elements that the interpreter cannot hold");
  Shape sizes;
  int64_t bytes = elementInfo(*element).bytes;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      size = machine.integer(dynamicSizes.front());
      dynamicSizes = dynamicSizes.drop_front();
    }
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxBytes)
      return machine.fail(op, "allocates a tensor with the size `" + Twine(size) + "`; `0` to `" + Twine(kMaxBytes) +
                                  "` bytes are possible");
    sizes.push_back(size);
  }
  HostTensor tensor = HostTensor::allocate(*element, sizes);
  // A value that nobody stored must not look like a result: NaN in every float format, 0x5a.. as an integer.
  std::memset(tensor.storage->data(), elementInfo(*element).isFloat ? 0xff : 0x5a, tensor.storage->size());
  if (machine.options.trackWrites)
    tensor.storage->written.assign(size_t(tensor.numElements()), 0);
  return tensor;
}

static LogicalResult empty(Machine &machine, EmptyOp op) {
  FailureOr<HostTensor> tensor = allocate(machine, op, cast<MemRefType>(op.getResult().getType()), op.getSizes());
  return failed(tensor) ? failure() : machine.set(op.getResult(), *tensor);
}

static LogicalResult full(Machine &machine, FullOp op) {
  FailureOr<HostTensor> tensor = allocate(machine, op, cast<MemRefType>(op.getResult().getType()), op.getSizes());
  if (failed(tensor))
    return failure();
  LanesRef value = machine.lanes(op.getValue());
  for (int64_t i = 0, e = tensor->numElements(); i != e; ++i) {
    if (value->isFloat)
      writeFloat(tensor->address(i), tensor->type, value->floats[0]);
    else
      writeInteger(tensor->address(i), tensor->type, value->ints[0]);
  }
  return machine.set(op.getResult(), *tensor);
}

static LogicalResult assertOp(Machine &machine, AssertOp op) {
  if (machine.integer(op.getCondition()))
    return success();
  return machine.fail(op, "does not hold: `" + op.getMessage() + "`", RunError::Kind::Call);
}

static LogicalResult deviceFact(Machine &machine, DeviceFactOp op) {
  auto fact = machine.options.deviceFacts.find(op.getName().str());
  if (fact == machine.options.deviceFacts.end())
    return machine.fail(op, "asks for `" + op.getName() + "`, which this run does not know");
  return machine.setInteger(op.getResult(), fact->second);
}

static LogicalResult blockSize(Machine &machine, BlockSizeOp op) {
  auto bound = machine.blocks.find(op.getBlock().str());
  if (bound == machine.blocks.end())
    return machine.fail(op, "needs block `" + op.getBlock() + "` before its size is known; bind it by name");
  return machine.setInteger(op.getResult(), bound->second);
}

static LogicalResult nothing(Machine &, Operation *) { return success(); }

//===-- Views ----------------------------------------------------------------------------------------------------===//

static LogicalResult dim(Machine &machine, memref::DimOp op) {
  const HostTensor &tensor = machine.host(op.getSource());
  int64_t index = machine.integer(op.getIndex());
  if (index < 0 || index >= int64_t(tensor.rank()))
    return machine.fail(op, "asks for dim `" + Twine(index) + "` of rank " + Twine(tensor.rank()));
  return machine.setInteger(op.getResult(), tensor.sizes[index]);
}

/// Stride of dims that are walked as one; none when the walk is no single stride.
static std::optional<int64_t> collapsedStride(const HostTensor &tensor, ArrayRef<int64_t> group) {
  std::optional<int64_t> inner;
  int64_t expected = 0;
  for (int64_t dim : llvm::reverse(group)) {
    if (tensor.sizes[dim] == 1)
      continue;
    if (inner && tensor.strides[dim] != expected)
      return std::nullopt;
    if (!inner)
      inner = tensor.strides[dim];
    expected = tensor.strides[dim] * tensor.sizes[dim];
  }
  return inner.value_or(1);
}

static LogicalResult collapse(Machine &machine, memref::CollapseShapeOp op) {
  HostTensor source = machine.host(op.getSrc()), result = source;
  auto tryCollapse = [&]() {
    result.sizes.clear();
    result.strides.clear();
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      std::optional<int64_t> stride = collapsedStride(source, group);
      if (!stride)
        return false;
      int64_t size = 1;
      for (int64_t dim : group)
        size *= source.sizes[dim];
      result.sizes.push_back(size);
      result.strides.push_back(*stride);
    }
    return true;
  };
  if (source.numElements() == 0 || !tryCollapse()) {
    // A reshape that is no view is a copy, as a step of the plan would make it.
    auto view = op->getAttrOfType<StringAttr>("helion.view");
    if (source.numElements() != 0 && (!view || view.getValue() != "reshape"))
      return machine.fail(op, "is no view of the strides " + listText(source.strides) + " for the sizes " +
                                  listText(source.sizes));
    result = source = source.copy();
    tryCollapse();
  }
  return machine.set(op.getResult(), result);
}

static int64_t numberOf(Machine &machine, OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attr).getInt();
  return machine.integer(cast<Value>(value));
}

static LogicalResult expand(Machine &machine, memref::ExpandShapeOp op) {
  HostTensor source = machine.host(op.getSrc()), result = source;
  Shape sizes;
  for (OpFoldResult size : op.getMixedOutputShape())
    sizes.push_back(numberOf(machine, size));
  result.sizes = sizes;
  result.strides.assign(sizes.size(), 1);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides[dim], product = 1;
    for (int64_t member : llvm::reverse(group)) {
      result.strides[member] = stride * product;
      product *= sizes[member];
    }
    if (product != source.sizes[dim])
      return machine.fail(op, "splits dim " + Twine(dim) + " of size `" + Twine(source.sizes[dim]) + "` into " +
                                  listText(sizes));
  }
  return machine.set(op.getResult(), result);
}

static LogicalResult transpose(Machine &machine, memref::TransposeOp op) {
  HostTensor source = machine.host(op.getIn()), result = source;
  AffineMap map = op.getPermutation();
  for (unsigned i = 0; i != map.getNumResults(); ++i) {
    result.sizes[i] = source.sizes[map.getDimPosition(i)];
    result.strides[i] = source.strides[map.getDimPosition(i)];
  }
  return machine.set(op.getResult(), result);
}

static LogicalResult subview(Machine &machine, memref::SubViewOp op) {
  HostTensor source = machine.host(op.getSource()), result = source;
  result.sizes.clear();
  result.strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, parts] : llvm::enumerate(llvm::zip(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()))) {
    auto [offsetPart, sizePart, stepPart] = parts;
    int64_t offset = numberOf(machine, offsetPart), size = numberOf(machine, sizePart);
    int64_t step = numberOf(machine, stepPart), last = offset + (size - 1) * step;
    bool isInside = size >= 0 && std::min(offset, last) >= 0 && std::max(offset, last) < source.sizes[dim];
    if (size != 0 && !isInside)
      return machine.fail(op, "takes `" + Twine(size) + "` indices from `" + Twine(offset) + "` in steps of `" +
                                  Twine(step) + "` out of dim " + Twine(dim) + " of size `" + Twine(source.sizes[dim]) +
                                  "`");
    result.offset += size ? offset * source.strides[dim] : 0;
    if (dropped.test(dim))
      continue;
    result.sizes.push_back(size);
    result.strides.push_back(step * source.strides[dim]);
  }
  return machine.set(op.getResult(), result);
}

static LogicalResult reinterpret(Machine &machine, memref::ReinterpretCastOp op) {
  HostTensor result = machine.host(op.getSource());
  result.sizes.clear();
  result.strides.clear();
  // The offset counts from the memory's start, as the type's does.
  result.offset = numberOf(machine, op.getMixedOffsets()[0]);
  for (OpFoldResult size : op.getMixedSizes())
    result.sizes.push_back(numberOf(machine, size));
  for (OpFoldResult stride : op.getMixedStrides())
    result.strides.push_back(numberOf(machine, stride));
  if (llvm::Error error = result.check("source"))
    return machine.fail(op, "leaves its memory: " + llvm::toString(std::move(error)));
  return machine.set(op.getResult(), result);
}

static LogicalResult stridedMetadata(Machine &machine, memref::ExtractStridedMetadataOp op) {
  HostTensor source = machine.host(op.getSource()), base = source;
  base.sizes.clear();
  base.strides.clear();
  base.offset = 0;
  (void)machine.set(op.getBaseBuffer(), base);
  (void)machine.setInteger(op.getOffset(), source.offset);
  for (unsigned i = 0; i != source.rank(); ++i) {
    (void)machine.setInteger(op.getSizes()[i], source.sizes[i]);
    (void)machine.setInteger(op.getStrides()[i], source.strides[i]);
  }
  return success();
}

static LogicalResult sameTensor(Machine &machine, Operation *op) {
  return machine.set(op->getResult(0), machine.cell(op->getOperand(0)));
}

static LogicalResult copy(Machine &machine, memref::CopyOp op) {
  HostTensor source = machine.host(op.getSource()).copy(), target = machine.host(op.getTarget());
  if (source.sizes != target.sizes)
    return machine.fail(op, "copies sizes " + listText(source.sizes) + " to " + listText(target.sizes));
  unsigned bytes = elementInfo(source.type).bytes;
  const char *from = source.storage->data();
  target.forEach([&](int64_t at) {
    std::memcpy(target.address(at), from, bytes);
    from += bytes;
  });
  return success();
}

ArrayRef<OpRow> helion::interp::hostRows() {
  static const OpRow rows[] = {
      {"helion.assert", runAs<AssertOp, assertOp>},
      {"helion.block", nothing},
      {"helion.block_size", runAs<BlockSizeOp, blockSize>},
      {"helion.device_fact", runAs<DeviceFactOp, deviceFact>},
      {"helion.empty", runAs<EmptyOp, empty>},
      {"helion.full", runAs<FullOp, full>},
      {"memref.cast", sameTensor},
      {"memref.collapse_shape", runAs<memref::CollapseShapeOp, collapse>},
      {"memref.copy", runAs<memref::CopyOp, copy>},
      {"memref.dim", runAs<memref::DimOp, dim>},
      {"memref.expand_shape", runAs<memref::ExpandShapeOp, expand>},
      {"memref.extract_strided_metadata", runAs<memref::ExtractStridedMetadataOp, stridedMetadata>},
      {"memref.reinterpret_cast", runAs<memref::ReinterpretCastOp, reinterpret>},
      {"memref.subview", runAs<memref::SubViewOp, subview>},
      {"memref.transpose", runAs<memref::TransposeOp, transpose>},
  };
  return rows;
}
