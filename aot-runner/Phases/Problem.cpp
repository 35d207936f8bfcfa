// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel file and corpora to signatures with rows.
#include "aot-runner/Phases/Problem.h"

#include "aot-runner/Journal/DurableFile.h"
#include "aot-runner/Phases/Preflight.h"
#include "aot-runner/Search/IsolatedCompile.h"
#include "codegen/Driver/Registration.h"
#include "dialect/Frontend/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace helion;
using namespace helion::aot;

static std::string tensorText(llvm::StringRef name, const RowArg &arg, llvm::ArrayRef<std::string> specialize) {
  std::vector<std::string> sizes;
  for (auto [dim, size] : llvm::enumerate(arg.shape))
    sizes.push_back(llvm::is_contained(specialize, SizeExpr::size(name, dim).str()) ? std::to_string(size) : "?");
  return dtypeName(arg.dtype).str() + "[" + llvm::join(sizes, ",") + "]";
}

static std::string argumentText(llvm::StringRef name, const RowArg &arg, llvm::ArrayRef<std::string> specialize) {
  switch (arg.kind) {
  case RowArg::Kind::None:
    return "none";
  case RowArg::Kind::Number:
    if (isFloat(arg.number.dtype))
      return "f32"; // Python's floats reach kernels as f32.
    return canonicalJson(arg.number.json());
  case RowArg::Kind::Tensor:
    return tensorText(name, arg, specialize);
  }
  llvm_unreachable("all kinds of arguments are handled");
}

std::string helion::aot::signatureOf(const Row &row, llvm::ArrayRef<std::string> specialize) {
  std::vector<std::string> words;
  for (auto &[name, arg] : row.args)
    words.push_back(name + "=" + argumentText(name, arg, specialize));
  return llvm::join(words, " ");
}

static bool isPython(const Options &options) { return llvm::sys::path::extension(options.kernelFile) == ".py"; }

/// Messages of the importer begin with their place; the driver adds `error: ` where it is missing.
static llvm::Error textError(llvm::StringRef text) { return llvm::createStringError(text.trim()); }

/// Reads a file that nobody has seen in a child first: parsers take a stack frame for each level of nesting, and a file
/// may have more of them than there is stack.
static llvm::Error rehearse(const Options &options, llvm::function_ref<void()> read) {
  constexpr double kSeconds = 120; // Python starts, at least.
  std::string message;
  auto work = [&](size_t) { return read(), std::string(); };
  auto finished = [&](size_t, ChildOutcome outcome) {
    message = outcome.message;
    return llvm::Error::success();
  };
  if (llvm::Error error =
          runInChildren(1, {1, kSeconds, "", options.compileMebibytes}, work, [] { return true; }, finished))
    return error;
  if (message.empty())
    return llvm::Error::success();
  return llvm::createStringError(options.kernelFile + ":1:1: the program that reads the file " + message);
}

/// The kernel's text in form K. `missingSize` gets a size that the source wants fixed.
static llvm::Expected<std::string> kernelText(const Options &options, llvm::StringRef kernel, llvm::StringRef signature,
                                              std::string *missingSize = nullptr) {
  if (!isPython(options))
    return readWholeFile(options.kernelFile);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string errors, text;
  llvm::raw_string_ostream errorStream(errors), textStream(text);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      frontend::importHelion(&context, {options.kernelFile, kernel.str(), signature.str(), missingSize}, errorStream);
  if (!module)
    return textError(errors);
  module->print(textStream);
  return text;
}

llvm::Expected<SignatureProblem> helion::aot::loadSignature(const Options &options, llvm::StringRef kernel,
                                                            llvm::StringRef signature) {
  if (llvm::Error error = rehearse(options, [&] {
        if (llvm::Expected<std::string> text = kernelText(options, kernel, signature))
          llvm::consumeError(SearchKernel::make(*text, options.kernelFile, *options.device).takeError());
        else
          llvm::consumeError(text.takeError());
      }))
    return std::move(error);
  llvm::Expected<std::string> text = kernelText(options, kernel, signature);
  if (!text)
    return text.takeError();
  llvm::Expected<SearchKernel> search = SearchKernel::make(std::move(*text), options.kernelFile, *options.device);
  if (!search)
    return search.takeError();
  llvm::Expected<helion::Artifact> artifact =
      compileIsolated(*search, search->universalConfig(), {1, options.compileSeconds, "", options.compileMebibytes});
  if (!artifact)
    return llvm::createStringError(options.kernelFile + ": the universal config of `" + kernel +
                                   "` does not compile: " + llvm::toString(artifact.takeError()));
  return SignatureProblem{signature.str(), std::move(*search), std::move(*artifact), {}};
}

