// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host values -> expressions. Binary ops are one table; views (HostView.cpp) answer sizes and strides.

#include "passes/Analysis/HostExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helion;

namespace {
struct BinaryRow {
  StringLiteral op;
  SizeExpr::Kind kind;
};
constexpr BinaryRow binaryRows[] = {
    {"arith.addi", SizeExpr::Kind::Add},          {"arith.subi", SizeExpr::Kind::Sub},
    {"arith.muli", SizeExpr::Kind::Mul},          {"arith.divui", SizeExpr::Kind::FloorDiv},
    {"arith.divsi", SizeExpr::Kind::FloorDiv},    {"arith.floordivsi", SizeExpr::Kind::FloorDiv},
    {"arith.ceildivui", SizeExpr::Kind::CeilDiv}, {"arith.ceildivsi", SizeExpr::Kind::CeilDiv},
    {"arith.remui", SizeExpr::Kind::Mod},         {"arith.remsi", SizeExpr::Kind::Mod},
    {"arith.minui", SizeExpr::Kind::Min},         {"arith.minsi", SizeExpr::Kind::Min},
    {"arith.maxui", SizeExpr::Kind::Max},         {"arith.maxsi", SizeExpr::Kind::Max},
};

std::optional<SizeExpr::Kind> binaryKind(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (const BinaryRow &row : binaryRows)
    if (row.op == name)
      return row.kind;
  return std::nullopt;
}

Pred::Compare compareOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return Pred::Compare::EQ;
  case arith::CmpIPredicate::ne:
    return Pred::Compare::NE;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return Pred::Compare::LT;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return Pred::Compare::LE;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return Pred::Compare::GT;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return Pred::Compare::GE;
  }
  llvm_unreachable("covered above");
}

std::optional<SizeExpr> argumentExpr(BlockArgument argument) {
  auto kernel = dyn_cast_or_null<KernelOp>(argument.getOwner()->getParentOp());
  if (!kernel || !isa<IntegerType, IndexType>(argument.getType()))
    return std::nullopt;
  return SizeExpr::scalar(kernel.getArgumentName(argument.getArgNumber()));
}

SizeExpr blockSizeExpr(BlockSizeOp op) {
  StringRef name = op.getBlock();
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel)
    if (auto blocks = kernel->getAttrOfType<DictionaryAttr>(kBlocksAttr))
      if (auto bound = blocks.getAs<IntegerAttr>(name))
        return SizeExpr::constant(bound.getInt());
  return SizeExpr::scalar(name);
}
} // namespace

std::optional<SizeExpr> HostExprs::expr(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  std::optional<SizeExpr> result = compute(value);
  known[value] = result;
  return result;
}

std::optional<SizeExpr> HostExprs::fold(OpFoldResult value) {
  if (auto dynamic = dyn_cast<Value>(value))
    return expr(dynamic);
  return SizeExpr::constant(cast<IntegerAttr>(cast<Attribute>(value)).getInt());
}

std::optional<SizeExpr> HostExprs::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentExpr(argument);
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1 ? std::nullopt : std::optional(SizeExpr::constant(constant.getSExtValue()));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::ExtSIOp>(op))
    return expr(op->getOperand(0));
  if (auto blockSize = dyn_cast<BlockSizeOp>(op))
    return blockSizeExpr(blockSize);
  if (auto fact = dyn_cast<DeviceFactOp>(op))
    return SizeExpr::device(fact.getName());
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    FailureOr<HostView> source = view(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (failed(source) || !index || *index < 0 || size_t(*index) >= source->sizes.size())
      return std::nullopt;
    return source->sizes[*index];
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    FailureOr<HostView> source = view(metadata.getSource());
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (failed(source) || number == 0)
      return std::nullopt;
    size_t rank = source->sizes.size();
    if (number == 1)
      return source->offset;
    return number - 2 < rank ? source->sizes[number - 2] : source->strides[number - 2 - rank];
  }
  std::optional<SizeExpr::Kind> kind = binaryKind(op);
  if (!kind)
    return std::nullopt;
  std::optional<SizeExpr> lhs = expr(op->getOperand(0)), rhs = expr(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return SizeExpr::binary(*kind, *lhs, *rhs);
}

std::optional<Pred> HostExprs::pred(Value condition) {
  std::vector<Pred> parts;
  if (!preds(condition, parts) || parts.size() > 1)
    return std::nullopt;
  return parts.empty() ? Pred() : parts.front();
}

bool HostExprs::preds(Value condition, std::vector<Pred> &parts) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant))) {
    if (constant.isZero())
      parts.push_back(Pred::compare(Pred::Compare::EQ, SizeExpr::constant(1), SizeExpr::constant(0)));
    return true;
  }
  if (auto conjunction = condition.getDefiningOp<arith::AndIOp>())
    return preds(conjunction.getLhs(), parts) && preds(conjunction.getRhs(), parts);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  std::optional<SizeExpr> lhs = expr(compare.getLhs()), rhs = expr(compare.getRhs());
  if (!lhs || !rhs)
    return false;
  parts.push_back(Pred::compare(compareOf(compare.getPredicate()), *lhs, *rhs));
  return true;
}
