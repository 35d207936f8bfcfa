// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The namespace every symbol of the runtime lives in. A package carries its own copy of this file, in which the name
// starts with the kernel's, so that packages of different versions link into one program. The number is the ABI between
// generated dispatch code and the runtime.
#ifndef HELION_RUNTIME
#define HELION_RUNTIME helion_runtime_v2
#endif
