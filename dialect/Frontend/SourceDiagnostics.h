// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the frontend: `file:line:column: error: message`, the source line and a caret under the construct. Everything
// the frontend refuses goes through here, so a caller only has to look at the exit code and stderr.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace helion::frontend {

/// A piece of the source: lines from 1, columns in bytes from 0, the end one past the last byte.
struct Span {
  unsigned line = 1;
  unsigned column = 0;
  unsigned endLine = 1;
  unsigned endColumn = 0;
};

/// The text of one Python file and the stream its errors go to. Made once per import; counts the errors.
class SourceDiagnostics {
public:
  SourceDiagnostics(std::string path, std::string text, llvm::raw_ostream &errors)
      : path(std::move(path)), text(std::move(text)), errors(errors) {}

  void error(Span at, const llvm::Twine &message);
  void note(Span at, const llvm::Twine &message);

  llvm::StringRef getPath() const { return path; }
  llvm::StringRef line(unsigned number) const;
  /// The source between the ends of a span on one line, or its first line.
  llvm::StringRef spelling(Span at) const;
  unsigned getErrorCount() const { return count; }

private:
  void print(Span at, llvm::StringRef severity, const llvm::Twine &message);

  std::string path;
  std::string text;
  llvm::raw_ostream &errors;
  unsigned count = 0;
};

} // namespace helion::frontend
