// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/CheckSource.h"
#include "aot-runner/Package/Template.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Format/Format.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace helion {

std::string formatSource(StringRef text, StringRef path) {
  clang::format::FormatStyle style = clang::format::getLLVMStyle();
  style.ColumnLimit = 120;
  clang::tooling::Range all(0, text.size());
  clang::tooling::Replacements replacements = clang::format::reformat(style, text, {all}, path);
  Expected<std::string> formatted = clang::tooling::applyAllReplacements(text, replacements);
  // The replacements were made for this very text, so they apply.
  return cantFail(std::move(formatted));
}

namespace {
/// Keeps the diagnostics as lines `file:line: text`.
class Collector : public clang::DiagnosticConsumer {
public:
  explicit Collector(std::string &lines) : lines(lines) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      clang::PresumedLoc place = diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
      lines += (StringRef(place.getFilename()).ltrim("/") + ":" + Twine(place.getLine()) + ": ").str();
    }
    lines += message.str().str() + "\n";
  }

private:
  std::string &lines;
};
} // namespace

/// The package's files under /, the stand-ins under /stand-ins.
static IntrusiveRefCntPtr<vfs::FileSystem> makeFileSystem(const std::map<std::string, std::string> &files) {
  auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  memory->setCurrentWorkingDirectory("/");
  for (const auto &[path, text] : files)
    memory->addFile("/" + path, 0, MemoryBuffer::getMemBuffer(text, path, /*RequiresNullTerminator=*/false));
  for (StringRef name : {"stand-ins/cstddef", "stand-ins/cstdint", "stand-ins/stddef.h", "stand-ins/stdint.h"})
    memory->addFile("/" + name, 0, MemoryBuffer::getMemBuffer(embeddedText(name), name, false));
  return memory;
}

Error checkSource(StringRef path, const std::map<std::string, std::string> &files) {
  std::vector<std::string> arguments = {"clang",
                                        "-fsyntax-only",
                                        "-std=c++17",
                                        "-Wall",
                                        "-Wextra",
                                        "-Werror",
                                        "-fno-exceptions",
                                        "-fno-rtti",
                                        "-nostdinc",
                                        "-nostdinc++",
                                        "-isystem/stand-ins",
                                        "-I/",
                                        "-ffreestanding",
                                        "--target=x86_64-unknown-linux-gnu",
                                        ("/" + path).str()};
  auto manager = makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), makeFileSystem(files));
  clang::tooling::ToolInvocation invocation(std::move(arguments), std::make_unique<clang::SyntaxOnlyAction>(),
                                            manager.get());
  std::string lines;
  Collector collector(lines);
  invocation.setDiagnosticConsumer(&collector);
  if (invocation.run() && lines.empty())
    return Error::success();
  return createStringError("the generated `" + path + "` does not compile, please report this:\n" +
                           StringRef(lines).rtrim());
}

} // namespace helion
