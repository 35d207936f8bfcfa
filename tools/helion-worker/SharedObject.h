// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared object as an artifact: a CPU's kernels, or the module of a package for any device.
#ifndef HELION_TOOLS_WORKER_SHAREDOBJECT_H
#define HELION_TOOLS_WORKER_SHAREDOBJECT_H

#include "Backend.h"

namespace helion::worker {

std::unique_ptr<Artifact> loadSharedObject(const std::string &path, Failure &failure);

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_SHAREDOBJECT_H
