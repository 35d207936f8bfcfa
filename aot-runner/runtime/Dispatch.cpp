// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatch.h"

namespace HELION_RUNTIME {

static constexpr int64_t workspaceAlignment = 64;

#define HELION_COLD __attribute__((cold, noinline))

namespace {
/// A call on its way: what was read of it so far.
struct Reading {
  const Signature *signature = nullptr;
  int signatureIndex = 0;
  Call call;
  const DLDevice *memory = nullptr; // Of the first tensor.
  Tensor tensors[maxParameters];
};
} // namespace

static bool isSame(const DLDevice &a, const DLDevice &b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

static inline bool hasSizes(const DLTensor &tensor, const Parameter &parameter) {
  if (!parameter.sizes)
    return true;
  for (int d = 0; d < parameter.rank; ++d)
    if (parameter.sizes[d] >= 0 && tensor.shape[d] != parameter.sizes[d])
      return false;
  return true;
}

static inline bool accepts(const Parameter &parameter, const Passed &passed) {
  switch (parameter.kind) {
  case Parameter::Kind::Tensor:
    return passed.tensor && hasType(*passed.tensor, parameter.type, parameter.rank) &&
           hasSizes(*passed.tensor, parameter);
  case Parameter::Kind::None:
    return !passed.tensor;
  case Parameter::Kind::FixedInteger:
    return passed.integer == parameter.integer;
  case Parameter::Kind::FixedReal:
    return passed.real == parameter.real;
  case Parameter::Kind::Integer:
  case Parameter::Kind::Real:
    return true;
  }
  return false;
}

/// The status of a call that no signature takes: which one comes nearest.
HELION_COLD static Status nearestSignature(const Package &package, const Passed *passed) {
  int nearest = 0, fewest = package.parameterCount + 1;
  for (int s = 0; s < package.signatureCount; ++s) {
    int misfits = 0;
    for (int i = 0; i < package.parameterCount; ++i)
      misfits += !accepts(package.signatures[s].parameters[i], passed[i]);
    if (misfits < fewest) {
      nearest = s;
      fewest = misfits;
    }
  }
  return Status(StatusSignature + nearest);
}

static inline bool fits(const Package &package, const Signature &signature, const Passed *passed) {
  for (int i = 0; i < package.parameterCount; ++i)
    if (!accepts(signature.parameters[i], passed[i]))
      return false;
  return true;
}

static inline Status findSignature(const Package &package, const Passed *passed, Reading &reading) {
  for (int s = 0; s < package.signatureCount; ++s) {
    if (!fits(package, package.signatures[s], passed))
      continue;
    reading.signature = &package.signatures[s];
    reading.signatureIndex = s;
    return StatusOk;
  }
  return nearestSignature(package, passed);
}

/// What a kernel changes in place must lie apart from all else that it reads or writes.
static bool isApart(const Package &package, const Reading &reading, int written) {
  const Parameter *parameters = reading.signature->parameters;
  if (repeatsElements(reading.tensors[written]))
    return false;
  for (int other = 0; other < package.parameterCount; ++other)
    if (other != written && parameters[other].kind == Parameter::Kind::Tensor &&
        !areApart(reading.tensors[written], reading.tensors[other]))
      return false;
  return true;
}

/// Whether the memory is of the call's device. The first tensor decides that, and it must be one that runs the package.
static inline Status checkMemory(const Package &package, const DLDevice &memory, Reading &reading) {
  if (reading.memory && isSame(memory, *reading.memory))
    return StatusOk;
  int32_t device;
  if (!isHere(memory, device) || (reading.memory && device != reading.call.device))
    return StatusWrongDevice;
  if (reading.memory)
    return StatusOk;
  reading.memory = &memory;
  reading.call.device = device;
  return checkDevice(package, reading.call);
}

static inline Status read(const Package &package, const Passed *passed, Reading &reading) {
  if (Status status = findSignature(package, passed, reading))
    return status;
  const Signature &signature = *reading.signature;
  reading.call = {passed, reading.tensors};
  bool writes = false;
  for (int i = 0; i < package.parameterCount; ++i) {
    const Parameter &parameter = signature.parameters[i];
    if (parameter.kind != Parameter::Kind::Tensor)
      continue;
    const DLTensor &tensor = *passed[i].tensor;
    if (Status status = checkMemory(package, tensor.device, reading))
      return status;
    if (Status status = readTensor(tensor, parameter.bytes, reading.tensors[i]))
      return status;
    writes |= parameter.writes;
  }
  if (!reading.memory)
    if (Status status = checkDevice(package, reading.call))
      return status;
  for (int i = 0; writes && i < package.parameterCount; ++i)
    if (signature.parameters[i].kind == Parameter::Kind::Tensor && signature.parameters[i].writes &&
        !isApart(package, reading, i))
      return StatusOverlap;
  int check = signature.failingCheck ? signature.failingCheck(reading.call) : -1;
  return check < 0 ? StatusOk : Status(StatusCheck + signature.firstCheck + check);
}

/// Whether all that the variant lacks is a driver that makes tensor maps.
static bool lacksMaps(const Variant &variant, const Call &call) {
  Call other = call;
  other.makesMaps = true;
  return variant.takesMaps && variant.failingFact(other) < 0;
}

/// What runs where a fact of the leaf's variant fails: the nearest one whose facts hold.
HELION_COLD static Status pickNext(const Reading &reading, const int *next, Choice &choice) {
  const Signature &signature = *reading.signature;
  for (;; ++next) {
    bool isLast = *next == signature.universals[reading.call.target];
    choice.variant = *next;
    choice.reason = isLast ? ReasonFallback : ReasonNearest;
    if (signature.variants[*next].failingFact(reading.call) < 0)
      return StatusOk;
    if (isLast)
      return lacksMaps(signature.variants[*next], reading.call) ? StatusNoTensorMaps : StatusNoVariant;
  }
}

static inline Status pickVariant(const Reading &reading, Choice &choice) {
  const Signature &signature = *reading.signature;
  Leaf leaf = signature.choose(reading.call);
  choice.target = reading.call.target;
  choice.signature = reading.signatureIndex;
  choice.variant = choice.leafVariant = leaf.variant;
  choice.reason = ReasonTree;
  choice.failedFact = signature.variants[leaf.variant].failingFact(reading.call);
  return choice.failedFact < 0 ? StatusOk : pickNext(reading, leaf.next, choice);
}

/// Below 0 where the row comes before the values, 0 where it is them.
static inline int compareRow(const int64_t *row, const int64_t *values, int count) {
  for (int f = 0; f < count; ++f)
    if (row[f] != values[f])
      return row[f] < values[f] ? -1 : 1;
  return 0;
}

static inline void compareWithCorpus(const Reading &reading, Choice &choice) {
  const Signature &signature = *reading.signature;
  const int count = signature.featureCount;
  int64_t values[maxFeatures];
  if (reading.call.target != 0 || signature.corpusRows == 0)
    return; // Nothing was measured for it.
  signature.featureValues(reading.call, values);
  for (int f = 0; f < count; ++f)
    if (values[f] < signature.ranges[2 * f] || values[f] > signature.ranges[2 * f + 1])
      return;
  choice.inRange = 1;
  for (int low = 0, high = signature.corpusRows; low < high;) {
    int middle = low + (high - low) / 2;
    int order = compareRow(signature.corpus + middle * count, values, count);
    if (order == 0) {
      choice.inCorpus = 1;
      return;
    }
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
}

static int64_t padded(int64_t bytes) { return (bytes + workspaceAlignment - 1) & -workspaceAlignment; }

static Status readOutputs(const Package &package, Reading &reading, const DLTensor *const *outputs, Tensor *results) {
  const Signature &signature = *reading.signature;
  int64_t sizes[maxOutputs][maxRank];
  signature.outputSizes(reading.call, sizes);
  for (int o = 0; o < package.outputCount; ++o) {
    const Output &output = signature.outputs[o];
    if (Status status = readOutput(outputs[o], output.dtype, output.rank, sizes[o], results[o]))
      return status;
    if (Status status = checkMemory(package, outputs[o]->device, reading))
      return status;
    for (int i = 0; i < package.parameterCount; ++i)
      if (signature.parameters[i].kind == Parameter::Kind::Tensor && !areApart(results[o], reading.tensors[i]))
        return StatusOverlap;
    for (int other = 0; other < o; ++other)
      if (!areApart(results[o], results[other]))
        return StatusOverlap;
    if (results[o].align() < reading.call.outputAlignment)
      reading.call.outputAlignment = results[o].align();
  }
  return StatusOk;
}

Status run(const Package &package, const Passed *passed, const DLTensor *const *outputs, void *stream,
           void *workspace) {
  Reading reading;
  Choice choice;
  Tensor results[maxOutputs];
  if (Status status = read(package, passed, reading))
    return status;
  if (Status status = readOutputs(package, reading, outputs, results))
    return status;
  if (Status status = pickVariant(reading, choice))
    return status;
  const Variant &variant = reading.signature->variants[choice.variant];
  int64_t bytes[maxWorkspaces];
  char *parts[maxWorkspaces];
  char *next = static_cast<char *>(workspace);
  if (variant.workspaceCount > 0)
    variant.workspaceSizes(reading.call, bytes);
  for (int w = 0; w < variant.workspaceCount; ++w) {
    if (bytes[w] > 0 && (!workspace || reinterpret_cast<uintptr_t>(workspace) % workspaceAlignment != 0))
      return StatusBadWorkspace;
    parts[w] = next;
    next += padded(bytes[w]);
  }
  if (Status status = enter(package, stream, reading.call))
    return status;
  bool ran = variant.run(reading.call, results, parts);
  leave(reading.call);
  return ran ? StatusOk : stepFailure(reading.call);
}

Status choose(const Package &package, const Passed *passed, Choice &choice) {
  choice = {-1, -1, ReasonTree, 0, 0, -1, -1, 0};
  Reading reading;
  if (Status status = read(package, passed, reading))
    return status;
  compareWithCorpus(reading, choice);
  return pickVariant(reading, choice);
}

Status workspaceBytes(const Package &package, const Passed *passed, int64_t &bytes) {
  bytes = 0;
  Reading reading;
  Choice choice;
  if (Status status = read(package, passed, reading))
    return status;
  if (Status status = pickVariant(reading, choice))
    return status;
  const Variant &variant = reading.signature->variants[choice.variant];
  int64_t parts[maxWorkspaces];
  variant.workspaceSizes(reading.call, parts);
  for (int w = 0; w < variant.workspaceCount; ++w)
    bytes += padded(parts[w]);
  return StatusOk;
}

Status outputShape(const Package &package, const Passed *passed, int output, OutputShape &shape) {
  shape = {};
  if (output < 0 || output >= package.outputCount)
    return StatusBadIndex;
  Reading reading;
  if (Status status = read(package, passed, reading))
    return status;
  int64_t sizes[maxOutputs][maxRank];
  reading.signature->outputSizes(reading.call, sizes);
  const Output &type = reading.signature->outputs[output];
  const DTypeInfo &facts = info(type.dtype);
  shape.dtype = {facts.dlpackCode, facts.dlpackBits, 1};
  shape.rank = type.rank;
  for (int d = 0; d < type.rank; ++d)
    shape.sizes[d] = sizes[output][d];
  return StatusOk;
}

int64_t realWord(DType type, double value) {
  int64_t word = 0;
  if (type == DType::F32 && value == value) { // Most scalars, and rounded by one instruction.
    float narrow = float(value);
    __builtin_memcpy(&word, &narrow, sizeof narrow);
    return word;
  }
  encode(type, value, &word);
  return word;
}

const char *message(const Package &package, int status) {
  static const char *const fixed[] = {
      "no error",
      "an argument that must be a tensor is null",
      "a tensor has a negative size, null data with elements, or data that is not aligned to its element type",
      "a result's tensor has another dtype, rank or shape than the shape query gives, or is not contiguous",
      "a result, or an argument that is changed in place, overlaps an argument or another result",
      "workspace is needed and was null or not aligned to 64 bytes; ask the workspace query for its size",
      "a tensor is in memory of another kind than the package's device, or of another device than the rest",
      "this processor lacks instructions the kernels were compiled for",
      "the facts that the universal variant relies on do not hold for this call",
      "out of memory",
      "there is no result with this number",
      "there is no driver for the package's device, or it is older than the kernels",
      nullptr, // The package's own.
      "the device's driver refused a kernel or its launch, or an earlier launch has failed",
      "this process was forked from one that used CUDA, which does not work after a fork; start a new program instead",
      "the device's driver lacks the function `cuTensorMapEncodeTiled`, which the kernel needs; install a newer driver",
  };
  if (status == StatusUnsupportedDevice)
    return package.unsupported;
  if (status >= 0 && status < int(sizeof(fixed) / sizeof(fixed[0])))
    return fixed[status];
  if (status >= StatusSignature && status < StatusSignature + package.signatureCount)
    return package.signatures[status - StatusSignature].nearest;
  if (status >= StatusMap && status < StatusMap + package.mapCount)
    return package.maps[status - StatusMap].refused;
  for (int s = 0; s < package.signatureCount; ++s) {
    const Signature &signature = package.signatures[s];
    int check = status - StatusCheck - signature.firstCheck;
    for (int i = 0; signature.checks[i]; ++i)
      if (i == check)
        return signature.checks[i];
  }
  return "unknown status";
}

} // namespace HELION_RUNTIME
