// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes blocks through the op table and answers what dims and ranges are worth in this run.

#include "dialect/Interp/Machine.h"
#include "dialect/IR/Dims.h"
#include "dialect/Interp/Bindings.h"
#include "dialect/Interp/OpTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace helion;
using namespace helion::interp;

Handler helion::interp::handlerOf(OperationName name) {
  static const llvm::StringMap<Handler> table = [] {
    llvm::StringMap<Handler> rows;
    for (ArrayRef<OpRow> family : {accessRows(), arithRows(), castRows(), combineRows(), controlRows(), hostRows(),
                                   laneRows(), mathRows(), stagedRows()})
      for (const OpRow &row : family)
        rows[row.name] = row.run;
    return rows;
  }();
  return table.lookup(name.getStringRef());
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

LogicalResult Machine::set(Value value, Cell cell) {
  cells[value] = std::move(cell);
  return success();
}

LogicalResult Machine::setFloats(Value value, ArrayRef<int64_t> shape, std::vector<double> lanes) {
  auto made = std::make_shared<Lanes>();
  made->shape.assign(shape.begin(), shape.end());
  made->isFloat = true;
  made->floats = std::move(lanes);
  return set(value, LanesRef(std::move(made)));
}

LogicalResult Machine::setInts(Value value, ArrayRef<int64_t> shape, std::vector<int64_t> lanes) {
  auto made = std::make_shared<Lanes>();
  made->shape.assign(shape.begin(), shape.end());
  made->ints = std::move(lanes);
  return set(value, LanesRef(std::move(made)));
}

//===-- Execution ------------------------------------------------------------------------------------------------===//

LogicalResult Machine::runOp(Operation *op) {
  Handler run = handlerOf(op->getName());
  if (!run)
    return fail(op, "has no meaning in the interpreter; its row is missing in `dialect/Interp`");
  return run(*this, op);
}

LogicalResult Machine::runBlock(Block &block, Cells &yielded) {
  for (Operation &op : block) {
    if (!op.hasTrait<OpTrait::IsTerminator>()) {
      if (failed(runOp(&op)))
        return failure();
      continue;
    }
    yielded.clear();
    for (Value operand : op.getOperands())
      yielded.push_back(cell(operand));
  }
  return success();
}

LogicalResult Machine::fail(Operation *op, const Twine &text, RunError::Kind kind) {
  if (error)
    return failure();
  std::string site;
  if (auto attr = op->getAttrOfType<StringAttr>("site"))
    site = (" at site `" + attr.getValue() + "`").str();
  error = std::make_unique<RunError>(
      kind, (locationText(op->getLoc()) + ": error: `" + op->getName().getStringRef() + "`" + site + " " + text).str());
  return failure();
}

llvm::Error Machine::takeError() { return llvm::Error(std::move(error)); }

//===-- Dims -----------------------------------------------------------------------------------------------------===//

void Machine::bindBlock(StringRef name, int64_t extent) {
  blocks[name.str()] = extent;
  extents.clear();
}

int64_t Machine::sliceExtent(StringRef block, int64_t size) {
  return defaultSliceExtent(kernel.lookupSymbol<BlockOp>(block), size, options.bindingVariant);
}

void Machine::bindRange(DimAttr dim, const TileSpan &span) {
  if (StringAttr range = dim.getRange())
    ranges[range] = span;
}

FailureOr<int64_t> Machine::extentOf(Operation *op, DimAttr dim) {
  if (std::optional<int64_t> constant = dim.getConstant())
    return *constant;
  if (auto found = extents.find(dim); found != extents.end())
    return found->second;
  SmallVector<AffineExpr> values;
  for (StringAttr block : dim.getBlocks()) {
    auto bound = blocks.find(block.str());
    if (bound == blocks.end())
      return fail(op, "needs the extent of block `" + block.getValue() + "`, which is not bound yet; bind it by name");
    values.push_back(getAffineConstantExpr(bound->second, dim.getContext()));
  }
  AffineExpr folded = simplifyAffineExpr(dim.getExpr().replaceSymbols(values), 0, 0);
  auto constant = dyn_cast<AffineConstantExpr>(folded);
  if (!constant || constant.getValue() < 1)
    return fail(op, "has the dim `" + dim.str() + "`, which is no positive number with these blocks");
  return extents[dim] = constant.getValue();
}

FailureOr<Shape> Machine::shapeOf(Operation *op, Type type) {
  Shape shape;
  for (DimAttr dim : dimsOf(type)) {
    FailureOr<int64_t> extent = extentOf(op, dim);
    if (failed(extent))
      return failure();
    shape.push_back(*extent);
  }
  return shape;
}

FailureOr<int64_t> Machine::validLanesOf(Operation *op, DimAttr dim) {
  FailureOr<int64_t> extent = extentOf(op, dim);
  if (failed(extent) || !dim.getRange())
    return extent;
  auto span = ranges.find(dim.getRange());
  if (span == ranges.end())
    return fail(op, "combines or drops lanes of `" + dim.str() + "`, but no tile of that range is in scope");
  return std::min(*extent, span->second.validLanes());
}

bool Machine::isSurelyVisible(Operation *op, Type type, int64_t lane) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  if (!isa_and_nonnull<DimsAttr>(tensor.getEncoding()))
    return false;
  for (DimAttr dim : llvm::reverse(dimsOf(type))) {
    FailureOr<int64_t> extent = extentOf(op, dim), valid = validLanesOf(op, dim);
    if (failed(extent) || failed(valid) || lane % *extent >= *valid)
      return false;
    lane /= *extent;
  }
  return true;
}