Binding helion::aot::deviceBinding(const Row &row, int64_t cores) {
  Binding binding = row.binding();
  binding.device = {{"cores", cores}, {"sms", cores}};
  return binding;
}

static llvm::Error checkRow(const Row &row, const Manifest &manifest) {
  for (auto &[name, arg] : row.args)
    if (!manifest.findArgument(name))
      return llvm::createStringError(row.place + ": kernel `" + manifest.kernel + "` has no argument `" + name + "`");
  llvm::Expected<ResolvedPlan> plan = resolve(manifest, deviceBinding(row, /*cores=*/1));
  if (!plan)
    return llvm::createStringError(row.place + ": " + llvm::toString(plan.takeError()));
  return checkInputs(row, *plan);
}

/// The name of the kernel in the file; with several, the user must say which.
static llvm::Expected<std::string> kernelName(const Options &options) {
  llvm::Expected<std::string> bytes = readWholeFile(options.kernelFile);
  if (!bytes)
    return bytes.takeError();
  if (!isPython(options)) {
    if (llvm::Error error = rehearse(options, [&] {
          llvm::consumeError(SearchKernel::make(*bytes, options.kernelFile, *options.device).takeError());
        }))
      return std::move(error);
    llvm::Expected<SearchKernel> kernel = SearchKernel::make(std::move(*bytes), options.kernelFile, *options.device);
    if (!kernel)
      return kernel.takeError();
    return kernel->getName();
  }
  std::string errors;
  llvm::raw_string_ostream os(errors);
  auto kernels = frontend::listKernels(options.kernelFile, os);
  if (!kernels)
    return textError(errors);
  std::vector<std::string> names;
  for (const frontend::KernelSummary &kernel : *kernels)
    names.push_back(kernel.name);
  if (names.empty())
    return llvm::createStringError(options.kernelFile + ":1:1: no kernel; decorate a function with `@helion.kernel`");
  auto place = [&](const frontend::KernelSummary &kernel) {
    return options.kernelFile + ":" + std::to_string(kernel.line) + ":" + std::to_string(kernel.column) + ": ";
  };
  std::string list = "`" + llvm::join(names, "`, `") + "`";
  if (options.kernelName.empty() && names.size() > 1)
    return llvm::createStringError(place((*kernels)[1]) + std::to_string(names.size()) + " kernels (" + list +
                                   "); choose one with `--kernel`");
  if (!options.kernelName.empty() && !llvm::is_contained(names, options.kernelName))
    return llvm::createStringError(place(kernels->front()) + "no kernel is called `" + options.kernelName +
                                   "`; there is " + list);
  return names.front();
}

static llvm::Expected<std::string> chosenKernel(const Options &options) {
  llvm::Expected<std::string> name = kernelName(options);
  if (!name || options.kernelName.empty() || isPython(options))
    return name && !options.kernelName.empty() ? llvm::Expected<std::string>(options.kernelName) : std::move(name);
  if (*name != options.kernelName)
    return llvm::createStringError(options.kernelFile + ": the kernel is `" + *name + "`, not `" + options.kernelName +
                                   "`");
  return name;
}

/// A size that no row has fixes nothing, though its user believes that it does.
static llvm::Error checkSpecialized(const Options &options, llvm::ArrayRef<Row> rows) {
  std::set<std::string> sizes;
  for (const Row &row : rows)
    for (auto &[name, arg] : row.args)
      for (unsigned dim = 0; dim < arg.shape.size(); ++dim)
        sizes.insert(SizeExpr::size(name, dim).str());
  for (const std::string &size : options.specialize)
    if (!sizes.count(size))
      return llvm::createStringError("`--specialize " + size + "` names no size of the corpus; it has `" +
                                     llvm::join(sizes, "`, `") + "`");
  return llvm::Error::success();
}

