// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a package, with a sample kernel `the_kernel` in the marked places so that it compiles as it is.

/*{banner*/
// the_kernel: a sample.
/*}*/
//
// Tensors are DLPack's; strides, zero and negative ones, byte_offset and size 0 mean what they say. The caller
// allocates the results (the_kernel_output_shape tells their shape) and the workspace. Tensors that are not const are
// changed in place and may overlap nothing else. Every function returns a status and may be called from several threads
// at once.
#ifndef THE_KERNEL_PACKAGE_H
#define THE_KERNEL_PACKAGE_H

#include "runtime/dlpack.h"
#include <stddef.h>
#include <stdint.h>

#define THE_KERNEL_ABI 2
#define THE_KERNEL_MAX_RANK 8

#if defined(__GNUC__)
#define THE_KERNEL_API __attribute__((visibility("default")))
#else
#define THE_KERNEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum the_kernel_status {
  THE_KERNEL_OK = 0,
  THE_KERNEL_NULL_ARGUMENT = 1,
  THE_KERNEL_BAD_TENSOR = 2,
  THE_KERNEL_BAD_OUTPUT = 3,
  THE_KERNEL_OVERLAP = 4,
  THE_KERNEL_BAD_WORKSPACE = 5,
  THE_KERNEL_WRONG_DEVICE = 6,
  THE_KERNEL_UNSUPPORTED_CPU = 7,
  THE_KERNEL_NO_VARIANT = 8,
  THE_KERNEL_NO_MEMORY = 9,
  THE_KERNEL_BAD_INDEX = 10,
  THE_KERNEL_NO_DRIVER = 11,
  THE_KERNEL_UNSUPPORTED_DEVICE = 12,
  THE_KERNEL_DEVICE = 13,
  THE_KERNEL_FORKED = 14,
  THE_KERNEL_NO_TENSOR_MAPS = 15,
  /*{checkStatuses*/
  THE_KERNEL_CHECK_0 = 64, // x.size(0) == y.size(0)
  /*}*/
  /*{signatureStatuses*/
  THE_KERNEL_NEAREST_SIGNATURE_0 = 1024, // x f32[1], y f32[1], n i64
  /*}*/
  /*{mapStatuses*/
  /*}*/
};

enum the_kernel_reason {
  THE_KERNEL_REASON_TREE = 0,     // the dispatch tree's choice
  THE_KERNEL_REASON_FALLBACK = 1, // a fact of the tree's choice does not hold, so the universal variant runs
  THE_KERNEL_REASON_NEAREST = 2,  // the same, and this is the nearest variant whose facts hold
};

typedef struct the_kernel_choice {
  int32_t signature;
  int32_t variant;     // index into the_kernel_variants
  int32_t reason;      // the_kernel_reason
  int32_t in_corpus;   // 1: this shape was measured
  int32_t in_range;    // 1: it lies between measured shapes
  int32_t failed_fact; // index into the facts of the tree's choice, or -1
} the_kernel_choice;

typedef struct the_kernel_variant {
  int32_t signature;
  int32_t universal;        // 1: the variant of its target for calls that no other one fits
  const char *id;           // of the config, 8 hexadecimal digits
  const char *config;       // the config's text
  const char *const *facts; // what the code relies on; ends with NULL
  int64_t code_bytes;
  int64_t scratch_bytes; // for each thread of a CPU, owned by the package
  const char *target;    // "nvidia:sm_90a"; a package for a GPU may hold several
} the_kernel_variant;

typedef struct the_kernel_shape {
  DLDataType dtype;
  int32_t ndim;
  int64_t sizes[THE_KERNEL_MAX_RANK];
} the_kernel_shape;

// Runs the kernel. `workspace` may be NULL where the_kernel_workspace says 0 bytes; else it is aligned to 64 bytes,
// need not be cleared, and belongs to this call until it is done. On a CPU that is when it returns, and `stream` is not
// used. On an NVIDIA GPU `stream` is a CUstream, NULL the default one, and the call returns at once; the stream may be
// one that is captured. The tensors are of one device. The caller's current context is used where it is of that device,
// else the device's primary one, for this call.
THE_KERNEL_API int the_kernel(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                              /*{outputParameters*/ DLTensor *out, /*}*/ void *stream, void *workspace);

// What a call with these arguments would run.
THE_KERNEL_API int the_kernel_choose(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                                     the_kernel_choice *choice);

// The same as text; returns its length without the final 0, as snprintf does.
THE_KERNEL_API size_t the_kernel_explain(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                                         char *buffer, size_t size);

THE_KERNEL_API int the_kernel_workspace(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                                        int64_t *bytes);

// Results are contiguous and numbered from 0.
THE_KERNEL_API int the_kernel_output_shape(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                                           int output, the_kernel_shape *shape);

// All variants; returns how many.
THE_KERNEL_API int the_kernel_variants(const the_kernel_variant **variants);

// Does now what first calls on the device would do, those of all variants, in the context that they would use; a CPU is
// 0.
THE_KERNEL_API int the_kernel_prepare(int device);

// Ends the package's threads and frees its memory, or a GPU's code; a later call starts or loads them again. No call
// may run meanwhile on a GPU.
THE_KERNEL_API void the_kernel_unload(void);

// Threads per call, the caller's included; 0 means all cores. Returns the number in use; for a GPU it does nothing.
THE_KERNEL_API int the_kernel_set_threads(int count);

// A text that lives as long as the program.
THE_KERNEL_API const char *the_kernel_strerror(int status);

// THE_KERNEL_ABI of the library that was linked.
THE_KERNEL_API int the_kernel_abi(void);

#ifdef __cplusplus
}
#endif

#endif // THE_KERNEL_PACKAGE_H
