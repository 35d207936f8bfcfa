// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the body function's arguments and memrefs, and for a span the outer function with the CPU kernel ABI of
// docs/design/0002.

#include "codegen/Common/LaunchBody.h"
#include "codegen/Common/Passes.h"
#include "dialect/IR/TensorMaps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "passes/Analysis/WideAccess.h"
#include "llvm/ADT/StringSet.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace helion;

LaunchBody::LaunchBody(HostPlan &plan, LaunchOp launch, StringRef symbol, ModuleOp module, Programs programs)
    : plan(plan), launch(launch), module(module), programs(programs), firstWord(programs == Programs::Span ? 2 : 0),
      b(module.getContext()), symbol(symbol) {
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> bounds(firstWord, b.getIndexType());
  if (programs == Programs::Block) {
    body = func::FuncOp::create(b, launch.getLoc(), symbol, b.getFunctionType(bounds, {}));
    body->setAttr(kEntryAttr, b.getUnitAttr());
  } else {
    body = func::FuncOp::create(b, launch.getLoc(), (symbol + "_body").str(), b.getFunctionType(bounds, {}));
    body.setPrivate();
    body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    // Not inlined: the call is paid once for a span of programs, and noalias of arguments is exact only across a call.
    body->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  }
  entry = body.addEntryBlock();
  b.setInsertionPointToStart(entry);
}

Value LaunchBody::parameter(StringRef key, Type type, Parameter parameter) {
  auto [known, isNew] = this->known.try_emplace(key, parameters.size());
  if (isNew) {
    parameters.push_back(std::move(parameter));
    entry->addArgument(type, launch.getLoc());
  }
  return entry->getArgument(known->second + firstWord);
}

Value LaunchBody::gridSize(unsigned axis) {
  if (programs == Programs::Block)
    return gpu::GridDimOp::create(b, launch.getLoc(), gpu::Dimension(axis));
  return parameter("grid " + std::to_string(axis), b.getIndexType(), {std::nullopt, axis});
}

Value LaunchBody::indexWord(const SizeExpr &expr) {
  if (std::optional<int64_t> constant = expr.asConstant())
    return arith::ConstantIndexOp::create(b, launch.getLoc(), *constant);
  PlanArgument word;
  word.kind = PlanArgument::Kind::Index;
  word.value = expr;
  std::string key = "index " + expr.str();
  if (programs == Programs::Span)
    return parameter(key, b.getIndexType(), {word});
  return arith::IndexCastOp::create(b, launch.getLoc(), b.getIndexType(), parameter(key, b.getI64Type(), {word}));
}

OpFoldResult LaunchBody::sizeOrWord(const SizeExpr &expr) {
  if (std::optional<int64_t> constant = expr.asConstant())
    return b.getIndexAttr(*constant);
  return indexWord(expr);
}

//===-- Host values in the body -----------------------------------------------------------------------------------===//

FailureOr<Value> LaunchBody::materialise(Value host, Operation *user) {
  if (Value known = values.lookup(host))
    return known;
  auto map = host.getDefiningOp<TensorMapOp>();
  FailureOr<Value> value = map                               ? tensorMap(map, user)
                           : isa<MemRefType>(host.getType()) ? tensor(host, user)
                                                             : scalar(host, user);
  if (succeeded(value))
    values[host] = *value;
  return value;
}

FailureOr<Value> LaunchBody::scalar(Value host, Operation *user) {
  Location loc = launch.getLoc();
  if (matchPattern(host, m_Constant()))
    return recompute(host, user);
  if (std::optional<SizeExpr> expr = plan.exprs.expr(host)) {
    Value word = indexWord(plan.specialise(*expr));
    if (host.getType().isIndex())
      return word;
    return arith::IndexCastOp::create(b, loc, host.getType(), word).getResult();
  }
  auto argument = dyn_cast<BlockArgument>(host);
  if (!argument)
    return recompute(host, user);
  StringRef name = cast<KernelOp>(argument.getOwner()->getParentOp()).getArgumentName(argument.getArgNumber());
  std::optional<Dtype> dtype = dtypeOf(host.getType());
  if (!dtype)
    return user->emitOpError() << "uses argument `" << name << "` of type " << host.getType()
                               << ", which is no word of a launch";
  PlanArgument word;
  word.kind = PlanArgument::Kind::Scalar;
  word.name = name.str();
  word.dtype = *dtype;
  return parameter("scalar " + name.str(), host.getType(), {word});
}

/// Host arithmetic on scalars that is no expression of the plan runs once for each span.
FailureOr<Value> LaunchBody::recompute(Value host, Operation *user) {
  Operation *op = host.getDefiningOp();
  if (!isPure(op) || op->getNumRegions() != 0 || isa<MemRefType>(host.getType()))
    return user->emitOpError() << "uses the host value of `" << op->getName() << "`, which cannot enter a launch";
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> inside = materialise(operand, user);
    if (failed(inside))
      return failure();
    mapping.map(operand, *inside);
  }
  return b.clone(*op, mapping)->getResult(cast<OpResult>(host).getResultNumber());
}

