// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the host part op by op, in order: what is an expression goes into the plan, what is none is an error on its op.

#include "codegen/Common/HostPlan.h"
#include "codegen/Common/Passes.h"
#include "mlir/IR/Matchers.h"
#include "passes/Analysis/KernelHash.h"
#include "passes/Analysis/WideAccess.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

/// Of every buffer of the workspace, in bytes: what callers are asked for (docs/design/0002).
static constexpr int64_t kWorkspaceAlignment = 64;

std::optional<Dtype> helion::dtypeOf(Type type) {
  if (type.isIndex())
    return Dtype::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return Dtype::Bool;
    return parseDtype((integer.isUnsigned() ? "ui" : "i") + std::to_string(integer.getWidth()));
  }
  return llvm::TypeSwitch<Type, std::optional<Dtype>>(type)
      .Case<Float32Type>([](Type) { return Dtype::F32; })
      .Case<Float16Type>([](Type) { return Dtype::F16; })
      .Case<BFloat16Type>([](Type) { return Dtype::BF16; })
      .Case<Float64Type>([](Type) { return Dtype::F64; })
      .Case<Float8E4M3FNType>([](Type) { return Dtype::F8E4M3; })
      .Case<Float8E5M2Type>([](Type) { return Dtype::F8E5M2; })
      .Default([](Type) { return std::nullopt; });
}

static SizeExpr productOf(ArrayRef<SizeExpr> sizes) {
  SizeExpr product = SizeExpr::constant(1);
  for (const SizeExpr &size : sizes)
    product = SizeExpr::mul(product, size);
  return product;
}

LogicalResult HostPlan::build(llvm::function_ref<LogicalResult(LaunchOp)> addLaunch) {
  manifest.kernel = kernel.getSymName().str();
  manifest.kernelHash = kernelHash(kernel);
  Block &body = kernel.getBody().front();
  // Facts come before what they simplify, outputs before facts on them.
  for (Value output : body.getTerminator()->getOperands())
    if (FailureOr<HostView> window = exprs.view(output); succeeded(window))
      outputNames.insert(window->buffer);
  if (failed(addParameters()) || failed(addFacts()))
    return failure();
  if (failed(addOutputs(cast<ReturnOp>(body.getTerminator()))) || failed(addWorkspace()))
    return failure();
  for (Operation &op : body.without_terminator())
    if (failed(addStep(op, addLaunch)))
      return failure();
  llvm::sort(manifest.facts, [](const Pred &a, const Pred &b) { return a.str() < b.str(); });
  if (llvm::Error error = manifest.verify())
    return kernel.emitOpError() << "has a launch plan that nobody can run: " << llvm::toString(std::move(error));
  return success();
}

LogicalResult HostPlan::addStep(Operation &op, llvm::function_ref<LogicalResult(LaunchOp)> addLaunch) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<AssertOp>([&](AssertOp check) { return addCheck(check); })
      .Case<FullOp>([&](FullOp full) { return addFill(full); })
      .Case<LaunchOp>([&](LaunchOp launch) { return addLaunch(launch); })
      .Case<BlockOp, EmptyOp>([](Operation *) { return success(); })
      .Default([](Operation *other) {
        if (isMemoryEffectFree(other))
          return success();
        return LogicalResult(other->emitError()
                             << "`" << other->getName() << "` has no step in a launch plan; the host "
                             << "part may hold sizes, views, allocations, asserts and launches");
      });
}

//===-- Parameters and facts --------------------------------------------------------------------------------------===//

/// The names of all parameters; those that the signature fixes have no operand.
static SmallVector<StringRef> parameterNames(KernelOp kernel) {
  SmallVector<StringRef> names;
  if (auto order = kernel->getAttrOfType<ArrayAttr>(kParametersAttr)) {
    for (auto name : order.getAsRange<StringAttr>())
      names.push_back(name.getValue());
    return names;
  }
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i)
    names.push_back(kernel.getArgumentName(i));
  if (auto signature = kernel->getAttrOfType<DictionaryAttr>(kSignatureAttr))
    for (NamedAttribute entry : signature)
      if (!llvm::is_contained(names, entry.getName().getValue()) && !entry.getName().getValue().contains('.'))
        names.push_back(entry.getName().getValue());
  return names;
}