/// The importer knows a signature by its text; the user knows the row that asks for it.
static llvm::Error atRow(llvm::Error error, const Row &row) {
  std::string text = llvm::toString(std::move(error));
  llvm::StringRef rest = text;
  if (rest.consume_front("--args:")) // `1:3: error: what`, then the signature with a caret.
    return llvm::createStringError(row.place + ": " + rest.split("error: ").second.split('\n').first);
  return llvm::createStringError(text + "\n" + row.place + ": note: with the arguments of this row");
}

static bool isSizeOf(const Row &row, llvm::StringRef text) {
  for (auto &[name, arg] : row.args)
    for (size_t dim = 0; dim < arg.shape.size(); ++dim)
      if (SizeExpr::size(name, dim).str() == text)
        return true;
  return false;
}

/// Sizes that signatures fix: those of `--specialize`, and those that the source asks for with `hl.specialize`.
static llvm::Expected<std::vector<std::string>> fixedSizes(const Options &options, llvm::StringRef kernel,
                                                           llvm::ArrayRef<Row> rows) {
  std::vector<std::string> fixed = options.specialize;
  for (const Row &row : rows) {
    std::string missing;
    do {
      missing.clear();
      llvm::Expected<std::string> text = kernelText(options, kernel, signatureOf(row, fixed), &missing);
      if (text)
        break;
      bool helps = isSizeOf(row, missing) && !llvm::is_contained(fixed, missing);
      if (!helps)
        return atRow(text.takeError(), row);
      llvm::consumeError(text.takeError());
      fixed.push_back(missing);
    } while (!missing.empty());
  }
  return fixed;
}

llvm::Expected<Problem> helion::aot::loadProblem(const Options &options) {
  llvm::Expected<std::string> name = chosenKernel(options);
  if (!name)
    return name.takeError();
  llvm::Expected<Corpus> corpus = Corpus::load(options.corpus, *name);
  if (!corpus)
    return corpus.takeError();
  if (llvm::Error error = checkSpecialized(options, corpus->rows))
    return std::move(error);
  // One row of each list of types is enough to ask with.
  std::map<std::string, std::vector<Row>> bySignature;
  for (const Row &row : corpus->rows)
    bySignature[signatureOf(row, options.specialize)].push_back(row);
  std::vector<Row> samples;
  for (auto &[signature, rows] : bySignature)
    samples.push_back(rows.front());
  llvm::Expected<std::vector<std::string>> fixed = fixedSizes(options, *name, samples);
  if (!fixed)
    return fixed.takeError();
  bySignature.clear();
  for (const Row &row : corpus->rows)
    bySignature[signatureOf(row, *fixed)].push_back(row);
  Problem problem{*name, {}, std::move(*fixed)};
  for (auto &[signature, rows] : bySignature) {
    llvm::Expected<SignatureProblem> loaded = loadSignature(options, *name, signature);
    if (!loaded)
      return atRow(loaded.takeError(), rows.front());
    for (const Row &row : rows)
      if (llvm::Error error = checkRow(row, loaded->universalArtifact.manifest))
        return std::move(error);
    loaded->rows = std::move(rows);
    problem.signatures.push_back(std::move(*loaded));
  }
  return problem;
}

llvm::Expected<Problem> helion::aot::loadHeldOut(const Options &options, const Problem &problem) {
  Problem result{problem.kernel, problem.signatures, problem.specialize};
  for (SignatureProblem &signature : result.signatures)
    signature.rows.clear();
  if (options.heldOut.empty())
    return result;
  llvm::Expected<Corpus> corpus = Corpus::load(options.heldOut, problem.kernel);
  if (!corpus)
    return corpus.takeError();
  for (const Row &row : corpus->rows) {
    std::string name = signatureOf(row, problem.specialize);
    auto known = llvm::find_if(problem.signatures, [&](const SignatureProblem &other) { return other.name == name; });
    if (known == problem.signatures.end())
      return llvm::createStringError(row.place + ": no row of the corpus has the signature `" + name +
                                     "`, so the package does not serve it");
    for (const Row &other : known->rows)
      if (other.id() == row.id())
        return llvm::createStringError(row.place + ": the row is in the corpus too (" + other.place +
                                       "), so it is not held out");
    if (llvm::Error error = checkRow(row, known->universalArtifact.manifest))
      return std::move(error);
    result.signatures[known - problem.signatures.begin()].rows.push_back(row);
  }
  return result;
}
