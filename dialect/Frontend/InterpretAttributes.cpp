// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes: `x.shape`, `tile.index`, `torch.float32`. What is no property is a method, found in the table of
// operations when it is called.
#include "dialect/Frontend/Interpreter.h"
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

#include "dialect/IR/Dims.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static std::optional<PyValue> libraryConstant(llvm::StringRef path) {
  static const std::map<llvm::StringRef, double> numbers = {{"math.pi", 3.141592653589793},
                                                            {"math.e", 2.718281828459045},
                                                            {"math.inf", std::numeric_limits<double>::infinity()},
                                                            {"math.nan", std::nan("")},
                                                            {"torch.pi", 3.141592653589793},
                                                            {"torch.e", 2.718281828459045},
                                                            {"torch.inf", std::numeric_limits<double>::infinity()},
                                                            {"torch.nan", std::nan("")}};
  if (auto it = numbers.find(path); it != numbers.end())
    return PyValue(it->second);
  if (path.consume_front("torch."))
    if (std::optional<DType> dtype = parseTorchDType(path))
      return PyValue(*dtype);
  return std::nullopt;
}

static Result method(KernelBuilder &k, const char *family, llvm::StringRef name, const PyValue &self) {
  std::string path = (family + name).str();
  if (!findOperation(path))
    return k.fail("unsupported attribute or method `." + name + "` of " + self.describe());
  return PyValue(Symbol{path, std::make_shared<PyValue>(self)});
}

// `x.T` is a call without parentheses.
static Result transposed(Interpreter &in, const char *family, const PyValue &self) {
  Result transpose = method(in.k, family, "t", self);
  return failed(transpose) ? transpose : in.call(*transpose, {}, {});
}

static std::optional<PyValue> hostProperty(const HostTensor &tensor, llvm::StringRef name) {
  if (name == "shape") {
    std::vector<PyValue> sizes;
    for (const SizeExpr &size : tensor.sizes)
      sizes.push_back(makeSize(size));
    return makeSequence(std::move(sizes));
  }
  if (name == "dtype")
    return PyValue(tensor.dtype);
  if (name == "device" || name == "layout")
    return PyValue(Opaque{});
  if (name == "ndim")
    return PyValue(static_cast<int64_t>(tensor.sizes.size()));
  return std::nullopt;
}

static std::optional<PyValue> valueProperty(const TileValue &value, llvm::StringRef name, MLIRContext *context) {
  if (name == "shape") {
    std::vector<PyValue> dims;
    for (DimAttr dim : frontend::dimsOf(value, context))
      dims.push_back(dim.getConstant() ? PyValue(*dim.getConstant()) : PyValue(DimHandle{dim}));
    return makeSequence(std::move(dims));
  }
  if (name == "dtype")
    return PyValue(value.dtype);
  if (name == "device")
    return PyValue(Opaque{});
  if (name == "ndim")
    return PyValue(static_cast<int64_t>(value.rank()));
  return std::nullopt;
}

template <typename Op> static PyValue query(KernelBuilder &k, const Tile &tile) {
  return Scalar{DType::Index, Op::create(k.b, k.loc(), k.b.getIndexType(), tile.tile), nullptr};
}

static std::optional<PyValue> tileProperty(KernelBuilder &k, const Tile &tile, llvm::StringRef name) {
  DimAttr dim = cast<TileType>(tile.tile.getType()).getDim();
  if (name == "index") {
    Type type = tileValueType({dim}, k.b.getIndexType());
    return PyValue(tileValue(IotaOp::create(k.b, k.loc(), type, tile.tile), DType::Index));
  }
  if (name == "begin")
    return query<TileBeginOp>(k, tile);
  if (name == "end")
    return query<TileEndOp>(k, tile);
  if (name == "id")
    return query<TileIdOp>(k, tile);
  if (name == "count")
    return query<TileCountOp>(k, tile);
  if (name == "block_size")
    return PyValue(BlockHandle{dim.getBlock().str()});
  return std::nullopt;
}

Result Interpreter::attribute(const PyValue &value, llvm::StringRef name) {
  if (const Symbol *symbol = value.get<Symbol>()) {
    std::string path = symbol->path + "." + name.str();
    if (path == "helion.language")
      path = "hl";
    std::optional<PyValue> known = libraryConstant(path);
    return known ? *known : PyValue(Symbol{path, nullptr});
  }
  std::optional<PyValue> known;
  if (const HostTensorPtr *tensor = value.get<HostTensorPtr>()) {
    if (name == "T" || name == "mT")
      return transposed(*this, "Host.", value);
    known = hostProperty(**tensor, name);
    return known ? Result(*known) : method(k, "Host.", name, value);
  }
  if (const TileValue *tile = value.get<TileValue>()) {
    if (name == "T" || name == "mT")
      return transposed(*this, "Tensor.", value);
    known = valueProperty(*tile, name, k.context());
    return known ? Result(*known) : method(k, "Tensor.", name, value);
  }
  if (const Tile *tile = value.get<Tile>()) {
    known = tileProperty(k, *tile, name);
    if (known)
      return *known;
    return k.fail("a tile has no attribute `" + name +
                  "`; it has `index`, `begin`, `end`, `id`, `count`, `block_size`");
  }
  if (const HostExpressionPtr *expression = value.get<HostExpressionPtr>())
    return name == "dtype" ? Result(PyValue((*expression)->steps.back().dtype))
                           : method(k, "HostExpression.", name, value);
  if (value.is<Scalar>()) // `scalar.to(..)` of a loaded number
    return method(k, "Tensor.", name, value);
  return k.fail(value.describe() + " has no attribute `" + name + "`");
}