LogicalResult HostPlan::addParameters() {
  for (StringRef name : parameterNames(kernel))
    if (failed(addParameter(name)))
      return failure();
  return success();
}

/// The dtype that the signature states: the IR stores bool as i8.
static std::optional<Dtype> statedDtype(Attribute entry) {
  auto text = dyn_cast_or_null<StringAttr>(entry);
  return text ? parseDtype(text.getValue().split('[').first) : std::nullopt;
}

static LogicalResult setFixed(Argument &argument, Attribute entry) {
  argument.kind = Argument::Kind::Fixed;
  auto typed = dyn_cast_or_null<TypedAttr>(entry);
  if (!typed || !dtypeOf(typed.getType()))
    return failure();
  argument.dtype = *dtypeOf(typed.getType());
  argument.value.dtype = argument.dtype;
  if (auto integer = dyn_cast<IntegerAttr>(entry)) {
    argument.value.integer =
        integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
    return success();
  }
  auto real = dyn_cast<FloatAttr>(entry);
  if (real)
    argument.value.real = real.getValueAsDouble();
  return success(real != nullptr);
}

LogicalResult HostPlan::addParameter(StringRef name) {
  auto signature = kernel->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  Attribute entry = signature ? signature.get(name) : Attribute();
  Argument argument;
  argument.name = name.str();
  auto add = [&] {
    manifest.arguments.push_back(argument);
    return success();
  };
  for (BlockArgument operand : kernel.getBody().getArguments()) {
    if (kernel.getArgumentName(operand.getArgNumber()) != name)
      continue;
    auto memref = dyn_cast<MemRefType>(operand.getType());
    argument.kind = memref ? Argument::Kind::Tensor : Argument::Kind::Scalar;
    std::optional<Dtype> dtype = statedDtype(entry);
    if (!dtype)
      dtype = dtypeOf(memref ? memref.getElementType() : operand.getType());
    if (!dtype)
      return kernel.emitOpError() << "argument `" << name << "` has type " << operand.getType()
                                  << ", which no manifest can name; known are " << listOfDtypes();
    argument.dtype = *dtype;
    argument.rank = memref ? memref.getRank() : 0;
    argument.writes = memref && kernel.getArgAttr(operand.getArgNumber(), kWritesAttr);
    return add();
  }
  auto type = dyn_cast_or_null<TypeAttr>(entry);
  if (isa_and_nonnull<UnitAttr>(entry) || (type && isa<NoneType>(type.getValue()))) {
    argument.kind = Argument::Kind::None;
    return add();
  }
  if (failed(setFixed(argument, entry)))
    return kernel.emitOpError() << "parameter `" << name
                                << "` is no operand, and the signature fixes it neither to none "
                                << "nor to a number";
  return add();
}

/// Static sizes and strides of an argument's type are conditions on the call.
void HostPlan::addTypeFacts(BlockArgument argument) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return;
  StringRef name = kernel.getArgumentName(argument.getArgNumber());
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      addFact(Pred::compare(Pred::Compare::EQ, SizeExpr::size(name, dim), SizeExpr::constant(type.getDimSize(dim))));
    if (!ShapedType::isDynamic(strides[dim]))
      addFact(Pred::compare(Pred::Compare::EQ, SizeExpr::stride(name, dim), SizeExpr::constant(strides[dim])));
  }
}

void HostPlan::addFact(const Pred &fact) {
  if (fact.fold() == true || llvm::is_contained(manifest.facts, fact))
    return;
  manifest.facts.push_back(fact);
  if (!fact.isOverlap() && fact.op() == Pred::Compare::EQ && fact.lhs().kind() == SizeExpr::Kind::Leaf)
    if (std::optional<int64_t> value = fact.rhs().asConstant())
      fixedLeaves.emplace_back(fact.lhs().leaf(), *value);
}

