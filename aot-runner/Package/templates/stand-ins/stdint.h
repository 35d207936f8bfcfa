// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the system's header when generated sources are parsed before they are written, so that the check needs
// no headers on the machine. Not part of any package.
#ifndef HELION_STAND_IN_STDINT_H
#define HELION_STAND_IN_STDINT_H
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#endif
