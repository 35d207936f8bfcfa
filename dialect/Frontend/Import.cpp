// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the kernel, binds its parameters to the signature, runs it, and closes the module. Where device code turned
// out to need equal sizes, the import starts again with those asserts known from the begin.
#include "dialect/Frontend/Import.h"

#include "dialect/Frontend/HostTensors.h"
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/KernelDecorator.h"
#include "dialect/Frontend/Lanes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static constexpr unsigned maxRestarts = 64;

namespace {
// What one run of the import needs; the tree and the signature are shared by all runs.
struct ImportRun {
  KernelBuilder k;
  Interpreter interpreter;
  std::vector<NamedAttribute> signature;
  std::map<std::string, PyValue> parameters;
  unsigned operands = 0;

  ImportRun(MLIRContext *context, SourceDiagnostics &diagnostics, const Statements &module)
      : k(context, diagnostics), interpreter(k, module) {}

  void addTensor(llvm::StringRef name, const TensorSpec &spec);
  void addScalar(llvm::StringRef name, const ScalarSpec &spec);
  void addFixed(llvm::StringRef name, const FixedSpec &spec);
  void addDefault(llvm::StringRef name, const PyValue &value);
  LogicalResult bind(const Function &function, ArrayRef<ArgumentSpec> specs);
  LogicalResult finish(const Function &function, const PyValue &returned);
  LogicalResult run(std::shared_ptr<Function> function, ArrayRef<ArgumentSpec> specs, ArrayRef<Equality> equalities);
};
} // namespace

//===-- Parameters -----------------------------------------------------------------------------------------------===//

void ImportRun::addTensor(llvm::StringRef name, const TensorSpec &spec) {
  auto tensor = std::make_shared<HostTensor>();
  SmallVector<int64_t> extents;
  unsigned rank = spec.sizes.size();
  signature.push_back(
      {k.b.getStringAttr(name), k.b.getStringAttr(dtypeText(spec.dtype) + "[" + llvm::Twine(rank) + "]")});
  for (auto [dim, size] : llvm::enumerate(spec.sizes)) {
    SizeExpr expr = SizeExpr::size(name, dim);
    extents.push_back(size.value_or(ShapedType::kDynamic));
    tensor->sizes.push_back(size ? SizeExpr::constant(*size) : expr);
    if (!size)
      continue;
    k.kernel.addFact(Pred::compare(Pred::Compare::EQ, expr, SizeExpr::constant(*size)).str());
    signature.push_back({k.b.getStringAttr(expr.str()), k.b.getIndexAttr(*size)});
  }
  auto layout =
      StridedLayoutAttr::get(k.context(), ShapedType::kDynamic, SmallVector<int64_t>(rank, ShapedType::kDynamic));
  tensor->memref = k.addArgument(name, MemRefType::get(extents, storageType(spec.dtype, k.context()), layout));
  tensor->name = k.uniqueTensorName(name);
  tensor->dtype = spec.dtype;
  tensor->argument = operands++;
  k.addTensorArgument(name, tensor->memref);
  parameters[name.str()] = tensor;
}

void ImportRun::addScalar(llvm::StringRef name, const ScalarSpec &spec) {
  Type type = laneType(spec.dtype, k.context());
  signature.push_back({k.b.getStringAttr(name), TypeAttr::get(type)});
  Value value = k.addArgument(name, type);
  ++operands;
  if (categoryOf(spec.dtype) == DTypeCategory::Integer) {
    k.addScalarSize(name, value);
    parameters[name.str()] = Size{SizeExpr::scalar(name)};
  } else {
    parameters[name.str()] = Scalar{spec.dtype, {}, [value] { return value; }};
  }
}

void ImportRun::addFixed(llvm::StringRef name, const FixedSpec &spec) {
  Attribute attr;
  if (const bool *truth = std::get_if<bool>(&spec))
    attr = k.b.getBoolAttr(*truth);
  else if (const int64_t *integer = std::get_if<int64_t>(&spec))
    attr = k.b.getIndexAttr(*integer);
  else if (const double *number = std::get_if<double>(&spec))
    attr = k.b.getF64FloatAttr(*number);
  else
    attr = k.b.getStringAttr("'" + std::get<std::string>(spec) + "'");
  signature.push_back({k.b.getStringAttr(name), attr});
  parameters[name.str()] = std::visit([](const auto &value) { return PyValue(value); }, spec);
}

