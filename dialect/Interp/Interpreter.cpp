// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run from outside to inside: is the call legal (types, facts, asserts), bind the blocks, execute, collect results.

#include "dialect/Interp/Interpreter.h"
#include "dialect/IR/SizeExpr.h"
#include "dialect/Interp/Bindings.h"
#include "dialect/Interp/Machine.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

char RunError::ID;

std::string helion::interp::locationText(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto isFile = [&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn();
    return WalkResult::interrupt();
  };
  if (!loc->walk(isFile).wasInterrupted())
    os << loc;
  return text;
}

static llvm::Error callError(KernelOp kernel, const Twine &text) {
  return llvm::make_error<RunError>(
      RunError::Kind::Call,
      (locationText(kernel.getLoc()) + ": error: kernel `" + kernel.getSymName() + "`: " + text).str());
}

//===-- Arguments ------------------------------------------------------------------------------------------------===//

/// The tensor as the kernel's memory type; bool and i8 are the same bytes.
static llvm::Expected<HostTensor> tensorArgument(KernelOp kernel, StringRef name, HostTensor tensor, MemRefType type) {
  auto error = [&](const Twine &text) { return callError(kernel, "argument `" + name + "` has " + text); };
  std::optional<ElementType> wanted = elementTypeOf(type.getElementType());
  if (!wanted)
    return error("elements that the interpreter cannot hold");
  bool isBoolAsByte = tensor.type == ElementType::Bool && *wanted == ElementType::I8;
  if (tensor.type != *wanted && !isBoolAsByte)
    return error("dtype `" + Twine(elementInfo(tensor.type).name) + "`; `" + elementInfo(*wanted).name + "` is needed");
  if (int64_t(tensor.rank()) != type.getRank())
    return error("rank `" + Twine(tensor.rank()) + "`; `" + Twine(type.getRank()) + "` is needed");
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size) && size != tensor.sizes[dim])
      return error("size `" + Twine(tensor.sizes[dim]) + "` in dim " + Twine(dim) + "; `" + Twine(size) +
                   "` is needed");
  if (llvm::Error outside = tensor.check(name))
    return callError(kernel, llvm::toString(std::move(outside)));
  tensor.type = *wanted;
  return tensor;
}

static llvm::Error bindArgument(Machine &machine, unsigned index, const Argument &argument) {
  KernelOp kernel = machine.kernel;
  StringRef name = kernel.getArgumentName(index);
  Value value = kernel.getBody().getArgument(index);
  if (auto type = dyn_cast<MemRefType>(value.getType())) {
    const auto *tensor = std::get_if<HostTensor>(&argument);
    if (!tensor)
      return callError(kernel, "argument `" + name + "` is a scalar; a tensor is needed");
    llvm::Expected<HostTensor> bound = tensorArgument(kernel, name, *tensor, type);
    if (!bound)
      return bound.takeError();
    if (machine.options.trackWrites)
      bound->storage->written.assign(bound->storage->size() / elementInfo(bound->type).bytes, 0);
    (void)machine.set(value, std::move(*bound));
    return llvm::Error::success();
  }
  if (std::holds_alternative<HostTensor>(argument))
    return callError(kernel, "argument `" + name + "` is a tensor; a scalar is needed");
  if (auto type = dyn_cast<FloatType>(value.getType())) {
    const auto *number = std::get_if<double>(&argument);
    double given = number ? *number : double(std::get<int64_t>(argument));
    (void)machine.setFloats(value, {}, {roundToFormat(given, type.getFloatSemantics())});
    return llvm::Error::success();
  }
  const auto *number = std::get_if<int64_t>(&argument);
  if (!number)
    return callError(kernel, "argument `" + name + "` is a float; an integer is needed");
  (void)machine.setInteger(value, wrapInteger(*number, value.getType()));
  return llvm::Error::success();
}

//===-- Facts and asserts ----------------------------------------------------------------------------------------===//

