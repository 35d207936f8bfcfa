// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stdint.h.
#ifndef HELION_STAND_IN_STDDEF_H
#define HELION_STAND_IN_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL __null
#endif
