// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dispatch code of a package, with a sample kernel `the_kernel` in the marked places so that it compiles as it is.

/*{banner*/
// the_kernel: a sample.
/*}*/
#include "the_kernel.h"

#include "runtime/Dispatch.h"

/*{kernels*/
extern "C" {
void the_kernel_0a1b2c3d_0(const int64_t *, const int64_t *, int64_t, int64_t, void *);
}
/*}*/

namespace {
namespace runtime = HELION_RUNTIME;
using runtime::DType;
using runtime::helion_ceildiv;
using runtime::helion_floordiv;
using runtime::helion_max;
using runtime::helion_min;
using runtime::helion_mod;
using runtime::Overlap;
using runtime::overlap;

/*{each signatures*/
// Signature /*{index*/ 0 /*}*/: /*{text*/ x f32[1], y f32[1], n i64 /*}*/
namespace /*{name*/ signature_0 /*}*/ {

enum Config : int {
  /*{configNames*/
  CONFIG_0a1b2c3d = 0, // helion-tile-loops{...}
  /*}*/
};

// What to try where a fact of a leaf's config fails, the nearest first.
/*{nextLists*/
const int after_0[] = {CONFIG_0a1b2c3d};
/*}*/

struct Arguments {
  /*{members*/
  const runtime::Tensor &x;
  const runtime::Tensor &y;
  int64_t n;
  /*}*/
};

Arguments named([[maybe_unused]] const runtime::Call &call) {
  return {/*{memberValues*/ call.tensors[0], call.tensors[1], call.passed[2].integer /*}*/};
}

/// The decision. Features are integers.
runtime::Leaf choose(const runtime::Call &call) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{features*/
  const int64_t elements = a.x.size(0);
  /*}*/
  /*{tree*/
  if (elements <= 4096)
    return {CONFIG_0a1b2c3d, "elements <= 4096", after_0};
  return {CONFIG_0a1b2c3d, "elements > 4096", after_0};
  /*}*/
}

void featureValues([[maybe_unused]] const runtime::Call &call, [[maybe_unused]] int64_t *values) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{featureValues*/
  values[0] = a.x.size(0);
  /*}*/
}

/// The kernel's own checks.
[[maybe_unused]] int failingCheck([[maybe_unused]] const runtime::Call &call) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{checks*/
  if (!(a.x.size(0) == a.y.size(0)))
    return 0;
  /*}*/
  return -1;
}

void outputSizes([[maybe_unused]] const runtime::Call &call, [[maybe_unused]] int64_t (*sizes)[runtime::maxRank]) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{outputSizes*/
  sizes[0][0] = a.x.size(0);
  /*}*/
}

/*{each variants*/
namespace /*{name*/ config_0a1b2c3d /*}*/ {

const char *const facts[] = {/*{facts*/ "x.stride(0) == 1", /*}*/ nullptr};

int failingFact([[maybe_unused]] const runtime::Call &call) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{factChecks*/
  if (!(a.x.stride(0) == 1))
    return 0;
  /*}*/
  return -1;
}

void workspaceSizes([[maybe_unused]] const runtime::Call &call, [[maybe_unused]] int64_t *bytes) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{workspaceSizes*/
  bytes[0] = 4 * a.x.size(0);
  /*}*/
}

bool run([[maybe_unused]] const runtime::Call &call, [[maybe_unused]] const runtime::Tensor *outputs,
         [[maybe_unused]] char *const *workspace) {
  [[maybe_unused]] const Arguments a = named(call);
  /*{steps*/
  if (!runtime::fill(workspace[0], 4 * a.x.size(0), 0x0))
    return false;
  {
    const int64_t grid[3] = {helion_ceildiv(a.x.size(0), 32), 1, 1};
    const int64_t arguments[] = {runtime::pointerWord(a.x.data), runtime::pointerWord(outputs[0].data), a.n};
    if (!runtime::launch(the_kernel_0a1b2c3d_0, arguments, grid, 0))
      return false;
  }
  /*}*/
  return true;
}

constexpr runtime::Variant row = {
    /*{idText*/ "0a1b2c3d" /*}*/,
    /*{configText*/ "helion-tile-loops{...}" /*}*/,
    facts,
    /*{scratchBytes*/ 0 /*}*/,
    /*{codeBytes*/ 128 /*}*/,
    /*{workspaceCount*/ 1 /*}*/,
    /*{takesMaps*/ false /*}*/,
    failingFact,
    workspaceSizes,
    run,
};

} // namespace config_0a1b2c3d

/*}*/
/*{fixedSizes*/
const int64_t sizesOf_y[] = {64};
/*}*/
const runtime::Parameter parameters[] = {
    /*{parameterTable*/
    {runtime::Parameter::Kind::Tensor, DType::F32, 1, 0, 0, false, nullptr},
    {runtime::Parameter::Kind::Tensor, DType::F32, 1, 0, 0, false, sizesOf_y},
    {runtime::Parameter::Kind::Integer, DType::I64, 0, 0, 0, false, nullptr},
    /*}*/
};

// Each table ends with one row that nobody reads, because C++ has no empty arrays.
const runtime::Output outputs[] = {/*{outputTable*/ {DType::F32, 1}, /*}*/ {DType::F32, 0}};
const char *const checkMessages[] = {/*{checkMessages*/ "x.size(0) == y.size(0)", /*}*/ nullptr};
const char *const featureNames[] = {/*{featureNames*/ "elements", /*}*/ nullptr};
const int64_t corpus[] = {/*{corpus*/ 1024, 4096, /*}*/ 0};
const int64_t ranges[] = {/*{ranges*/ 1024, 4096, /*}*/ 0};

const int universals[] = {/*{universals*/ CONFIG_0a1b2c3d, /*}*/};

const runtime::Variant variants[] = {/*{variantRows*/ config_0a1b2c3d::row, /*}*/};

constexpr runtime::Signature row = {
    /*{quotedText*/ "x f32[1], y f32[1], n i64" /*}*/,
    /*{nearest*/ "no signature takes these arguments; the nearest is x f32[1], y f32[1], n i64" /*}*/,
    parameters,
    outputs,
    checkMessages,
    /*{firstCheck*/ 0 /*}*/,
    /*{checkFunction*/ failingCheck /*}*/,
    outputSizes,
    choose,
    variants,
    /*{variantCount*/ 1 /*}*/,
    universals,
    featureNames,
    /*{featureCount*/ 1 /*}*/,
    featureValues,
    corpus,
    /*{corpusRows*/ 2 /*}*/,
    ranges,
};

} // namespace signature_0

/*}*/
const runtime::Signature signatures[] = {/*{signatureRows*/ signature_0::row, /*}*/};

const char *const targets[] = {/*{targets*/ "cpu:x86-64-v3", /*}*/};

const runtime::Package package = {
    "the_kernel",
    targets,
    /*{targetCount*/ 1 /*}*/,
    /*{unsupported*/ "the device runs none of the package's code, which is for cpu:x86-64-v3" /*}*/,
    /*{cpuFeatures*/ "" /*}*/,
    /*{parameterCount*/ 3 /*}*/,
    /*{outputCount*/ 1 /*}*/,
    signatures,
    /*{signatureCount*/ 1 /*}*/,
    /*{kernelTable*/ nullptr /*}*/,
    /*{kernelCount*/ 0 /*}*/,
    /*{mapTable*/ nullptr /*}*/,
    /*{mapCount*/ 0 /*}*/,
};

const the_kernel_variant allVariants[] = {
    /*{each allVariants*/
    {/*{signature*/ 0 /*}*/, /*{isUniversal*/ 1 /*}*/, /*{idText*/ "0a1b2c3d" /*}*/,
     /*{configText*/ "helion-tile-loops{...}" /*}*/, /*{facts*/ signature_0::config_0a1b2c3d::facts /*}*/,
     /*{codeBytes*/ 128 /*}*/, /*{scratchBytes*/ 0 /*}*/, /*{targetText*/ "cpu:x86-64-v3" /*}*/},
    /*}*/
};

/// Where the variants of each signature begin in the list of all.
const int firstVariants[] = {/*{firstVariants*/ 0 /*}*/};

static_assert(THE_KERNEL_BAD_INDEX == int(runtime::StatusBadIndex) && THE_KERNEL_MAX_RANK == runtime::maxRank &&
                  THE_KERNEL_REASON_NEAREST == int(runtime::ReasonNearest),
              "the header repeats the runtime's numbers");
} // namespace

