// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol's JSON.
#include "aot-runner/Measure/WireForm.h"

#include "aot-runner/Measure/InputData.h"
#include "aot-runner/runtime/Base64.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/StringExtras.h"

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;
using Role = ResolvedBuffer::Role;

static llvm::Expected<json::Object> wireArgument(const Row &row, const ResolvedBuffer &buffer) {
  constexpr int64_t kMaxAlign = 64; // The protocol's.
  const RowArg &arg = row.args.at(buffer.name);
  json::Object result{{"name", buffer.name},
                      {"dtype", dtypeName(arg.dtype)},
                      {"sizes", json::Array(arg.shape)},
                      {"strides", json::Array(arg.strides)},
                      {"align", std::min(arg.align, kMaxAlign)}};
  if (arg.init.kind != Init::Kind::File) {
    result["init"] = arg.init.text();
    result["seed"] = inputSeed(row, buffer.name);
    return result;
  }
  llvm::Expected<interp::HostTensor> tensor = inputTensor(row, buffer.name);
  if (!tensor)
    return tensor.takeError();
  interp::HostTensor dense = tensor->copy();
  result["data"] = HELION_RUNTIME::encodeBase64(dense.storage->data(), dense.storage->size());
  return result;
}

llvm::Expected<json::Array> helion::aot::wireBuffers(const Row &row, const ResolvedPlan &plan) {
  json::Array buffers;
  for (const ResolvedBuffer &buffer : plan.buffers) {
    if (buffer.role != Role::Argument) {
      buffers.push_back(json::Object{{"name", buffer.name},
                                     {"role", buffer.role == Role::Output ? "output" : "workspace"},
                                     {"bytes", buffer.endByte}});
      continue;
    }
    llvm::Expected<json::Object> argument = wireArgument(row, buffer);
    if (!argument)
      return argument.takeError();
    buffers.push_back(std::move(*argument));
  }
  return buffers;
}

static json::Object wireWord(const ResolvedPlan &plan, const ResolvedWord &word) {
  if (word.buffer)
    return json::Object{{"pointer", plan.buffers[*word.buffer].name}, {"byte_offset", word.byteOffset}};
  return json::Object{{"index", static_cast<int64_t>(word.bits)}};
}

static json::Object wireStep(const ResolvedPlan &plan, const std::variant<ResolvedFill, ResolvedLaunch> &step) {
  if (const auto *fill = std::get_if<ResolvedFill>(&step))
    return json::Object{{"step", "fill"},
                        {"buffer", plan.buffers[fill->buffer].name},
                        {"bytes", fill->bytes},
                        {"pattern", llvm::toHex(fill->pattern, /*LowerCase=*/true)}};
  const auto &launch = std::get<ResolvedLaunch>(step);
  json::Array arguments;
  for (const ResolvedWord &word : launch.words)
    arguments.push_back(wireWord(plan, word));
  return json::Object{{"step", "launch"},
                      {"symbol", launch.symbol},
                      {"grid", json::Array({launch.grid[0], launch.grid[1], launch.grid[2]})},
                      {"scratch_bytes", plan.scratchBytes},
                      {"arguments", std::move(arguments)}};
}

json::Object helion::aot::wirePlan(const ResolvedPlan &plan) {
  json::Array steps;
  for (const auto &step : plan.steps)
    steps.push_back(wireStep(plan, step));
  return json::Object{{"steps", std::move(steps)}};
}

std::string helion::aot::caseName(const Row &row, const ResolvedPlan &plan) {
  std::string sizes;
  for (const ResolvedBuffer &buffer : plan.buffers)
    if (buffer.role != Role::Argument)
      sizes += buffer.name + "=" + std::to_string(buffer.endByte) + ";";
  return contentHash({row.id(), sizes});
}
