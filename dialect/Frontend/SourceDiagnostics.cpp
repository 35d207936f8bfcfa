// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints errors with the source line and a caret. Columns are counted in code points, as editors do.
#include "dialect/Frontend/SourceDiagnostics.h"

#include <algorithm>

using namespace helion::frontend;

llvm::StringRef SourceDiagnostics::line(unsigned number) const {
  llvm::StringRef rest = text;
  for (unsigned i = 1; i < number; ++i)
    rest = rest.split('\n').second;
  return rest.split('\n').first.rtrim('\r');
}

llvm::StringRef SourceDiagnostics::spelling(Span at) const {
  llvm::StringRef first = line(at.line);
  size_t end = at.endLine == at.line ? at.endColumn : first.size();
  return first.slice(std::min<size_t>(at.column, first.size()), end);
}

// Bytes that begin a code point in UTF-8.
static unsigned countCodePoints(llvm::StringRef bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

void SourceDiagnostics::print(Span at, llvm::StringRef severity, const llvm::Twine &message) {
  llvm::StringRef source = line(at.line);
  llvm::StringRef before = source.take_front(at.column);
  errors << path << ':' << at.line << ':' << countCodePoints(before) + 1 << ": " << severity << ": " << message << '\n';
  errors << source << '\n';
  // Tabs are kept, so that the caret stands under its place whatever the tab width.
  for (char c : before)
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      errors << (c == '\t' ? '\t' : ' ');
  unsigned width = countCodePoints(spelling(at));
  errors << '^' << std::string(width > 1 ? width - 1 : 0, '~') << '\n';
}

void SourceDiagnostics::error(Span at, const llvm::Twine &message) {
  ++count;
  print(at, "error", message);
}

void SourceDiagnostics::note(Span at, const llvm::Twine &message) { print(at, "note", message); }
