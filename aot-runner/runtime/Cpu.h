// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether this machine runs code of a target, by the features the code was compiled for.
#ifndef HELION_AOT_RUNNER_RUNTIME_CPU_H
#define HELION_AOT_RUNNER_RUNTIME_CPU_H

#include "Namespace.h"

namespace HELION_RUNTIME {

/// `features` is a list with blanks between, in LLVM's names ("avx2 bmi fma"). A name this file does not know counts as
/// missing. Wide registers count only where the system saves them.
bool cpuHas(const char *features);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_CPU_H
