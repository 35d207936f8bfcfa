// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs python3 with the embedded script; its output goes through temporary files that are removed in every case.
#include "dialect/Frontend/PythonProcess.h"

#include "dialect/Frontend/DumpAst.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace helion::frontend;

// The distribution's Python first: wrappers in PATH may be slow or point to a version that is not there.
static std::string findPython() {
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("python3", {"/usr/bin"}))
    return *path;
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("python3");
  return path ? *path : std::string();
}

static std::string readAll(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

std::optional<llvm::json::Value> helion::frontend::runAstDump(SourceDiagnostics &diagnostics) {
  std::string python = findPython();
  if (python.empty()) {
    diagnostics.error({}, "no `python3` in `/usr/bin` or `PATH`; it parses kernel files");
    return std::nullopt;
  }
  llvm::SmallString<128> outPath, errPath;
  if (llvm::sys::fs::createTemporaryFile("helion-ast", "json", outPath) ||
      llvm::sys::fs::createTemporaryFile("helion-ast", "err", errPath)) {
    diagnostics.error({}, "cannot create a temporary file for the syntax tree");
    return std::nullopt;
  }
  llvm::FileRemover removeOut(outPath), removeErr(errPath);
  std::string path = diagnostics.getPath().str();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), outPath.str(), errPath.str()};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(python, {python, "-I", "-S", "-c", dumpAstSource, path}, std::nullopt, redirects,
                                       /*SecondsToWait=*/60, /*MemoryLimit=*/0, &problem);
  if (code != 0) {
    std::string said = problem.empty() ? readAll(errPath) : problem;
    diagnostics.error({}, "`" + python + "` failed with code `" + llvm::Twine(code) +
                              "`: " + llvm::StringRef(said).rtrim().rsplit('\n').second);
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> tree = llvm::json::parse(readAll(outPath));
  if (!tree) {
    diagnostics.error({}, "cannot read the syntax tree: " + llvm::toString(tree.takeError()));
    return std::nullopt;
  }
  return std::move(*tree);
}