// Defaults of the source are fixed values of the signature; functions are part of the kernel's text.
void ImportRun::addDefault(llvm::StringRef name, const PyValue &value) {
  if (const bool *truth = value.get<bool>())
    addFixed(name, *truth);
  else if (const int64_t *integer = value.get<int64_t>())
    addFixed(name, *integer);
  else if (const double *number = value.get<double>())
    addFixed(name, *number);
  else if (const std::string *text = value.get<std::string>())
    addFixed(name, *text);
  else if (value.isNone())
    signature.push_back({k.b.getStringAttr(name), k.b.getUnitAttr()});
}

LogicalResult ImportRun::bind(const Function &function, ArrayRef<ArgumentSpec> specs) {
  if (!function.unsupportedParameter.empty()) {
    k.at = function.at;
    return k.fail("kernel `" + function.name + "` has parameter `" + function.unsupportedParameter +
                  "`, which is not supported");
  }
  for (const Parameter &parameter : function.parameters) {
    k.at = parameter.at;
    auto spec = llvm::find_if(specs, [&](const ArgumentSpec &s) { return s.name == parameter.name; });
    bool isConstexpr = parameter.annotation && interpreter.libraryPath(*parameter.annotation) == "hl.constexpr";
    if (spec == specs.end() && !parameter.defaultValue)
      return k.fail("parameter `" + parameter.name + "` has no value; add it to --args, as in `" + parameter.name +
                    "=bf16[?,?]`, `" + parameter.name + "=f32` or `" + parameter.name + "=none`");
    if (spec == specs.end())
      continue;
    if (isConstexpr && !std::holds_alternative<FixedSpec>(spec->value) &&
        !std::holds_alternative<NoneSpec>(spec->value))
      return k.fail("parameter `" + parameter.name + "` is a constexpr; give its value in --args, as in `" +
                    parameter.name + "=64`");
    if (const TensorSpec *tensor = std::get_if<TensorSpec>(&spec->value)) {
      addTensor(parameter.name, *tensor);
    } else if (const ScalarSpec *scalar = std::get_if<ScalarSpec>(&spec->value)) {
      addScalar(parameter.name, *scalar);
    } else if (const FixedSpec *fixed = std::get_if<FixedSpec>(&spec->value)) {
      addFixed(parameter.name, *fixed);
    } else {
      signature.push_back({k.b.getStringAttr(parameter.name), k.b.getUnitAttr()});
      parameters[parameter.name] = NoneWord{};
    }
  }
  return success();
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static LogicalResult flattenResults(KernelBuilder &k, const PyValue &value, std::vector<PyValue> &into) {
  if (const Sequence *sequence = value.get<Sequence>()) {
    for (const PyValue &item : *sequence->items)
      if (failed(flattenResults(k, item, into)))
        return failure();
    return success();
  }
  if (value.isNone())
    return success();
  if (!value.is<HostTensorPtr>() && !value.is<HostExpressionPtr>())
    return k.fail("the kernel returns " + value.describe() + "; host tensors are returned");
  into.push_back(value);
  return success();
}

// Allocations that are not returned are workspace.
static void markWorkspace(KernelOp kernel, ValueRange results) {
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<EmptyOp, FullOp>(op) || llvm::is_contained(results, op.getResult(0)))
      continue;
    if (auto empty = dyn_cast<EmptyOp>(op))
      empty.setWorkspace(true);
    else
      cast<FullOp>(op).setWorkspace(true);
  }
}

LogicalResult ImportRun::finish(const Function &function, const PyValue &returned) {
  std::vector<PyValue> values;
  SmallVector<Value> results;
  k.at = function.at;
  if (k.kernel.getBody().front().getOps<LaunchOp>().empty())
    return k.fail("kernel `" + function.name + "` has no tile loop; write `for tile in hl.tile(..)`");
  if (failed(flattenResults(k, returned, values)))
    return failure();
  for (const PyValue &value : values) {
    Result tensor = interpreter.materializeHost(value);
    FailureOr<HostTensorPtr> out =
        failed(tensor) ? FailureOr<HostTensorPtr>(failure()) : returnedTensor(k, *tensor->get<HostTensorPtr>());
    if (failed(out))
      return failure();
    if (llvm::any_of((*out)->sizes, [&](const SizeExpr &size) { return k.mentionsBlock(size); }))
      return k.fail("the size of result `" + (*out)->name +
                    "` depends on a block size, which the caller does not know");
    results.push_back((*out)->memref);
  }
  k.finish(results);
  markWorkspace(k.kernel, results);
  SmallVector<Attribute> parameters; // The dictionary is sorted, a call is not; fixed sizes are no parameters.
  for (NamedAttribute entry : signature)
    if (!entry.getName().getValue().contains('.'))
      parameters.push_back(entry.getName());
  k.kernel->setAttr(kParametersAttr, k.b.getArrayAttr(parameters));
  k.kernel->setAttr(kSignatureAttr, k.b.getDictionaryAttr(signature));
  if (k.settings.fastMath)
    k.kernel->setAttr("helion.fast_math", k.b.getUnitAttr());
  return success();
}

