// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from files, artifacts as files.

#include "codegen/Driver/Doors.h"
#include "codegen/Common/Passes.h"
#include "codegen/Driver/Passes.h"
#include "codegen/Driver/Registration.h"
#include "codegen/Driver/SharedObject.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace helion;

static llvm::Expected<Artifact> artifactOf(ModuleOp module, const EmitRequest &request) {
  if (module->hasAttr(kManifestAttr) && request.config)
    return llvm::createStringError("`--config` is of a kernel in form K; this module is lowered already");
  if (module->hasAttr(kManifestAttr))
    return emitArtifact(module);
  llvm::Expected<const Device *> device = parseDevice(request.target);
  if (!device)
    return device.takeError();
  if (request.config) {
    registerAllPasses();
    return compileKernel(module, **device, *request.config);
  }
  auto config = module->getAttrOfType<StringAttr>(kConfigAttr);
  return compile(module, **device, config ? config.getValue() : StringRef());
}

static llvm::Expected<Artifact> artifactOf(const EmitRequest &request) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(request.input, &message);
  if (!file)
    return llvm::createStringError(message);
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("`" + request.input + "` holds no module");
  return artifactOf(*module, request);
}

static llvm::Error writeFile(StringRef path, StringRef bytes) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  file->os() << bytes;
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    file->os().clear_error();
    return llvm::createStringError(path + ": " + code.message());
  }
  file->keep();
  return llvm::Error::success();
}

llvm::Error helion::emitObjectFile(const EmitRequest &request) {
  llvm::Expected<Artifact> artifact = artifactOf(request);
  return artifact ? writeFile(request.output, artifact->object) : artifact.takeError();
}

llvm::Error helion::emitArtifactFolder(const EmitRequest &request) {
  llvm::Expected<Artifact> artifact = artifactOf(request);
  return artifact ? writeArtifact(*artifact, request.output) : artifact.takeError();
}

llvm::Error helion::writeArtifact(const Artifact &artifact, StringRef folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError(folder + ": " + code.message());
  auto inFolder = [&](StringRef name, StringRef ending) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name + ending);
    return std::string(path);
  };
  llvm::Expected<const Device *> device = parseDevice(artifact.manifest.target);
  if (!device)
    return device.takeError();
  const std::string &kernel = artifact.manifest.kernel;
  if (llvm::Error error = writeFile(inFolder(kernel, objectEnding(**device, artifact.object)), artifact.object))
    return error;
  if ((*device)->cpu())
    if (llvm::Error error = linkShared(artifact.object, inFolder(kernel, ".so")))
      return error;
  return writeFile(inFolder("manifest", ".json"), artifact.manifest.text() + "\n");
}