/// Code moves loads and stores past each other: an argument that the kernel writes shares no memory with another.
void HostPlan::addOverlapFacts() {
  for (const Argument &written : manifest.arguments)
    for (const Argument &other : manifest.arguments)
      if (written.writes && other.kind == Argument::Kind::Tensor && other.name != written.name)
        addFact(Pred::overlap(written.name, other.name, Overlap::None));
}

LogicalResult HostPlan::addFacts() {
  for (BlockArgument argument : kernel.getBody().getArguments())
    addTypeFacts(argument);
  addOverlapFacts();
  for (StringRef text : kernel.getFacts()) {
    llvm::Expected<Pred> fact = Pred::parse(text);
    if (!fact)
      return kernel.emitOpError() << "fact `" << text << "`: " << llvm::toString(fact.takeError());
    FailureOr<Pred> onArguments = factOnArguments(*fact);
    if (failed(onArguments))
      return failure();
    addFact(*onArguments);
  }
  return success();
}

/// Facts may name allocations; manifests know arguments, and the addresses of outputs. The workspace's are aligned.
FailureOr<Pred> HostPlan::factOnArguments(const Pred &fact) {
  llvm::StringMap<HostView> allocations;
  for (Operation &op : kernel.getBody().front())
    if (isa<EmptyOp, FullOp>(op))
      if (FailureOr<HostView> view = exprs.view(op.getResult(0)); succeeded(view))
        allocations.try_emplace(view->buffer, *view);
  return fact.substitute([&](const Leaf &leaf) -> std::optional<SizeExpr> {
    auto found = allocations.find(leaf.name);
    if (found == allocations.end())
      return std::nullopt;
    if (leaf.kind == Leaf::Kind::Align && !outputNames.contains(leaf.name))
      return SizeExpr::constant(kWorkspaceAlignment);
    if (leaf.kind == Leaf::Kind::Size && leaf.index < found->second.sizes.size())
      return found->second.sizes[leaf.index];
    if (leaf.kind == Leaf::Kind::Stride && leaf.index < found->second.strides.size())
      return found->second.strides[leaf.index];
    return std::nullopt;
  });
}

SizeExpr HostPlan::specialise(const SizeExpr &expr) const {
  return expr.substitute([&](const Leaf &leaf) -> std::optional<SizeExpr> {
    for (const auto &[known, value] : fixedLeaves)
      if (known == leaf)
        return SizeExpr::constant(value);
    return std::nullopt;
  });
}

int64_t HostPlan::divisor(const SizeExpr &expr) const { return divisorOf(expr, manifest.facts); }

int64_t HostPlan::alignment(StringRef buffer) const {
  if (!manifest.findArgument(buffer) && !outputNames.contains(buffer))
    return kWorkspaceAlignment;
  int64_t divisor = this->divisor(SizeExpr::align(buffer));
  return divisor & -divisor;
}

//===-- Values ----------------------------------------------------------------------------------------------------===//

FailureOr<SizeExpr> HostPlan::expr(Value value, Operation *op, const Twine &what) {
  if (std::optional<SizeExpr> result = exprs.expr(value))
    return specialise(*result);
  InFlightDiagnostic diagnostic = op->emitOpError() << what << " is no expression over sizes, strides and integer "
                                                    << "arguments, which is all that a launch plan can hold";
  if (Operation *source = value.getDefiningOp())
    diagnostic.attachNote(source->getLoc()) << "computed here";
  return diagnostic;
}