FailureOr<Value> LaunchBody::tensor(Value host, Operation *user) {
  FailureOr<HostView> view = plan.view(host, user);
  if (failed(view))
    return failure();
  auto type = cast<MemRefType>(host.getType());
  Value memref = memrefOf(pointerWord(*view), type.getElementType(), *view);
  // Only accesses take a memref of any layout; an op that infers its type gets the type it had.
  bool accessesOnly = llvm::all_of(host.getUsers(), [&](Operation *op) {
    return isa<LoadOp, LoadAsyncOp, StoreOp, AtomicOp, memref::DimOp>(op) || !launch->isProperAncestor(op);
  });
  if (!accessesOnly && memref.getType() != type)
    memref = memref::CastOp::create(b, launch.getLoc(), type, memref);
  return memref;
}

FailureOr<Value> LaunchBody::tensorMap(TensorMapOp map, Operation *user) {
  if (programs == Programs::Span)
    return user->emitOpError() << "uses a tensor map, which a CPU does not have";
  FailureOr<HostView> view = plan.view(map.getSource(), user);
  if (failed(view))
    return failure();
  TensorMapType type = map.getMap().getType();
  std::optional<BoxForm> form = boxFormOf(type);
  std::optional<Dtype> dtype = dtypeOf(type.getTile().getElementType());
  if (!form || !dtype || map.getFill())
    return map.emitOpError() << "of type " << type << " is none that tensor copies have; a box is rows of 16 bytes and "
                             << "more, swizzled over `32`, `64` or `128` bytes or not, and 0 outside";
  PlanArgument word;
  word.kind = PlanArgument::Kind::Map;
  word.name = view->buffer;
  word.value = view->offset;
  word.dtype = *dtype;
  word.map.swizzle = form->swizzleBytes;
  std::string key = ("map " + map.getSite() + " ").str() + view->buffer + " " + view->offset.str();
  for (unsigned dim : form->dims) {
    word.map.sizes.push_back(view->sizes[dim]);
    word.map.box.push_back(type.getBox()[dim]);
    if (dim != form->dims.front())
      word.map.strides.push_back(view->strides[dim]);
    key += " " + view->sizes[dim].str() + " " + view->strides[dim].str() + " " + std::to_string(type.getBox()[dim]);
  }
  Value pointer = parameter(key, LLVM::LLVMPointerType::get(b.getContext()), {word});
  return UnrealizedConversionCastOp::create(b, map.getLoc(), type, pointer).getResult(0);
}

Value LaunchBody::pointerWord(const HostView &view) {
  PlanArgument word;
  word.kind = PlanArgument::Kind::Pointer;
  word.name = view.buffer;
  word.value = view.offset;
  return parameter("pointer " + view.buffer + " " + view.offset.str(), LLVM::LLVMPointerType::get(b.getContext()),
                   {word, 0, bytesOfElement(view.base.getType())});
}

/// `memref<T>` at `pointer`: the descriptor of rank 0 is the one that needs no sizes.
static Value elementMemRef(OpBuilder &b, Location loc, Value pointer, Type element) {
  Type i64 = b.getI64Type();
  auto descriptorType = LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer.getType(), pointer.getType(), i64});
  Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType);
  descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, pointer, ArrayRef<int64_t>{0});
  descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, pointer, ArrayRef<int64_t>{1});
  Value zero = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0));
  descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, zero, ArrayRef<int64_t>{2});
  return UnrealizedConversionCastOp::create(b, loc, MemRefType::get({}, element), descriptor).getResult(0);
}

Value LaunchBody::memrefOf(Value pointer, Type element, const HostView &view) {
  Location loc = launch.getLoc();
  Value base = elementMemRef(b, loc, pointer, element);
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    sizes.push_back(sizeOrWord(size));
    strides.push_back(sizeOrWord(stride));
  }
  SmallVector<int64_t> shape, steps;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  dispatchIndexOpFoldResults(strides, dynamic, steps);
  MemRefLayoutAttrInterface layout = StridedLayoutAttr::get(b.getContext(), 0, steps);
  auto type = MemRefType::get(shape, element, layout);
  // The layout of a contiguous type is left out: folders and vector lowerings look for that.
  auto contiguous = MemRefType::get(shape, element);
  SmallVector<int64_t> contiguousStrides;
  int64_t offset;
  if (succeeded(contiguous.getStridesAndOffset(contiguousStrides, offset)) && contiguousStrides == steps &&
      !llvm::is_contained(steps, ShapedType::kDynamic))
    type = contiguous;
  return memref::ReinterpretCastOp::create(b, loc, type, base, b.getIndexAttr(0), sizes, strides);
}

