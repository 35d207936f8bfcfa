// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a launch plan for one call.
#include "dialect/Target/ResolvedPlan.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace helion {

//===-- Binding --------------------------------------------------------------------------------------------------===//

std::optional<int64_t> Binding::value(const Leaf &leaf) const {
  if (leaf.kind == Leaf::Kind::Device) {
    auto fact = device.find(leaf.name);
    return fact == device.end() ? std::nullopt : std::optional(fact->second);
  }
  if (leaf.kind == Leaf::Kind::Scalar) {
    auto scalar = scalars.find(leaf.name);
    bool isInteger = scalar != scalars.end() && !isFloat(scalar->second.dtype);
    return isInteger ? std::optional(scalar->second.integer) : std::nullopt;
  }
  auto tensor = tensors.find(leaf.name);
  if (tensor == tensors.end())
    return leaf.kind == Leaf::Kind::Align ? std::optional(outputAlign) : std::nullopt;
  if (leaf.kind == Leaf::Kind::Align)
    return tensor->second.align;
  const std::vector<int64_t> &list = leaf.kind == Leaf::Kind::Size ? tensor->second.sizes : tensor->second.strides;
  return leaf.index < list.size() ? std::optional(list[leaf.index]) : std::nullopt;
}

std::optional<Overlap> Binding::overlap(StringRef a, StringRef b) const {
  auto found = overlaps.find({std::min(a, b).str(), std::max(a, b).str()});
  if (found != overlaps.end())
    return found->second;
  return a == b ? Overlap::Same : Overlap::None;
}

Expected<bool> checkPredicate(ArrayRef<Pred> facts, const Binding &binding, std::string *failing) {
  for (const Pred &fact : facts) {
    Expected<bool> holds = fact.evaluate([&](const Leaf &leaf) { return binding.value(leaf); },
                                         [&](StringRef a, StringRef b) { return binding.overlap(a, b); });
    if (!holds)
      return holds.takeError();
    if (*holds)
      continue;
    if (failing)
      *failing = fact.str();
    return false;
  }
  return true;
}

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static const fltSemantics &semanticsOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::F16:
    return APFloat::IEEEhalf();
  case Dtype::BF16:
    return APFloat::BFloat();
  case Dtype::F32:
    return APFloat::IEEEsingle();
  case Dtype::F8E4M3:
    return APFloat::Float8E4M3FN();
  case Dtype::F8E5M2:
    return APFloat::Float8E5M2();
  default:
    return APFloat::IEEEdouble();
  }
}

static bool fits(int64_t value, Dtype dtype) {
  if (dtype == Dtype::Bool)
    return value == 0 || value == 1;
  if (dtype == Dtype::UI8)
    return isUInt<8>(value);
  return isIntN(8 * dtypeBytes(dtype), value);
}

