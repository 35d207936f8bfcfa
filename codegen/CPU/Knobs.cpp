// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/CPU/Knobs.h"
#include "dialect/Target/Device.h"
#include "passes/Config/TargetKnobs.h"

namespace helion {

#include "codegen/CPU/Knobs.inc"

llvm::Expected<KnobTable> cpuKnobs(llvm::StringRef target) {
  llvm::Expected<const Device *> device = parseDevice(target);
  if (!device)
    return device.takeError();
  return KnobTable({neutralKnobRows(), {passRows, knobRows, {}}},
                   [&](llvm::StringRef name) { return (*device)->fact(name); });
}

void registerCpuKnobs(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, HelionDialect *dialect) { addTargetKnobs(dialect, "cpu", cpuKnobs); });
}

} // namespace helion
