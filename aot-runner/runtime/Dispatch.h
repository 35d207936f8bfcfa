// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a generated package consists of (tables and small functions) and what every package does with it: find the
// signature, check, choose, fall back, run, explain. Generated code holds no logic of its own but the dispatch tree.
#ifndef HELION_AOT_RUNNER_RUNTIME_DISPATCH_H
#define HELION_AOT_RUNNER_RUNTIME_DISPATCH_H

#include "KernelAbi.h"
#include "Namespace.h"
#include "Tensor.h"

#include <cstddef>
#include <cstdint>

namespace HELION_RUNTIME {

/// One argument as the caller passed it; which member counts is the parameter's kind.
struct Passed {
  const DLTensor *tensor;
  int64_t integer;
  double real;
};

struct Parameter {
  enum class Kind : uint8_t { Tensor, None, Integer, Real, FixedInteger, FixedReal };
  constexpr Parameter(Kind kind, DType dtype, int32_t rank, int64_t integer, double real, bool writes,
                      const int64_t *sizes)
      : kind(kind), writes(writes), bytes(uint8_t(info(dtype).bytes)), rank(uint8_t(rank)), type(typeWord(dtype)),
        integer(integer), real(real), sizes(sizes) {}
  Kind kind;
  bool writes;     // tensors: changed in place
  uint8_t bytes;   // tensors: of an element
  uint8_t rank;    // tensors
  uint32_t type;   // tensors: their dtype, as `typeWord` has it
  int64_t integer; // fixed values
  double real;
  const int64_t *sizes; // tensors: of each dim, -1 where it may be any; null: all may
};

struct Loaded; // Of a GPU.

/// A call inside a signature. `tensors[i]` is read where parameter i is a tensor.
struct Call {
  const Passed *passed;
  const Tensor *tensors;
  int device = 0;               // where its tensors are
  int64_t outputAlignment = 64; // the least of its outputs'; of a question without outputs, what allocators give
  // Of a GPU only:
  int target = 0; // which of the package's the device runs
  int64_t multiprocessors = 0;
  bool makesMaps = true; // its driver makes tensor maps
  void *stream = nullptr;
  Loaded *loaded = nullptr;              // the package's code in the caller's context
  bool hasOwnContext = false;            // one that the call made current, and ends
  mutable Status failure = StatusDevice; // what it means that a step failed
};

/// A kernel of a GPU: in which image it is, by which name. Those of one image stand together.
struct Kernel {
  const unsigned char *binary; // a cubin, or null
  const unsigned char *text;   // PTX of the same code, which a driver compiles for newer chips; or null
  const char *symbol;
  int64_t sharedBytes; // the most that a launch wants
  int target;          // index into Package::targets
};

/// A tensor map that a kernel takes: what is the same in all calls.
struct MapRow {
  int kernel;          // index into Package::kernels
  const char *refused; // the message for a call of which the driver does not take it
  MapBox box;
};

/// The same in a call, in whose frame it lies.
struct TensorMap {
  int row; // index into Package::maps
  MapTensor tensor;
  MapBytes bytes; // the kernel's parameter, made by `launch`
};

struct Leaf {
  int variant;
  const char *why; // the conditions that lead here; empty for a tree of one leaf
  const int *next; // what to try where a fact fails, the nearest first; ends with the universal variant
};

struct Output {
  DType dtype;
  int32_t rank;
};

struct Variant {
  const char *id;
  const char *config;
  const char *const *facts; // ends with null
  int64_t scratchBytes;     // for each thread
  int64_t codeBytes;
  int workspaceCount;
  bool takesMaps;                   // a fact of its own, behind those of the code
  int (*failingFact)(const Call &); // index into `facts`, or -1
  void (*workspaceSizes)(const Call &, int64_t *bytes);
  bool (*run)(const Call &, const Tensor *outputs, char *const *workspace); // false: a step failed
};

struct Signature {
  const char *text;    // "x f32[2], y f32[2]"
  const char *nearest; // the message for calls that come nearest to this one
  const Parameter *parameters;
  const Output *outputs;
  const char *const *checks;         // messages of the kernel's own checks, ends with null
  int firstCheck;                    // checks are numbered through the package
  int (*failingCheck)(const Call &); // index into `checks`, or -1; null where there are none
  void (*outputSizes)(const Call &, int64_t (*sizes)[maxRank]);
  Leaf (*choose)(const Call &);
  const Variant *variants;
  int variantCount;
  const int *universals;       // of each target
  const char *const *features; // names of what the tree asks for
  int featureCount;
  void (*featureValues)(const Call &, int64_t *values);
  const int64_t *corpus; // rows of feature values, measured when the package was made; sorted, the first feature first
  int corpusRows;
  const int64_t *ranges; // of each feature the least and the largest of those values
};

struct Package {
  const char *name;
  const char *const *targets; // the measured one first
  int targetCount;
  const char *unsupported; // the message for a device that runs none of them
  const char *cpuFeatures;
  int parameterCount;
  int outputCount;
  const Signature *signatures;
  int signatureCount;
  const Kernel *kernels; // of a GPU
  int kernelCount;
  const MapRow *maps; // of a GPU
  int mapCount;
};

/// Why a variant runs.
enum Reason : int {
  ReasonTree = 0,     // the tree's leaf
  ReasonFallback = 1, // a fact of the leaf's variant fails, and of all but the universal one
  ReasonNearest = 2,  // a fact of the leaf's variant fails; this is the nearest one whose facts hold
};

struct Choice {
  int signature;
  int variant; // of the signature
  int reason;
  int inCorpus;   // the feature values are a row of the corpus
  int inRange;    // each feature value lies between the corpus's smallest and largest
  int failedFact; // of the leaf's variant, or -1
  int leafVariant;
  int target; // of the package, which the device runs
};

constexpr int maxParameters = 24, maxOutputs = 8, maxFeatures = 16, maxWorkspaces = 8;

Status run(const Package &package, const Passed *passed, const DLTensor *const *outputs, void *stream, void *workspace);
Status choose(const Package &package, const Passed *passed, Choice &choice);
Status workspaceBytes(const Package &package, const Passed *passed, int64_t &bytes);

struct OutputShape {
  DLDataType dtype;
  int32_t rank;
  int64_t sizes[maxRank];
};
Status outputShape(const Package &package, const Passed *passed, int output, OutputShape &shape);

/// Writes at most `size` bytes, the last a 0; returns the bytes of the whole text without it.
size_t explain(const Package &package, const Passed *passed, char *buffer, size_t size);

const char *message(const Package &package, int status);

// What follows, down to the next line of this kind, is what a kind of device does: DispatchCpu.cpp or DispatchCuda.cpp,
// of which a package has one.

/// Does what the first call would do on the device.
Status prepare(const Package &package, int device);
void unload();
/// Of a CPU's calls; a GPU has none.
void setThreads(int count);
int threads();

/// Whether kernels of this package can use the memory, and of which device it is: its number among those of its kind, 0
/// for memory of the processor.
bool isHere(const DLDevice &memory, int32_t &device);
/// Whether the package runs on this machine and on the call's device; asked by each call. Sets what the call's
/// expressions ask of the device.
Status checkDevice(const Package &package, Call &call);
/// Makes ready what the steps of a call need; `leave` follows where that went well.
Status enter(const Package &package, void *stream, Call &call);
void leave(const Call &call);
/// What it means that a step failed.
Status stepFailure(const Call &call);

// For the printed plans. A CPU's:
bool launch(ProgramFunction function, const int64_t *arguments, const int64_t *grid, int64_t scratchBytes);
bool fill(void *data, int64_t bytes, uint64_t pattern);
/// A GPU's; `kernel` is an index into Package::kernels. The first launch in a context loads the kernel's image.
bool launch(const Call &call, int kernel, const int64_t *arguments, int argumentCount, const int64_t *grid,
            int64_t threads, int64_t sharedBytes);
/// The same of a kernel that takes tensor maps, which are made first; `parameters` has the address of each parameter.
bool launch(const Call &call, int kernel, TensorMap *maps, int mapCount, void **parameters, const int64_t *grid,
            int64_t threads, int64_t sharedBytes);
bool fill(const Call &call, void *data, int64_t bytes, uint64_t pattern);

// Of all devices again.
inline int64_t pointerWord(const char *address) { return reinterpret_cast<int64_t>(address); }
int64_t realWord(DType type, double value);

} // namespace HELION_RUNTIME

#endif // HELION_AOT_RUNNER_RUNTIME_DISPATCH_H
