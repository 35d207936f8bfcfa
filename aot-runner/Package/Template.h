// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the marked places of a text that is a working source file as it stands. A place is a pair of comments around a
// sample: `/*{name*/ sample /*}*/`; a repeated part is `/*{each name*/ ... /*}*/` and holds places of its own. CMake
// files write `#[[{name]]` and `#[[}]]`. The sample kernel's name is replaced everywhere.
#ifndef HELION_AOT_RUNNER_PACKAGE_TEMPLATE_H
#define HELION_AOT_RUNNER_PACKAGE_TEMPLATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace helion {

/// What the places of a text become.
struct TemplateValues {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<TemplateValues>> lists;
};

/// Fills `text`: the comment at its top (up to the first empty line) is about the template and is dropped, places and
/// repeated parts are looked up in `values`, and `the_kernel` becomes `kernel`, in capitals where it is written so. An
/// error when a place has no value or the marks do not pair.
llvm::Expected<std::string> fillTemplate(llvm::StringRef text, const TemplateValues &values, llvm::StringRef kernel);

/// A text that was embedded when the tool was built: a file of templates/, or of the runtime as "runtime/NAME".
llvm::StringRef embeddedText(llvm::StringRef name);

/// The names of the embedded runtime files, "runtime/Cpu.cpp" and so on, in order.
std::vector<llvm::StringRef> embeddedRuntimeFiles();

} // namespace helion

#endif // HELION_AOT_RUNNER_PACKAGE_TEMPLATE_H