/// Value of a leaf that speaks of sizes or integer scalars: what a run without addresses and devices can depend on.
static std::optional<int64_t> leafValue(Machine &machine, const Leaf &leaf) {
  if (leaf.kind != Leaf::Kind::Size && leaf.kind != Leaf::Kind::Scalar)
    return std::nullopt;
  KernelOp kernel = machine.kernel;
  for (unsigned i = 0, e = kernel.getBody().getNumArguments(); i != e; ++i) {
    if (kernel.getArgumentName(i) != leaf.name)
      continue;
    const Cell &cell = machine.cell(kernel.getBody().getArgument(i));
    if (const auto *tensor = std::get_if<HostTensor>(&cell))
      return leaf.kind == Leaf::Kind::Size && leaf.index < tensor->rank()
                 ? std::optional<int64_t>(tensor->sizes[leaf.index])
                 : std::nullopt;
    const Lanes &scalar = **std::get_if<LanesRef>(&cell);
    return leaf.kind == Leaf::Kind::Scalar && !scalar.isFloat ? std::optional<int64_t>(scalar.ints[0]) : std::nullopt;
  }
  return std::nullopt;
}

/// Facts about strides, alignment and devices say what generated code relies on; values do not depend on them.
static llvm::Error checkFacts(Machine &machine) {
  for (StringRef text : machine.kernel.getFacts()) {
    llvm::Expected<Pred> fact = Pred::parse(text);
    if (!fact)
      return fact.takeError();
    if (fact->isOverlap())
      continue;
    llvm::Expected<bool> holds =
        fact->evaluate([&](const Leaf &leaf) { return leafValue(machine, leaf); },
                       [](StringRef, StringRef) -> std::optional<Overlap> { return std::nullopt; });
    if (!holds)
      llvm::consumeError(holds.takeError());
    else if (!*holds)
      return callError(machine.kernel, "the fact `" + text + "` does not hold");
  }
  return llvm::Error::success();
}

static void addWithOperands(Operation *op, llvm::SmallPtrSetImpl<Operation *> &needed) {
  if (!op || !needed.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    addWithOperands(operand.getDefiningOp(), needed);
}

/// Runs the asserts and what they are made of before any launch, wherever they stand.
static LogicalResult checkAsserts(Machine &machine) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  for (AssertOp op : machine.kernel.getOps<AssertOp>())
    addWithOperands(op, needed);
  for (Operation &op : machine.kernel.getBody().front())
    if (needed.contains(&op) && failed(machine.runOp(&op)))
      return failure();
  return success();
}

//===-- Run ------------------------------------------------------------------------------------------------------===//

llvm::Expected<RunResult> Interpreter::run(KernelOp kernel, ArrayRef<Argument> arguments, const RunOptions &options) {
  if (arguments.size() != kernel.getBody().getNumArguments())
    return callError(kernel, "`" + Twine(arguments.size()) + "` arguments were given; `" +
                                 Twine(kernel.getBody().getNumArguments()) + "` are needed");
  Machine machine(kernel, options);
  llvm::Expected<Bindings> bindings = bindBlocks(kernel, options.blocks, options.bindingVariant);
  if (!bindings)
    return callError(kernel, llvm::toString(bindings.takeError()));
  machine.blocks = std::move(bindings->blocks);
  machine.growingSlices = std::move(bindings->growingSlices);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (llvm::Error error = bindArgument(machine, index, argument))
      return std::move(error);
  if (llvm::Error error = checkFacts(machine))
    return std::move(error);
  Cells returned;
  if (failed(checkAsserts(machine)) || failed(machine.runBlock(kernel.getBody().front(), returned)))
    return machine.takeError();
  RunResult result;
  for (const Cell &cell : returned)
    result.outputs.push_back(*std::get_if<HostTensor>(&cell));
  result.blocks = machine.blocks;
  return result;
}