extern "C" {

int the_kernel(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
               /*{outputParameters*/ DLTensor *out, /*}*/ void *stream, void *workspace) {
  const runtime::Passed passed[] = {/*{passed*/ {x, 0, 0}, {y, 0, 0}, {nullptr, n, 0}, /*}*/};
  const DLTensor *const results[] = {/*{outputNames*/ out, /*}*/ nullptr};
  return runtime::run(package, passed, results, stream, workspace);
}

int the_kernel_choose(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/
                      the_kernel_choice *choice) {
  const runtime::Passed passed[] = {/*{passed*/ {x, 0, 0}, {y, 0, 0}, {nullptr, n, 0}, /*}*/};
  runtime::Choice made;
  const int status = runtime::choose(package, passed, made);
  const int variant = made.signature < 0 ? -1 : firstVariants[made.signature] + made.variant;
  *choice = {made.signature, variant, made.reason, made.inCorpus, made.inRange, made.failedFact};
  return status;
}

size_t the_kernel_explain(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/ char *buffer,
                          size_t size) {
  const runtime::Passed passed[] = {/*{passed*/ {x, 0, 0}, {y, 0, 0}, {nullptr, n, 0}, /*}*/};
  return runtime::explain(package, passed, buffer, size);
}

int the_kernel_workspace(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/ int64_t *bytes) {
  const runtime::Passed passed[] = {/*{passed*/ {x, 0, 0}, {y, 0, 0}, {nullptr, n, 0}, /*}*/};
  return runtime::workspaceBytes(package, passed, *bytes);
}

int the_kernel_output_shape(/*{parameters*/ const DLTensor *x, const DLTensor *y, int64_t n, /*}*/ int output,
                            the_kernel_shape *shape) {
  const runtime::Passed passed[] = {/*{passed*/ {x, 0, 0}, {y, 0, 0}, {nullptr, n, 0}, /*}*/};
  runtime::OutputShape result;
  const int status = runtime::outputShape(package, passed, output, result);
  shape->dtype = result.dtype;
  shape->ndim = result.rank;
  for (int d = 0; d < THE_KERNEL_MAX_RANK; ++d)
    shape->sizes[d] = result.sizes[d];
  return status;
}

int the_kernel_variants(const the_kernel_variant **variants) {
  *variants = allVariants;
  return int(sizeof(allVariants) / sizeof(allVariants[0]));
}

int the_kernel_prepare(int device) { return runtime::prepare(package, device); }

void the_kernel_unload(void) { runtime::unload(); }

int the_kernel_set_threads(int count) {
  runtime::setThreads(count);
  return runtime::threads();
}

const char *the_kernel_strerror(int status) { return runtime::message(package, status); }

int the_kernel_abi(void) { return THE_KERNEL_ABI; }

} // extern "C"
