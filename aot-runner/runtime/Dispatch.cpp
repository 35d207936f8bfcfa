// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatch.h"

namespace HELION_RUNTIME {

static constexpr int64_t workspaceAlignment = 64;

namespace {
/// A call on its way: what was read of it so far.
struct Reading {
  const Signature *signature = nullptr;
  int signatureIndex = 0;
  Tensor tensors[maxParameters];
  Call call;
};
} // namespace

static bool hasSizes(const DLTensor &tensor, const Parameter &parameter) {
  if (!parameter.sizes)
    return true;
  for (int d = 0; d < parameter.rank; ++d)
    if (parameter.sizes[d] >= 0 && tensor.shape[d] != parameter.sizes[d])
      return false;
  return true;
}

static bool accepts(const Parameter &parameter, const Passed &passed) {
  switch (parameter.kind) {
  case Parameter::Kind::Tensor:
    return passed.tensor && hasType(*passed.tensor, parameter.dtype, parameter.rank) &&
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

static Status findSignature(const Package &package, const Passed *passed, Reading &reading) {
  int nearest = 0, fewest = package.parameterCount + 1;
  for (int s = 0; s < package.signatureCount; ++s) {
    int misfits = 0;
    for (int i = 0; i < package.parameterCount; ++i)
      misfits += !accepts(package.signatures[s].parameters[i], passed[i]);
    if (misfits < fewest) {
      nearest = s;
      fewest = misfits;
    }
    if (misfits == 0)
      break;
  }
  reading.signature = &package.signatures[nearest];
  reading.signatureIndex = nearest;
  return fewest == 0 ? StatusOk : Status(StatusSignature + nearest);
}

/// What a kernel changes in place must lie apart from all else that it reads or writes.
static Status checkWritten(const Package &package, const Reading &reading) {
  const Parameter *parameters = reading.signature->parameters;
  for (int i = 0; i < package.parameterCount; ++i) {
    if (parameters[i].kind != Parameter::Kind::Tensor || !parameters[i].writes)
      continue;
    if (repeatsElements(reading.tensors[i]))
      return StatusOverlap;
    for (int other = 0; other < package.parameterCount; ++other)
      if (other != i && parameters[other].kind == Parameter::Kind::Tensor &&
          overlap(reading.tensors[i], reading.tensors[other]) != Overlap::None)
        return StatusOverlap;
  }
  return StatusOk;
}

static Status read(const Package &package, const Passed *passed, Reading &reading) {
  if (Status status = checkMachine(package))
    return status;
  if (Status status = findSignature(package, passed, reading))
    return status;
  const Signature &signature = *reading.signature;
  reading.call = {passed, reading.tensors};
  bool hasTensors = false;
  for (int i = 0; i < package.parameterCount; ++i) {
    const Parameter &parameter = signature.parameters[i];
    if (parameter.kind != Parameter::Kind::Tensor)
      continue;
    if (Status status = readTensor(*passed[i].tensor, parameter.dtype, reading.tensors[i]))
      return status;
    if (hasTensors && reading.tensors[i].device != reading.call.device)
      return StatusWrongDevice;
    reading.call.device = reading.tensors[i].device;
    hasTensors = true;
  }
  if (Status status = checkDevice(package, reading.call))
    return status;
  if (Status status = checkWritten(package, reading))
    return status;
  int check = signature.failingCheck(reading.call);
  return check < 0 ? StatusOk : Status(StatusCheck + signature.firstCheck + check);
}

/// The leaf's variant where its facts hold, else the nearest one whose facts hold.
static Status pickVariant(const Reading &reading, Choice &choice) {
  const Signature &signature = *reading.signature;
  Leaf leaf = signature.choose(reading.call);
  choice.target = reading.call.target;
  choice.signature = reading.signatureIndex;
  choice.variant = choice.leafVariant = leaf.variant;
  choice.reason = ReasonTree;
  choice.failedFact = signature.variants[leaf.variant].failingFact(reading.call);
  if (choice.failedFact < 0)
    return StatusOk;
  for (const int *next = leaf.next;; ++next) {
    bool isLast = *next == signature.universals[reading.call.target];
    choice.variant = *next;
    choice.reason = isLast ? ReasonFallback : ReasonNearest;
    if (signature.variants[*next].failingFact(reading.call) < 0)
      return StatusOk;
    if (isLast)
      return StatusNoVariant;
  }
}

static void compareWithCorpus(const Reading &reading, Choice &choice) {
  const Signature &signature = *reading.signature;
  int64_t values[maxFeatures];
  if (reading.call.target != 0)
    return; // Nothing was measured for it.
  signature.featureValues(reading.call, values);
  bool isRow = false;
  bool below[maxFeatures] = {}, above[maxFeatures] = {};
  for (int r = 0; r < signature.corpusRows; ++r) {
    const int64_t *row = signature.corpus + r * signature.featureCount;
    bool equal = true;
    for (int f = 0; f < signature.featureCount; ++f) {
      equal &= row[f] == values[f];
      below[f] |= row[f] <= values[f];
      above[f] |= row[f] >= values[f];
    }
    isRow |= equal;
  }
  bool isInside = signature.corpusRows > 0;
  for (int f = 0; f < signature.featureCount; ++f)
    isInside &= below[f] && above[f];
  choice.inCorpus = isRow;
  choice.inRange = isInside;
}

static int64_t padded(int64_t bytes) { return (bytes + workspaceAlignment - 1) & -workspaceAlignment; }

static Status readOutputs(const Package &package, const Reading &reading, const DLTensor *const *outputs,
                          Tensor *results) {
  const Signature &signature = *reading.signature;
  int64_t sizes[maxOutputs][maxRank];
  signature.outputSizes(reading.call, sizes);
  for (int o = 0; o < package.outputCount; ++o) {
    const Output &output = signature.outputs[o];
    if (Status status = readOutput(outputs[o], output.dtype, output.rank, sizes[o], results[o]))
      return status;
    if (results[o].device != reading.call.device)
      return StatusWrongDevice;
    for (int i = 0; i < package.parameterCount; ++i)
      if (signature.parameters[i].kind == Parameter::Kind::Tensor &&
          overlap(results[o], reading.tensors[i]) != Overlap::None)
        return StatusOverlap;
    for (int other = 0; other < o; ++other)
      if (overlap(results[o], results[other]) != Overlap::None)
        return StatusOverlap;
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
  for (int o = 0; o < package.outputCount; ++o)
    if (results[o].align() < reading.call.outputAlignment)
      reading.call.outputAlignment = results[o].align();
  if (Status status = pickVariant(reading, choice))
    return status;
  const Variant &variant = reading.signature->variants[choice.variant];
  int64_t bytes[maxWorkspaces];
  char *parts[maxWorkspaces];
  char *next = static_cast<char *>(workspace);
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
  return ran ? StatusOk : stepFailure();
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
  };
  if (status == StatusUnsupportedDevice)
    return package.unsupported;
  if (status >= 0 && status < int(sizeof(fixed) / sizeof(fixed[0])))
    return fixed[status];
  if (status >= StatusSignature && status < StatusSignature + package.signatureCount)
    return package.signatures[status - StatusSignature].nearest;
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
