// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/WritePackage.h"
#include "aot-runner/Package/PackageText.h"
#include "aot-runner/Package/Staging.h"

using namespace llvm;

namespace helion {

Error writePackage(const PackageSpec &spec, StringRef folder) {
  if (Error error = checkSpec(spec))
    return error;
  Expected<std::map<std::string, std::string>> files = packageFiles(spec);
  if (!files)
    return files.takeError();
  // An older package may have objects and sources that this one has not.
  auto owns = [&](StringRef name) { return name == "objects" || name == "runtime" || files->count(name.str()); };
  return replaceFolder(folder, *files, owns);
}

} // namespace helion
