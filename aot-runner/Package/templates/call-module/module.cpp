// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module through which a worker calls a package, with a sample kernel `the_kernel` in the marked places. A call is
// a list of words: addresses of DLTensors or 0, integers, the bits of doubles, and at the end workspace and stream.

#include "the_kernel.h"

#include <stdio.h>
#include <string.h>

#define MODULE_API extern "C" __attribute__((visibility("default")))

namespace {
DLTensor *tensorAt(int64_t word) { return reinterpret_cast<DLTensor *>(word); }

[[maybe_unused]] double realAt(int64_t word) {
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}
} // namespace

MODULE_API int the_kernel_module_call(const int64_t *words) {
  return the_kernel(/*{arguments*/ tensorAt(words[0]), tensorAt(words[1]), words[2], /*}*/
                    /*{results*/ tensorAt(words[3]), /*}*/ reinterpret_cast<void *>(words[/*{streamAt*/ 5 /*}*/]),
                    reinterpret_cast<void *>(words[/*{workspaceAt*/ 4 /*}*/]));
}

/// Values: signature, variant, reason, whether measured, whether between measured ones, failed fact, bytes of
/// workspace. The text is the config's id and a line end, then the package's explanation.
MODULE_API int the_kernel_module_query(const int64_t *words, int64_t *values, char *text, size_t size) {
  the_kernel_choice choice;
  int status = the_kernel_choose(/*{arguments*/ tensorAt(words[0]), tensorAt(words[1]), words[2], /*}*/ &choice);
  if (status != THE_KERNEL_OK) {
    snprintf(text, size, "-\n%s", the_kernel_strerror(status));
    return status;
  }
  const int64_t chosen[] = {choice.signature, choice.variant,  choice.reason,
                            choice.in_corpus, choice.in_range, choice.failed_fact};
  memcpy(values, chosen, sizeof chosen);
  const the_kernel_variant *variants;
  the_kernel_variants(&variants);
  int length = snprintf(text, size, "%s\n", variants[choice.variant].id);
  the_kernel_explain(/*{arguments*/ tensorAt(words[0]), tensorAt(words[1]), words[2], /*}*/ text + length,
                     size - size_t(length));
  return the_kernel_workspace(/*{arguments*/ tensorAt(words[0]), tensorAt(words[1]), words[2], /*}*/ &values[6]);
}
