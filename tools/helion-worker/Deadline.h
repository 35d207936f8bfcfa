// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time a request may take. When it is over the process answers for itself, from a signal handler, and ends.
#ifndef HELION_TOOLS_WORKER_DEADLINE_H
#define HELION_TOOLS_WORKER_DEADLINE_H

#include "Protocol.h"

namespace helion::worker::deadline {

/// Starts the clock if the request carries a `deadline_ms`.
void start(const Json &request);
void stop();

} // namespace helion::worker::deadline

#endif // HELION_TOOLS_WORKER_DEADLINE_H