FailureOr<HostView> HostPlan::view(Value memref, Operation *op) {
  FailureOr<HostView> view = exprs.view(memref);
  if (failed(view))
    return op->emitOpError() << "uses a host tensor of type " << memref.getType()
                             << " that is no strided view of one argument or allocation";
  for (const Pred &need : view->needs)
    addFact(need);
  view->offset = specialise(view->offset);
  for (unsigned dim = 0; dim < view->sizes.size(); ++dim) {
    view->sizes[dim] = specialise(view->sizes[dim]);
    view->strides[dim] = specialise(view->strides[dim]);
  }
  return view;
}

//===-- Buffers and steps -----------------------------------------------------------------------------------------===//

bool HostPlan::isOutput(StringRef buffer) const {
  return llvm::any_of(manifest.plan.outputs, [&](const PlanOutput &output) { return output.name == buffer; });
}

LogicalResult HostPlan::addOutputs(ReturnOp op) {
  for (Value operand : op.getOperands()) {
    FailureOr<HostView> window = view(operand, op);
    if (failed(window))
      return failure();
    if (isa<BlockArgument>(window->base) || isOutput(window->buffer))
      return op.emitOpError() << "returns `" << window->buffer << "`, which "
                              << (isOutput(window->buffer) ? "it returns already" : "is an argument")
                              << "; each result must be an allocation of its own";
    SizeExpr stride = SizeExpr::constant(1);
    bool contiguous = window->offset.isConstant(0);
    for (unsigned dim = window->sizes.size(); dim-- > 0;) {
      contiguous &= window->strides[dim] == stride || window->sizes[dim].isConstant(1);
      stride = SizeExpr::mul(window->sizes[dim], stride);
    }
    std::optional<Dtype> dtype = dtypeOf(cast<MemRefType>(operand.getType()).getElementType());
    if (!contiguous || !dtype)
      return op.emitOpError() << "returns a " << operand.getType() << " view of `" << window->buffer
                              << "`; results are contiguous and have one of the types " << listOfDtypes();
    manifest.plan.outputs.push_back(
        {window->buffer, *dtype, std::vector<SizeExpr>(window->sizes.begin(), window->sizes.end())});
  }
  return success();
}

LogicalResult HostPlan::addWorkspace() {
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<EmptyOp, FullOp>(op) || isOutput(hostBufferName(op.getResult(0))))
      continue;
    FailureOr<HostView> window = view(op.getResult(0), &op);
    std::optional<Dtype> dtype = dtypeOf(cast<MemRefType>(op.getResult(0).getType()).getElementType());
    if (failed(window))
      return failure();
    if (!dtype)
      return op.emitOpError() << "allocates " << op.getResult(0).getType() << "; known types are " << listOfDtypes();
    manifest.plan.workspace.push_back({window->buffer, *dtype, productOf(window->sizes)});
  }
  return success();
}

LogicalResult HostPlan::addCheck(AssertOp op) {
  std::vector<Pred> parts;
  if (!exprs.preds(op.getCondition(), parts))
    return op.emitOpError() << "condition is no conjunction of comparisons of sizes, strides and integer arguments, "
                            << "which is all that a launch plan can check";
  for (const Pred &part : parts)
    if (part.fold() != true)
      manifest.plan.checks.push_back({part, op.getMessage().str()});
  return success();
}

LogicalResult HostPlan::addFill(FullOp op) {
  FailureOr<HostView> window = view(op.getResult(), op);
  std::optional<Dtype> dtype = dtypeOf(op.getValue().getType());
  Attribute value;
  if (failed(window))
    return failure();
  if (!dtype || !matchPattern(op.getValue(), m_Constant(&value)))
    return op.emitOpError() << "fills `" << window->buffer << "` with a value that is no constant";
  Scalar scalar;
  scalar.dtype = *dtype;
  if (auto real = dyn_cast<FloatAttr>(value))
    scalar.real = real.getValueAsDouble();
  else
    scalar.integer = cast<IntegerAttr>(value).getValue().getSExtValue();
  manifest.plan.steps.push_back(PlanFill{window->buffer, productOf(window->sizes), scalar});
  return success();
}