//===-- Finishing -------------------------------------------------------------------------------------------------===//

/// Buffers that are written overlap no other (HostPlan states it as a fact), so a pointer is noalias where it is the
/// only one of its buffer. Scratch is then distinct from all of them.
void LaunchBody::markDistinctPointers() {
  llvm::StringMap<unsigned> pointers;
  for (const Parameter &parameter : parameters)
    if (parameter.word && parameter.word->kind == PlanArgument::Kind::Pointer)
      ++pointers[parameter.word->name];
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    if (!parameter.word || parameter.word->kind != PlanArgument::Kind::Pointer)
      continue;
    if (pointers[parameter.word->name] == 1)
      body.setArgAttr(number + firstWord, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  }
}

/// What facts say of the words: alignment of pointers in bytes, divisors of numbers.
void LaunchBody::markDivisors() {
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    const std::optional<PlanArgument> &word = parameter.word;
    if (!word || word->kind == PlanArgument::Kind::Scalar || word->kind == PlanArgument::Kind::Map)
      continue;
    bool isPointer = word->kind == PlanArgument::Kind::Pointer;
    int64_t divisor = plan.divisor(word->value);
    if (isPointer) {
      divisor = std::gcd(plan.alignment(word->name), divisor * parameter.elementBytes);
      divisor &= -divisor;
    }
    StringRef name = isPointer ? LLVM::LLVMDialect::getAlignAttrName() : StringRef(kMultipleAttr);
    if (divisor > 1)
      body.setArgAttr(number + firstWord, name, b.getI64IntegerAttr(divisor));
  }
}

void LaunchBody::finishSpan() {
  auto scratch = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  entry->addArgument(scratch, launch.getLoc());
  body.setFunctionType(b.getFunctionType(entry->getArgumentTypes(), {}));
  body.setArgAttr(entry->getNumArguments() - 1, kScratchAttr, b.getUnitAttr());
  writeOuter();
}

/// A map is passed by value, in the space of parameters, where copies read it.
void LaunchBody::markMaps() {
  constexpr int64_t mapBytes = 128, mapAlignment = 64;
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), mapBytes);
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    if (!parameter.word || parameter.word->kind != PlanArgument::Kind::Map)
      continue;
    unsigned argument = number + firstWord;
    body.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
    body.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(mapAlignment));
  }
}

std::vector<PlanArgument> LaunchBody::finish() {
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, launch.getLoc());
  body.setFunctionType(b.getFunctionType(entry->getArgumentTypes(), {}));
  if (programs == Programs::Span)
    finishSpan();
  else
    markDivisors();
  markDistinctPointers();
  markMaps();
  std::vector<PlanArgument> words;
  for (const Parameter &parameter : parameters)
    if (parameter.word)
      words.push_back(*parameter.word);
  return words;
}

/// Word `number` of the array at `pointer`, as the body takes it.
static Value loadWord(OpBuilder &b, Location loc, Value pointer, unsigned number, Type type) {
  Type i64 = b.getI64Type();
  Value address = LLVM::GEPOp::create(b, loc, pointer.getType(), i64, pointer, ArrayRef<LLVM::GEPArg>{int32_t(number)});
  if (!type.isIndex())
    return LLVM::LoadOp::create(b, loc, type, address);
  Value word = LLVM::LoadOp::create(b, loc, i64, address);
  return arith::IndexCastOp::create(b, loc, type, word);
}

void LaunchBody::writeOuter() {
  Location loc = launch.getLoc();
  b.setInsertionPoint(body);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type(), index = b.getIndexType();
  auto outer = func::FuncOp::create(b, loc, symbol, b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  Block *block = outer.addEntryBlock();
  b.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (unsigned bound : {2, 3})
    operands.push_back(arith::IndexCastOp::create(b, loc, index, block->getArgument(bound)));
  unsigned word = 0;
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    Type type = entry->getArgument(number + 2).getType();
    operands.push_back(parameter.word ? loadWord(b, loc, block->getArgument(0), word++, type)
                                      : loadWord(b, loc, block->getArgument(1), parameter.axis, type));
  }
  // The body is compiled before its use of scratch is known, so the memref is as long as any.
  Value base = elementMemRef(b, loc, block->getArgument(4), b.getI8Type());
  Value length = arith::ConstantIndexOp::create(b, loc, std::numeric_limits<int64_t>::max());
  operands.push_back(memref::ReinterpretCastOp::create(b, loc, cast<MemRefType>(entry->getArguments().back().getType()),
                                                       base, b.getIndexAttr(0), ArrayRef<OpFoldResult>{length},
                                                       ArrayRef<OpFoldResult>{b.getIndexAttr(1)}));
  func::CallOp::create(b, loc, body, operands);
  func::ReturnOp::create(b, loc);
}