LogicalResult ImportRun::run(std::shared_ptr<Function> function, ArrayRef<ArgumentSpec> specs,
                             ArrayRef<Equality> equalities) {
  k.at = function->at;
  if (failed(readSettings(interpreter, *function)))
    return failure();
  k.begin(function->name);
  if (failed(bind(*function, specs)))
    return failure();
  k.at = function->at;
  for (const Equality &equality : equalities)
    k.assertThat(Pred::compare(Pred::Compare::EQ, equality.lhs, equality.rhs));
  for (const Parameter &parameter : function->parameters) {
    if (parameters.count(parameter.name))
      continue;
    Result value = interpreter.evaluateInModule(*parameter.defaultValue);
    if (failed(value))
      return failure();
    parameters[parameter.name] = *value;
    addDefault(parameter.name, *value);
  }
  Result returned = interpreter.runKernel(function, parameters);
  return failed(returned) ? failure() : finish(*function, *returned);
}

//===-- The import -----------------------------------------------------------------------------------------------===//

static bool checkNames(const Function &function, ArrayRef<ArgumentSpec> specs, SourceDiagnostics &diagnostics) {
  for (const ArgumentSpec &spec : specs) {
    if (llvm::any_of(function.parameters, [&](const Parameter &p) { return p.name == spec.name; }))
      continue;
    std::string known;
    for (const Parameter &parameter : function.parameters)
      known += (known.empty() ? "`" : ", `") + parameter.name + "`";
    diagnostics.error(spec.at, "kernel `" + function.name + "` has no parameter `" + spec.name + "`; it has " + known);
    return false;
  }
  return true;
}

static std::optional<SourceDiagnostics> openSource(const std::string &path, llvm::raw_ostream &errors) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (buffer)
    return SourceDiagnostics(path, (*buffer)->getBuffer().str(), errors);
  errors << path << ": error: cannot read the file: " << buffer.getError().message() << "\n";
  return std::nullopt;
}

OwningOpRef<ModuleOp> helion::frontend::importHelion(MLIRContext *context, const ImportRequest &request,
                                                     llvm::raw_ostream &errors) {
  context->loadDialect<HelionDialect, arith::ArithDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect>();
  std::optional<SourceDiagnostics> source = openSource(request.path, errors);
  std::optional<Statements> module = source ? parsePython(*source) : std::nullopt;
  if (!module)
    return {};
  SourceDiagnostics argumentText("--args", request.arguments, errors);
  auto specs = parseSignature(request.arguments, argumentText);
  std::shared_ptr<Function> function = specs ? chooseKernel(context, *source, *module, request.kernel) : nullptr;
  if (!function || !checkNames(*function, *specs, argumentText))
    return {};
  std::vector<Equality> equalities;
  for (unsigned i = 0; i < maxRestarts; ++i) {
    ImportRun run(context, *source, *module);
    LogicalResult imported = run.run(function, *specs, equalities);
    OwningOpRef<ModuleOp> result(run.k.module);
    if (succeeded(imported))
      return succeeded(verify(*result)) ? std::move(result) : OwningOpRef<ModuleOp>();
    if (!run.k.required) {
      if (request.missingSize)
        *request.missingSize = run.k.missingSize;
      return {};
    }
    equalities.push_back(*run.k.required);
  }
  source->error(function->at, "the sizes of kernel `" + function->name + "` could not be made equal");
  return {};
}

std::optional<std::vector<KernelSummary>> helion::frontend::listKernels(const std::string &path,
                                                                        llvm::raw_ostream &errors) {
  std::optional<SourceDiagnostics> source = openSource(path, errors);
  std::optional<Statements> module = source ? parsePython(*source) : std::nullopt;
  if (!module)
    return std::nullopt;
  MLIRContext context;
  std::vector<KernelSummary> out;
  for (const std::shared_ptr<Function> &function : kernelsOf(&context, *source, *module)) {
    KernelSummary summary{function->name, {}, function->at.line, function->at.column + 1};
    for (const Parameter &parameter : function->parameters)
      summary.parameters.push_back(parameter.name);
    out.push_back(std::move(summary));
  }
  return out;
}
