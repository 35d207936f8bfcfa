// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decorators and their keywords. Those about tuning and caching are accepted and left alone: a config is not part
// of form K.
#include "dialect/Frontend/KernelDecorator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static bool isDecorator(llvm::StringRef path) {
  static const llvm::StringRef names[] = {"helion.kernel", "helion.jit", "helion.aot_kernel",
                                          "helion.experimental.kernel", "helion.experimental.aot_kernel"};
  return llvm::is_contained(names, path);
}

static const Expr *decoratorOf(Interpreter &interpreter, const Function &function) {
  for (const ExprPtr &decorator : function.decorators)
    if (isDecorator(interpreter.libraryPath(*decorator)))
      return decorator.get();
  return nullptr;
}

std::vector<std::shared_ptr<Function>> helion::frontend::kernelsOf(MLIRContext *context, SourceDiagnostics &diagnostics,
                                                                   const Statements &module) {
  KernelBuilder k(context, diagnostics);
  Interpreter interpreter(k, module);
  std::vector<std::shared_ptr<Function>> out;
  for (const std::shared_ptr<Function> &function : interpreter.getFunctions())
    if (decoratorOf(interpreter, *function))
      out.push_back(function);
  return out;
}

static std::string nameList(ArrayRef<std::shared_ptr<Function>> functions) {
  std::string out;
  for (const std::shared_ptr<Function> &function : functions)
    out += (out.empty() ? "`" : ", `") + function->name + "`";
  return out;
}

std::shared_ptr<Function> helion::frontend::chooseKernel(MLIRContext *context, SourceDiagnostics &diagnostics,
                                                         const Statements &module, llvm::StringRef name) {
  std::vector<std::shared_ptr<Function>> kernels = kernelsOf(context, diagnostics, module);
  Span top{1, 0, 1, 1};
  if (kernels.empty()) {
    diagnostics.error(top, "no kernel in this file; a kernel is a function decorated with `@helion.kernel`");
    return nullptr;
  }
  if (name.empty() && kernels.size() == 1)
    return kernels.front();
  if (name.empty()) {
    diagnostics.error(kernels[1]->at, "this file has `" + llvm::Twine(kernels.size()) + "` kernels (" +
                                          nameList(kernels) + "); choose one with --kernel");
    return nullptr;
  }
  for (const std::shared_ptr<Function> &kernel : kernels)
    if (kernel->name == name)
      return kernel;
  diagnostics.error(top, "no kernel `" + name + "` in this file; it has " + nameList(kernels));
  return nullptr;
}

//===-- Settings -------------------------------------------------------------------------------------------------===//

namespace {
using SettingFn = LogicalResult (*)(KernelBuilder &, const PyValue &);
struct SettingRow {
  llvm::StringRef name;
  SettingFn read; // null: does not change what a kernel computes
};
} // namespace

static LogicalResult readDotPrecision(KernelBuilder &k, const PyValue &value) {
  const std::string *name = value.get<std::string>();
  std::optional<DotPrecision> precision = name ? symbolizeDotPrecision(*name) : std::nullopt;
  if (!precision)
    return k.fail("`dot_precision` is one of `'tf32'`, `'tf32x3'`, `'ieee'`");
  k.settings.dotPrecision = *precision;
  return success();
}

static LogicalResult readFastMath(KernelBuilder &k, const PyValue &value) {
  const bool *fast = value.get<bool>();
  if (!fast)
    return k.fail("`fast_math` is `True` or `False`");
  k.settings.fastMath = *fast;
  return success();
}

static const SettingRow settingRows[] = {{"dot_precision", readDotPrecision},
                                         {"fast_math", readFastMath},
                                         {"allow_warp_specialize", nullptr},
                                         {"backend", nullptr},
                                         {"batched", nullptr},
                                         {"config", nullptr},
                                         {"configs", nullptr},
                                         {"collect_fn", nullptr},
                                         {"debug_dtype_asserts", nullptr},
                                         {"disable_autotuner_heuristics", nullptr},
                                         {"distributed", nullptr},
                                         {"ignore_warnings", nullptr},
                                         {"index_dtype", nullptr},
                                         {"key", nullptr},
                                         {"measure_fn", nullptr},
                                         {"output_origin_lines", nullptr},
                                         {"persistent_reserved_sms", nullptr},
                                         {"print_output_code", nullptr},
                                         {"print_repro", nullptr},
                                         {"ref_mode", nullptr},
                                         {"static_shapes", nullptr},
                                         {"torch_compile_fusion", nullptr},
                                         {"triton_do_not_specialize", nullptr}};

LogicalResult helion::frontend::readSettings(Interpreter &interpreter, const Function &function) {
  const Expr *decorator = decoratorOf(interpreter, function);
  if (!decorator || decorator->kind != ExprKind::Call)
    return success();
  KernelBuilder &k = interpreter.k;
  for (const Keyword &keyword : decorator->keywords) {
    PlaceScope place(k, keyword.at);
    if (llvm::StringRef(keyword.name).starts_with("autotune"))
      continue;
    auto row = llvm::find_if(settingRows, [&](const SettingRow &r) { return r.name == keyword.name; });
    if (row == std::end(settingRows))
      return k.fail("`" + keyword.name + "` is no setting of a kernel");
    if (!row->read)
      continue;
    Result value = interpreter.evaluateInModule(*keyword.value);
    if (failed(value) || failed(row->read(k, *value)))
      return failure();
  }
  return success();
}
