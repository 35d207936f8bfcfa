// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker's driver for machines without a GPU, with what cuda_artifact.py calls beside.
#include "../../tools/helion-worker/Inputs/fake-cuda.c"

int cuModuleLoadData(void **module, const char *image) { return cuModuleLoadDataEx(module, image, 0, NULL, NULL); }
int cuCtxSynchronize(void) {
  USABLE();
  return 0;
}
