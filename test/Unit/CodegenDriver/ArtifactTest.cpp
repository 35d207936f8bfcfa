// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile and linkShared on several threads at once: equal bytes, and a shared object that runs.

#include "codegen/Driver/Artifact.h"
#include "codegen/Driver/Registration.h"
#include "codegen/Driver/SharedObject.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"
#include <dlfcn.h>
#include <thread>

using namespace mlir;
using namespace helion;

namespace {
constexpr const char *iotaKernel = R"(
helion.kernel @iota(%n: i64 {helion.name = "n"}) -> memref<?xi64> attributes {helion.signature = {n = i64}} {
  %i = arith.index_cast %n : i64 to index
  %out = helion.empty(%i) {name = "out"} : memref<?xi64>
  helion.launch "iota" grid(%i) {
    %p = helion.program_id "x"
    %v = arith.index_cast %p : index to i64
    memref.store %v, %out[%p] : memref<?xi64>
  }
  helion.return %out : memref<?xi64>
}
)";

llvm::Expected<Artifact> compileText(StringRef text, StringRef config) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  llvm::Expected<const Device *> device = parseDevice("cpu:x86-64-v3");
  if (!module || !device)
    return llvm::createStringError("no module or no device");
  return compile(*module, **device, config);
}

/// Calls the artifact's only function for programs [2, 5) of 8.
std::vector<int64_t> callSpan(StringRef path, const std::string &symbol, const Artifact &artifact) {
  std::vector<int64_t> out(8, -1);
  std::vector<int64_t> words;
  for (const PlanArgument &word : std::get<PlanLaunch>(artifact.manifest.plan.steps.front()).arguments)
    words.push_back(word.kind == PlanArgument::Kind::Pointer ? reinterpret_cast<int64_t>(out.data()) : 8);
  int64_t grid[3] = {8, 1, 1};
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  using Kernel = void (*)(const int64_t *, const int64_t *, int64_t, int64_t, void *);
  auto kernel = library ? reinterpret_cast<Kernel>(dlsym(library, symbol.c_str())) : nullptr;
  if (kernel)
    kernel(words.data(), grid, 2, 5, nullptr);
  if (library)
    dlclose(library);
  return out;
}

void compileLinkAndRun(std::string &object, std::vector<int64_t> &out) {
  llvm::Expected<Artifact> artifact = compileText(iotaKernel, "helion-config{v=1}");
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("helion-test", "so", path));
  llvm::FileRemover remover(path);
  llvm::Error error = linkShared(artifact->object, path);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  object = artifact->object;
  out = callSpan(path, std::get<PlanLaunch>(artifact->manifest.plan.steps.front()).symbol, *artifact);
}

TEST(ArtifactTest, compilesAndLinksOnSeveralThreads) {
  constexpr unsigned count = 4;
  std::string objects[count];
  std::vector<int64_t> outs[count];
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] { compileLinkAndRun(objects[i], outs[i]); });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(objects[i], objects[0]);
    EXPECT_EQ(outs[i], (std::vector<int64_t>{-1, -1, 2, 3, 4, -1, -1, -1}));
  }
}

TEST(ArtifactTest, configIsInTheManifestOnly) {
  llvm::Expected<Artifact> one = compileText(iotaKernel, "helion-config{v=1}"), two = compileText(iotaKernel, "other");
  ASSERT_TRUE(bool(one) && bool(two));
  EXPECT_EQ(two->manifest.config, "other");
  EXPECT_EQ(one->object, two->object);
  EXPECT_EQ(one->manifest.artifactHash(), two->manifest.artifactHash());
}

TEST(ArtifactTest, negative_errorNamesThePlace) {
  llvm::Expected<Artifact> artifact =
      compileText("\nhelion.kernel @k(%x: memref<?xf32, strided<[?], offset: ?>> {helion.name = \"x\"}) {\n"
                  "  helion.launch \"k\" {\n    %c = arith.constant 0 : index\n    %v = arith.constant 1.0 : f32\n"
                  "    memref.store %v, %x[%c] : memref<?xf32, strided<[?], offset: ?>>\n  }\n  helion.return\n}",
                  "");
  ASSERT_FALSE(bool(artifact));
  EXPECT_EQ(llvm::toString(artifact.takeError()),
            "-:3:3: 'helion.launch' op has no grid; launches are outlined after their programs are mapped");
}
} // namespace
