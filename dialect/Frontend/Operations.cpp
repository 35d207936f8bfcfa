// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the table of operations from the families' rows, and reads arguments.
#include "dialect/Frontend/Operations.h"
#include "dialect/Frontend/Lanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===-- The table ------------------------------------------------------------------------------------------------===//

static PyValue parseDefault(llvm::StringRef text) {
  int64_t integer = 0;
  double number = 0;
  if (text == "None")
    return NoneWord{};
  if (text == "True" || text == "False")
    return text == "True";
  if (!text.getAsInteger(10, integer))
    return integer;
  if (!text.getAsDouble(number))
    return number;
  return text.trim('\'').str();
}

static std::vector<OperationParameter> parseParameters(llvm::StringRef text) {
  std::vector<OperationParameter> out;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    OperationParameter parameter;
    parameter.isRest = word.consume_front("*");
    auto [name, value] = word.split('=');
    parameter.name = name.str();
    if (word.contains('='))
      parameter.defaultValue = parseDefault(value);
    out.push_back(std::move(parameter));
  }
  return out;
}

static llvm::StringMap<LibraryOperation> buildTable() {
  llvm::StringMap<LibraryOperation> table;
  for (auto family : {elementwiseOperations, reductionOperations, scanOperations, productOperations, shapeOperations,
                      creationOperations, memoryOperations, loopOperations, hostOperations, pythonOperations}) {
    for (OperationRow &row : family()) {
      llvm::SmallVector<llvm::StringRef> names;
      llvm::StringRef(row.names).split(names, ' ', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef name : names) {
        [[maybe_unused]] bool isNew =
            table.try_emplace(name, LibraryOperation{parseParameters(row.parameters), row.run}).second;
        assert(isNew && "two rows answer to one name");
      }
    }
  }
  return table;
}

const LibraryOperation *helion::frontend::findOperation(llvm::StringRef path) {
  static const llvm::StringMap<LibraryOperation> table = buildTable();
  auto it = table.find(path);
  return it == table.end() ? nullptr : &it->second;
}

//===-- Arguments ------------------------------------------------------------------------------------------------===//

FailureOr<TileValue> helion::frontend::expectTile(Interpreter &in, const PyValue &value, llvm::StringRef what) {
  if (const TileValue *tile = value.get<TileValue>())
    return *tile;
  if (const HostTensorPtr *tensor = value.get<HostTensorPtr>())
    return FailureOr<TileValue>(in.k.fail("host tensor `" + (*tensor)->name +
                                          "` is used without an index; load a tile of it, as in `x[tile]`"));
  return FailureOr<TileValue>(in.k.fail("`" + what + "` must be a tile value, not " + value.describe()));
}

FailureOr<int64_t> helion::frontend::expectInteger(Interpreter &in, const PyValue &value, llvm::StringRef what) {
  if (const int64_t *integer = value.get<int64_t>())
    return *integer;
  return FailureOr<int64_t>(in.k.fail("`" + what + "` must be a constant integer, not " + value.describe()));
}

FailureOr<DType> helion::frontend::expectDType(Interpreter &in, const PyValue &value, llvm::StringRef what) {
  if (const DType *dtype = value.get<DType>())
    return *dtype;
  return FailureOr<DType>(in.k.fail("`" + what + "` must be a dtype, not " + value.describe()));
}

FailureOr<DType> helion::frontend::dtypeOr(Interpreter &in, const PyValue &value, DType otherwise) {
  return value.isGiven() ? expectDType(in, value, "dtype") : FailureOr<DType>(otherwise);
}

FailureOr<HostTensorPtr> helion::frontend::expectHost(Interpreter &in, const PyValue &value, llvm::StringRef what) {
  if (const HostTensorPtr *tensor = value.get<HostTensorPtr>())
    return *tensor;
  return FailureOr<HostTensorPtr>(in.k.fail("`" + what + "` must be a host tensor, not " + value.describe()));
}

FailureOr<SizeExpr> helion::frontend::expectSize(Interpreter &in, const PyValue &value, llvm::StringRef what) {
  if (const int64_t *integer = value.get<int64_t>())
    return SizeExpr::constant(*integer);
  if (const Size *size = value.get<Size>())
    return size->expr;
  if (const BlockHandle *block = value.get<BlockHandle>())
    return SizeExpr::scalar(block->block);
  return FailureOr<SizeExpr>(in.k.fail("`" + what + "` must be a size, not " + value.describe()));
}

static FailureOr<DimAttr> expectDim(Interpreter &in, const PyValue &item) {
  MLIRContext *context = in.k.context();
  if (const Tile *tile = item.get<Tile>())
    return cast<TileType>(tile->tile.getType()).getDim();
  if (const BlockHandle *block = item.get<BlockHandle>())
    return DimAttr::get(context, llvm::StringRef(block->block), "");
  if (const DimHandle *dim = item.get<DimHandle>())
    return dim->dim;
  if (const int64_t *integer = item.get<int64_t>(); integer && *integer > 0)
    return DimAttr::get(context, *integer);
  if (const Size *size = item.get<Size>()) {
    if (size->expr.kind() == SizeExpr::Kind::Leaf && in.k.isBlock(size->expr.str()))
      return DimAttr::get(context, llvm::StringRef(size->expr.str()), "");
    return in.k.sliceDim(size->expr);
  }
  return FailureOr<DimAttr>(
      in.k.fail(item.describe() + " is no extent of a tile value; tiles, block sizes and positive integers are"));
}

FailureOr<SmallVector<DimAttr>> helion::frontend::expectDims(Interpreter &in, const PyValue &shape) {
  std::vector<PyValue> items = shape.is<Sequence>() ? *shape.get<Sequence>()->items : std::vector<PyValue>{shape};
  SmallVector<DimAttr> dims;
  for (const PyValue &item : items) {
    // A tuple of tiles may stand for its dims.
    if (item.is<Sequence>()) {
      FailureOr<SmallVector<DimAttr>> inner = expectDims(in, item);
      if (failed(inner))
        return failure();
      dims.append(*inner);
      continue;
    }
    FailureOr<DimAttr> dim = expectDim(in, item);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  return dims;
}