/// The value's bits, in the low bytes.
static Expected<uint64_t> bitsOf(const Scalar &value) {
  if (!isFloat(value.dtype)) {
    if (!fits(value.integer, value.dtype))
      return createStringError("`" + Twine(value.integer) + "` does not fit `" + dtypeName(value.dtype) + "`");
    return uint64_t(value.integer);
  }
  APFloat number(value.real);
  bool losesInfo = false;
  number.convert(semanticsOf(value.dtype), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

Expected<std::string> encodeScalar(const Scalar &value) {
  Expected<uint64_t> bits = bitsOf(value);
  if (!bits)
    return bits.takeError();
  std::string bytes;
  for (unsigned byte = 0; byte < dtypeBytes(value.dtype); ++byte)
    bytes.push_back(char(*bits >> (8 * byte)));
  return bytes;
}

//===-- Resolving ------------------------------------------------------------------------------------------------===//

namespace {
class Resolver {
public:
  Resolver(const Manifest &manifest, const Binding &binding) : manifest(manifest), binding(binding) {}

  Expected<ResolvedPlan> run() {
    for (const Argument &argument : manifest.arguments)
      if (Error error = bindArgument(argument))
        return error;
    for (const PlanCheck &check : manifest.plan.checks)
      if (Error error = runCheck(check))
        return error;
    for (const PlanOutput &output : manifest.plan.outputs)
      if (Error error = addOutput(output))
        return error;
    for (const PlanWorkspace &buffer : manifest.plan.workspace)
      if (Error error = addWorkspace(buffer))
        return error;
    for (const PlanStep &step : manifest.plan.steps) {
      const PlanFill *fill = std::get_if<PlanFill>(&step);
      if (Error error = fill ? addFill(*fill) : addLaunch(std::get<PlanLaunch>(step)))
        return error;
    }
    result.scratchBytes = manifest.resources.scratchBytes;
    return std::move(result);
  }

private:
  Error bindArgument(const Argument &argument) {
    if (argument.kind == Argument::Kind::Tensor)
      return bindTensor(argument);
    if (argument.kind == Argument::Kind::None)
      return Error::success();
    // A fixed value need not be passed again.
    if (argument.kind == Argument::Kind::Fixed)
      binding.scalars.emplace(argument.name, argument.value);
    auto found = binding.scalars.find(argument.name);
    if (found == binding.scalars.end())
      return missing(argument);
    Scalar &given = found->second;
    // `1` for a real is fine; a real for an integer is not.
    if (isFloat(argument.dtype) && !isFloat(given.dtype))
      given.real = double(given.integer);
    else if (isFloat(argument.dtype) != isFloat(given.dtype))
      return createStringError("argument `" + argument.name + "` is `" + dtypeName(given.dtype) + "`, expected `" +
                               dtypeName(argument.dtype) + "`");
    given.dtype = argument.dtype;
    if (argument.kind == Argument::Kind::Fixed && !(given == argument.value))
      return createStringError("argument `" + argument.name + "` is `" + canonicalJson(given.json()) +
                               "`, this artifact serves `" + canonicalJson(argument.value.json()) + "` only");
    return Error::success();
  }

  Error missing(const Argument &argument) { return createStringError("argument `" + argument.name + "` is missing"); }

  Error bindTensor(const Argument &argument) {
    auto found = binding.tensors.find(argument.name);
    if (found == binding.tensors.end())
      return missing(argument);
    const TensorBinding &tensor = found->second;
    if (tensor.dtype != argument.dtype)
      return createStringError("argument `" + argument.name + "` is `" + dtypeName(tensor.dtype) + "`, expected `" +
                               dtypeName(argument.dtype) + "`");
    if (tensor.sizes.size() != argument.rank || tensor.strides.size() != argument.rank)
      return createStringError("argument `" + argument.name + "` has rank `" + Twine(tensor.sizes.size()) +
                               "`, expected `" + Twine(argument.rank) + "`");
    ResolvedBuffer buffer{ResolvedBuffer::Role::Argument, argument.name, argument.dtype, tensor.sizes, tensor.strides};
    buffer.writes = argument.writes;
    return addBuffer(std::move(buffer));
  }

  Error runCheck(const PlanCheck &check) {
    Expected<bool> holds = checkPredicate(check.pred, binding);
    if (!holds)
      return holds.takeError();
    return *holds ? Error::success() : createStringError(check.message);
  }

  Expected<int64_t> evaluate(const SizeExpr &expr) {
    return expr.evaluate([&](const Leaf &leaf) { return binding.value(leaf); });
  }

  Expected<int64_t> evaluateSize(const SizeExpr &expr, StringRef what) {
    Expected<int64_t> size = evaluate(expr);
    if (size && *size < 0)
      return createStringError(what + " `" + expr.str() + "` is `" + Twine(*size) + "`; it may not be negative");
    return size;
  }

  /// Fills in the span of bytes.
  Error addBuffer(ResolvedBuffer buffer) {
    int64_t first = 0, last = 0;
    bool overflow = false;
    for (auto [size, stride] : zip(buffer.sizes, buffer.strides)) {
      int64_t reach = 0;
      int64_t &end = stride < 0 ? first : last;
      overflow |= MulOverflow(size - 1, stride, reach) || AddOverflow(end, reach, end);
    }
    int64_t bytes = dtypeBytes(buffer.dtype);
    overflow |= MulOverflow(first, bytes, buffer.beginByte) || AddOverflow<int64_t>(last, 1, last) ||
                MulOverflow(last, bytes, buffer.endByte);
    if (is_contained(buffer.sizes, 0))
      buffer.beginByte = buffer.endByte = 0;
    else if (overflow)
      return createStringError("buffer `" + buffer.name + "` has more bytes than 64 bits can count");
    result.buffers.push_back(std::move(buffer));
    return Error::success();
  }

  Error addOutput(const PlanOutput &output) {
    ResolvedBuffer buffer{ResolvedBuffer::Role::Output, output.name, output.dtype, {}, {}};
    for (const SizeExpr &expr : output.sizes) {
      Expected<int64_t> size = evaluateSize(expr, "output size");
      if (!size)
        return size.takeError();
      buffer.sizes.push_back(*size);
    }
    buffer.strides.assign(buffer.sizes.size(), 1);
    for (size_t dim = buffer.sizes.size(); dim > 1; --dim)
      if (MulOverflow(buffer.strides[dim - 1], std::max<int64_t>(buffer.sizes[dim - 1], 1), buffer.strides[dim - 2]))
        return createStringError("buffer `" + output.name + "` has more bytes than 64 bits can count");
    return addBuffer(std::move(buffer));
  }

  Error addWorkspace(const PlanWorkspace &workspace) {
    Expected<int64_t> elements = evaluateSize(workspace.elements, "workspace size");
    if (!elements)
      return elements.takeError();
    return addBuffer({ResolvedBuffer::Role::Workspace, workspace.name, workspace.dtype, {*elements}, {1}});
  }

  unsigned bufferIndex(StringRef name) {
    auto found = find_if(result.buffers, [&](const ResolvedBuffer &buffer) { return buffer.name == name; });
    return found - result.buffers.begin();
  }

  Error addFill(const PlanFill &fill) {
    Expected<int64_t> elements = evaluateSize(fill.elements, "fill size");
    if (!elements)
      return elements.takeError();
    Expected<std::string> pattern = encodeScalar(fill.value);
    if (!pattern)
      return pattern.takeError();
    unsigned buffer = bufferIndex(fill.buffer);
    int64_t bytes = 0;
    if (MulOverflow<int64_t>(*elements, pattern->size(), bytes) || bytes > result.buffers[buffer].endByte)
      return createStringError("fill of `" + Twine(*elements) + "` elements is beyond buffer `" + fill.buffer + "`");
    if (bytes != 0)
      result.steps.push_back(ResolvedFill{buffer, bytes, std::move(*pattern)});
    return Error::success();
  }

  Error addLaunch(const PlanLaunch &launch) {
    ResolvedLaunch step;
    step.symbol = launch.symbol;
    step.block = launch.block;
    int64_t programs = 1;
    for (auto [expr, size] : zip(launch.grid, step.grid)) {
      Expected<int64_t> value = evaluateSize(expr, "grid size");
      if (!value)
        return value.takeError();
      size = *value;
    }
    if (is_contained(step.grid, 0))
      return Error::success();
    for (int64_t size : step.grid)
      if (MulOverflow(programs, size, programs))
        return createStringError("grid of `" + launch.symbol + "` has more programs than 64 bits can count");
    for (const PlanArgument &argument : launch.arguments) {
      Expected<ResolvedWord> word = resolveWord(argument);
      if (!word)
        return word.takeError();
      step.words.push_back(*word);
    }
    result.steps.push_back(std::move(step));
    return Error::success();
  }

  Expected<ResolvedWord> resolveWord(const PlanArgument &argument) {
    ResolvedWord word;
    if (argument.kind == PlanArgument::Kind::Scalar) {
      Expected<uint64_t> bits = bitsOf(scalarFor(argument));
      if (!bits)
        return bits.takeError();
      word.bits = *bits;
      return word;
    }
    Expected<int64_t> value = evaluate(argument.value);
    if (!value)
      return value.takeError();
    if (argument.kind == PlanArgument::Kind::Index) {
      word.bits = uint64_t(*value);
      return word;
    }
    word.buffer = bufferIndex(argument.name);
    bool isMap = argument.kind == PlanArgument::Kind::Map;
    Dtype dtype = isMap ? argument.dtype : result.buffers[*word.buffer].dtype;
    if (MulOverflow<int64_t>(*value, dtypeBytes(dtype), word.byteOffset))
      return createStringError("offset `" + argument.value.str() + "` into `" + argument.name +
                               "` has more bytes than 64 bits can count");
    if (isMap)
      if (Error error = resolveMap(argument, word.map.emplace()))
        return error;
    return word;
  }

  /// Whether a driver takes the numbers is for it to say; facts make it likely.
  Error resolveMap(const PlanArgument &argument, ResolvedMap &out) {
    out.dtype = argument.dtype;
    out.box = argument.map.box;
    out.swizzle = argument.map.swizzle;
    for (const SizeExpr &expr : argument.map.sizes) {
      Expected<int64_t> size = evaluateSize(expr, "size of a map");
      if (!size)
        return size.takeError();
      out.sizes.push_back(*size);
    }
    for (const SizeExpr &expr : argument.map.strides) {
      Expected<int64_t> stride = evaluate(expr);
      if (!stride)
        return stride.takeError();
      if (MulOverflow<int64_t>(*stride, dtypeBytes(argument.dtype), out.byteStrides.emplace_back()))
        return createStringError("stride `" + expr.str() + "` of `" + argument.name +
                                 "` has more bytes than 64 bits can count");
    }
    return Error::success();
  }

  /// The call's or the fixed value, as the code wants it; both are floats or both integers (Manifest::verify).
  Scalar scalarFor(const PlanArgument &argument) {
    Scalar value = binding.scalars.find(argument.name)->second;
    value.dtype = argument.dtype;
    return value;
  }

  const Manifest &manifest;
  Binding binding; // With the fixed values.
  ResolvedPlan result;
};
} // namespace

Expected<ResolvedPlan> resolve(const Manifest &manifest, const Binding &binding) {
  if (Error error = manifest.verify())
    return error;
  return Resolver(manifest, binding).run();
}

} // namespace helion
