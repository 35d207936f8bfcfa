// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-config: the version check that begins every config text. The class Config is in ConfigText.cpp.
#include "passes/Config/Config.h"
#include "passes/Config/Passes.h"

namespace helion {
#define GEN_PASS_DEF_CONFIGPASS
#include "passes/Config/Passes.h.inc"
} // namespace helion

namespace {
struct ConfigCheck : public helion::impl::ConfigPassBase<ConfigCheck> {
  using ConfigPassBase::ConfigPassBase;

  void runOnOperation() override {
    if (version == helion::kConfigVersion) {
      ++checked;
      return;
    }
    getOperation().emitError() << "config version `" << version.getValue()
                               << "` is not known; this build reads `v=" << helion::kConfigVersion << "`";
    signalPassFailure();
  }
};
} // namespace
