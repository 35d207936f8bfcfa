// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One signature of a kernel for one target, as the search needs it: text, name, space of configs. Made once; holds no
// IR, so any number of threads may compile from it.
#ifndef HELION_AOT_RUNNER_SEARCH_SEARCHKERNEL_H
#define HELION_AOT_RUNNER_SEARCH_SEARCHKERNEL_H

#include "aot-runner/Search/RowSeeds.h"
#include "codegen/Driver/Artifact.h"
#include "passes/Config/Space.h"

namespace helion::aot {

class SearchKernel {
public:
  /// `text` is a module in form K with one kernel; errors name places in `file`.
  static llvm::Expected<SearchKernel> make(std::string text, std::string file, const Device &device);

  const std::string &getText() const { return text; }
  /// Of the normalised K: half of what names a compilation.
  const std::string &getHash() const { return hash; }
  const std::string &getName() const { return name; }
  const Device &getDevice() const { return *device; }
  const Space &getSpace() const { return space; }
  const RowModel &getRowModel() const { return rowModel; }
  std::string defaultConfig() const { return space.canonical(space.defaultConfig()).print(); }
  /// The one that others are compared with, and that serves what no other does.
  std::string universalConfig() const { return space.canonical(space.universalConfig()).print(); }

  /// Compiles in a context of its own; safe on many threads. The error holds the diagnostics.
  llvm::Expected<helion::Artifact> compile(llvm::StringRef config) const;

private:
  SearchKernel(std::string text, std::string file, std::string hash, std::string name, const Device &device,
               Space space, RowModel rowModel)
      : text(std::move(text)), file(std::move(file)), hash(std::move(hash)), name(std::move(name)), device(&device),
        space(std::move(space)), rowModel(std::move(rowModel)) {}

  std::string text, file, hash, name;
  const Device *device;
  Space space;
  RowModel rowModel;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SEARCH_SEARCHKERNEL_H
