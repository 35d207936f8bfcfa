// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and verifiers of the host part (KernelOps.td).

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

//===-- Kernel ---------------------------------------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

StringRef KernelOp::getArgumentName(unsigned index) {
  return cast<StringAttr>(getArgAttr(index, kNameAttr)).getValue();
}

SmallVector<StringRef> KernelOp::getFacts() {
  SmallVector<StringRef> facts;
  if (auto array = (*this)->getAttrOfType<ArrayAttr>(kFactsAttr))
    for (auto pred : array.getAsRange<PredAttr>())
      facts.push_back(pred.getText());
  return facts;
}

void KernelOp::addFact(StringRef predicate) {
  SmallVector<StringRef> facts = getFacts();
  if (llvm::is_contained(facts, predicate))
    return;
  facts.push_back(predicate);
  llvm::sort(facts);
  SmallVector<Attribute> attrs;
  for (StringRef fact : facts)
    attrs.push_back(PredAttr::get(getContext(), fact));
  (*this)->setAttr(kFactsAttr, ArrayAttr::get(getContext(), attrs));
}

static LogicalResult verifyArgument(KernelOp kernel, unsigned index, llvm::StringSet<> &names) {
  auto name = dyn_cast_or_null<StringAttr>(kernel.getArgAttr(index, kNameAttr));
  if (!name)
    return kernel.emitOpError() << "argument " << index << " has no `helion.name`";
  if (!names.insert(name.getValue()).second)
    return kernel.emitOpError() << "two arguments are named `" << name.getValue() << "`";
  Type type = kernel.getArgumentTypes()[index];
  if (!isa<MemRefType, IntegerType, IndexType, FloatType>(type))
    return kernel.emitOpError() << "argument `" << name.getValue() << "` has type " << type
                                << "; a host tensor (memref) or a scalar is needed";
  return success();
}

LogicalResult KernelOp::verify() {
  if (auto facts = (*this)->getAttr(kFactsAttr)) {
    auto array = dyn_cast<ArrayAttr>(facts);
    if (!array || !llvm::all_of(array, llvm::IsaPred<PredAttr>))
      return emitOpError() << "`helion.facts` is not an array of `#helion.pred`";
  }
  llvm::StringSet<> names;
  for (unsigned i = 0, e = getArgumentTypes().size(); i != e; ++i)
    if (failed(verifyArgument(*this, i, names)))
      return failure();
  if (!isa<ReturnOp>(getBody().front().back()))
    return emitOpError() << "does not end with `helion.return`";
  return success();
}

LogicalResult ReturnOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (!llvm::equal(kernel.getResultTypes(), getOperandTypes()))
    return emitOpError() << "returns (" << getOperandTypes() << "), but the kernel's results are ("
                         << TypeRange(kernel.getResultTypes()) << ")";
  return success();
}

//===-- Blocks, allocation, launch -------------------------------------------------------------------------------===//

LogicalResult BlockOp::verify() {
  if ((getKind() == BlockKind::Fixed) != getValue().has_value())
    return emitOpError() << (getValue() ? "has a value, but is not `fixed`" : "is `fixed`, but has no value");
  for (std::optional<uint64_t> bound : {getMin(), getMultiple(), getValue()})
    if (bound && static_cast<int64_t>(*bound) < 1)
      return emitOpError() << "bound `" << int64_t(*bound) << "` is below 1";
  if (auto max = dyn_cast_or_null<FlatSymbolRefAttr>(getMaxAttr());
      max && !(*this)->getParentOfType<KernelOp>().lookupSymbol<BlockOp>(max.getAttr()))
    return emitOpError() << "`max` names `" << max.getValue() << "`, which is no block of this kernel";
  return success();
}

static LogicalResult verifyAllocation(Operation *op, MemRefType type, OperandRange sizes) {
  if (!type.getLayout().isIdentity())
    return op->emitOpError() << "result type " << type << " is not contiguous";
  if (type.getNumDynamicDims() != sizes.size())
    return op->emitOpError() << "has " << sizes.size() << " sizes for " << type.getNumDynamicDims()
                             << " dynamic dims of " << type;
  return success();
}

LogicalResult EmptyOp::verify() { return verifyAllocation(*this, cast<MemRefType>(getResult().getType()), getSizes()); }

LogicalResult FullOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (type.getElementType() != getValue().getType())
    return emitOpError() << "fills " << type << " with a value of type " << getValue().getType();
  return verifyAllocation(*this, type, getSizes());
}

LogicalResult LaunchOp::verify() {
  if (getGrid().size() > 3)
    return emitOpError() << "has a grid of " << getGrid().size() << " sizes; at most 3 are possible";
  return success();
}
