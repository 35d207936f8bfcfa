// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and verifiers of tiles and loops (LoopOps.td).

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace helion;

//===-- Tile: text -----------------------------------------------------------------------------------------------===//

void TileOp::build(OpBuilder &builder, OperationState &state, TypeRange tiles, ValueRange lowers, ValueRange uppers,
                   ValueRange inits, StringRef site) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(lowers);
  state.addOperands(uppers);
  state.addOperands(inits);
  state.getOrAddProperties<Properties>().site = builder.getStringAttr(site);
  llvm::copy(ArrayRef<int32_t>({int32_t(lowers.size()), int32_t(uppers.size()), int32_t(inits.size())}),
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  state.addTypes(inits.getTypes());
  Region *body = state.addRegion();
  state.addRegion();
  Block *block = builder.createBlock(body);
  for (Type type : tiles)
    block->addArgument(type, state.location);
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    ensureTerminator(*body, builder, state.location);
}

namespace {
using Arguments = SmallVector<OpAsmParser::Argument>;
using Operands = SmallVector<OpAsmParser::UnresolvedOperand>;

ParseResult parseIndexList(OpAsmParser &parser, Operands &operands, OperationState &result) {
  return failure(parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
                 parser.resolveOperands(operands, parser.getBuilder().getIndexType(), result.operands));
}

/// `iter_args(%a = %init, ..) -> (T, ..)`; types come last, so the operands are resolved by the caller.
ParseResult parseCarried(OpAsmParser &parser, Arguments &carried, Operands &inits, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("iter_args")))
    return success();
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(carried.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne) || parser.parseArrowTypeList(types))
    return failure();
  if (types.size() != carried.size())
    return parser.emitError(loc) << types.size() << " types for " << carried.size() << " carried values";
  for (auto [argument, type] : llvm::zip(carried, types))
    argument.type = type;
  return success();
}
} // namespace

ParseResult TileOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments, carried, merged;
  Operands lowers, uppers, inits;
  SmallVector<Type> types;
  StringAttr site;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) || parser.parseEqual() ||
      parseIndexList(parser, lowers, result) || parser.parseKeyword("to") || parseIndexList(parser, uppers, result) ||
      parseCarried(parser, carried, inits, types) || parser.resolveOperands(inits, types, loc, result.operands) ||
      parser.parseKeyword("site") || parser.parseAttribute(site) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.site = site;
  llvm::copy(ArrayRef<int32_t>({int32_t(lowers.size()), int32_t(uppers.size()), int32_t(inits.size())}),
             properties.operandSegmentSizes.begin());
  result.addTypes(types);
  arguments.append(carried.begin(), carried.end());
  Region *body = result.addRegion(), *combine = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  return failure(parser.parseArgumentList(merged, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
                 parser.parseRegion(*combine, merged));
}

static void printArguments(OpAsmPrinter &printer, Block::BlockArgListType arguments) {
  printer << "(";
  llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ")";
}

void TileOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printArguments(printer, getTiles());
  printer << " = (" << getLowers() << ") to (" << getUppers() << ")";
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(llvm::zip(getCarried(), getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") -> (" << getResultTypes() << ")";
  }
  printer << " site " << getSiteAttr();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSiteAttrName(), getOperandSegmentSizesAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!getInits().empty());
  if (!hasCombine())
    return;
  printer << " combine";
  printArguments(printer, getCombine().getArguments());
  printer << " ";
  printer.printRegion(getCombine(), /*printEntryBlockArgs=*/false);
}

//===-- Tile: meaning --------------------------------------------------------------------------------------------===//

SmallVector<Region *> TileOp::getLoopRegions() { return {&getBody()}; }
std::optional<ResultRange> TileOp::getLoopResults() { return getResults(); }
Block::BlockArgListType TileOp::getRegionIterArgs() { return getCarried(); }
std::optional<MutableArrayRef<OpOperand>> TileOp::getYieldedValuesMutable() { return getYield().getOperandsMutable(); }

TileType TileOp::getTileType(unsigned dim) { return cast<TileType>(getTiles()[dim].getType()); }

bool TileOp::isGrid() { return isa_and_nonnull<LaunchOp>((*this)->getParentOp()); }

YieldOp TileOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

LogicalResult TileOp::verify() {
  if (getLowers().empty() || getLowers().size() != getUppers().size())
    return emitOpError() << "has " << getLowers().size() << " lower and " << getUppers().size() << " upper bounds";
  if (getBody().getNumArguments() != getNumDims() + getInits().size())
    return emitOpError() << "body has " << getBody().getNumArguments() << " arguments for " << getNumDims()
                         << " tiles and " << getInits().size() << " carried values";
  for (BlockArgument tile : getTiles())
    if (!isa<TileType>(tile.getType()))
      return emitOpError() << "body argument of type " << tile.getType() << " stands for a tile";
  return success();
}

static LogicalResult verifyCarriedTypes(TileOp loop) {
  for (Type type : loop.getInits().getTypes())
    for (unsigned dim = 0; dim != loop.getNumDims(); ++dim)
      if (StringAttr range = loop.getTileType(dim).getDim().getRange(); range && mentionsRange(type, range))
        return loop.emitOpError() << "carries a value of dims " << dimsStr(dimsOf(type))
                                  << ", which mention its own range `" << range.getValue() << "`; use `helion.rebound`";
  return success();
}

LogicalResult TileOp::verifyRegions() {
  TypeRange carried = getInits().getTypes();
  if (!llvm::equal(carried, getResultTypes()) || !llvm::equal(carried, ValueRange(getCarried()).getTypes()) ||
      !llvm::equal(carried, getYield().getOperandTypes()))
    return emitOpError() << "carried inits, body arguments, yielded values and results differ in type";
  if (failed(verifyCarriedTypes(*this)))
    return failure();
  if (!hasCombine())
    return success();
  SmallVector<Type> merged(carried);
  merged.append(carried.begin(), carried.end());
  auto yield = dyn_cast<YieldOp>(getCombine().front().back());
  if (carried.empty() || !yield || !llvm::equal(TypeRange(merged), getCombine().getArgumentTypes()) ||
      !llvm::equal(carried, yield.getOperandTypes()))
    return emitOpError() << "`combine` does not take the carried values twice and yield them once";
  return success();
}

LogicalResult MakeTileOp::verify() {
  if (!getTile().getType().getDim().getConstant())
    return emitOpError() << "extent `" << getTile().getType().getDim().str() << "` is not a number";
  return success();
}

static LogicalResult verifyAxis(Operation *op, StringRef axis) {
  if (axis == "x" || axis == "y" || axis == "z")
    return success();
  return op->emitOpError() << "axis `" << axis << "` is none of `x`, `y`, `z`";
}

LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }
