// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/WritePackage.h"
#include "aot-runner/Journal/DurableFile.h"
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

Error withdrawClaim(StringRef folder, StringRef kernel) {
  for (std::string name : {(kernel + ".h").str(), (kernel + ".cpp").str(), std::string("CMakeLists.txt")}) {
    std::string path = (folder + "/" + name).str();
    Expected<std::string> text = aot::readWholeFile(path);
    if (!text)
      return text.takeError();
    // "goal max_slowdown <= 1.1: met; worst 1.02, .." of the banner.
    size_t goal = text->find(" goal "), claim = text->find(": ", goal), end = text->find(';', claim);
    if (goal == std::string::npos || claim == std::string::npos || end == std::string::npos)
      return createStringError("`" + path + "` does not begin as a package does");
    text->replace(claim + 2, end - claim - 2, "found wrong by evaluation");
    if (Error error = aot::writeFileDurably(path, *text))
      return error;
  }
  return Error::success();
}

} // namespace helion
