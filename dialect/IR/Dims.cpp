// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dims of tile values: one view over encodings (K) and static shapes (S, L).

#include "dialect/IR/Dims.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace helion;

bool helion::isTileValue(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() >= 1;
}

SmallVector<DimAttr> helion::dimsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
    return SmallVector<DimAttr>(dims.getDims());
  SmallVector<DimAttr> result;
  for (int64_t extent : tensor.getShape())
    result.push_back(DimAttr::get(type.getContext(), extent));
  return result;
}

Type helion::tileValueType(ArrayRef<DimAttr> dims, Type element, bool withEncoding) {
  if (dims.empty())
    return element;
  auto attr = DimsAttr::get(element.getContext(), dims);
  return RankedTensorType::get(attr.getShape(), element, withEncoding ? Attribute(attr) : Attribute());
}

Type helion::withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

std::optional<SmallVector<DimAttr>> helion::accessDims(TypeRange indices) {
  SmallVector<DimAttr> dims;
  Type tensorIndex;
  for (Type index : indices) {
    if (auto tile = dyn_cast<TileType>(index)) {
      dims.push_back(tile.getDim());
    } else if (isTileValue(index)) {
      if (tensorIndex && tensorIndex != index)
        return std::nullopt;
      if (!tensorIndex)
        llvm::append_range(dims, dimsOf(index));
      tensorIndex = index;
    }
  }
  return dims;
}

std::string helion::dimsStr(ArrayRef<DimAttr> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + dim.str();
  return text + "]";
}

std::optional<DimAttr> helion::productOf(MLIRContext *context, ArrayRef<DimAttr> dims) {
  if (dims.size() == 1)
    return dims[0];
  AffineExpr expr = getAffineConstantExpr(1, context);
  SmallVector<StringAttr> names;
  for (DimAttr dim : dims) {
    if (dim.getRange())
      return std::nullopt;
    SmallVector<AffineExpr> symbols;
    for (StringAttr name : dim.getBlocks()) {
      symbols.push_back(getAffineSymbolExpr(names.size(), context));
      names.push_back(name);
    }
    expr = expr * dim.getExpr().replaceSymbols(symbols);
  }
  return DimAttr::get(context, expr, names);
}

bool helion::mentionsRange(Type type, StringAttr range) {
  return llvm::any_of(dimsOf(type), [&](DimAttr dim) { return dim.getRange() && dim.getRange() == range; });
}

namespace {
/// What a float, a signed and an unsigned identity look like for the kinds that have one of each.
enum class Identity { Zero, One, Lowest, Highest, UnsignedHighest };

Identity identityOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::AddF:
  case ReductionKind::AddI:
  case ReductionKind::OrI:
  case ReductionKind::XorI:
  case ReductionKind::MaxUI:
    return Identity::Zero;
  case ReductionKind::MulF:
  case ReductionKind::MulI:
    return Identity::One;
  case ReductionKind::MaximumF:
  case ReductionKind::MaxSI:
  case ReductionKind::ArgMax:
    return Identity::Lowest;
  case ReductionKind::MinimumF:
  case ReductionKind::MinSI:
  case ReductionKind::ArgMin:
    return Identity::Highest;
  case ReductionKind::MinUI:
  case ReductionKind::AndI:
    return Identity::UnsignedHighest;
  }
  llvm_unreachable("covered switch");
}
} // namespace

TypedAttr helion::reductionIdentity(ReductionKind kind, Type element) {
  Builder builder(element.getContext());
  Identity identity = identityOf(kind);
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    if (identity == Identity::Zero || identity == Identity::One)
      return builder.getFloatAttr(type, identity == Identity::One ? 1.0 : 0.0);
    bool negative = identity == Identity::Lowest;
    // Formats without an infinity (f8E4M3FN) have their largest number.
    APFloat value = APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, negative)
                                                        : APFloat::getLargest(semantics, negative);
    return FloatAttr::get(type, value);
  }
  unsigned width = isa<IndexType>(element) ? IndexType::kInternalStorageBitWidth : element.getIntOrFloatBitWidth();
  APInt value = APInt::getZero(width);
  if (identity == Identity::One)
    value = APInt(width, 1);
  if (identity == Identity::Lowest)
    value = APInt::getSignedMinValue(width);
  if (identity == Identity::Highest)
    value = APInt::getSignedMaxValue(width);
  if (identity == Identity::UnsignedHighest)
    value = APInt::getAllOnes(width);
  return IntegerAttr::get(element, value);
}

bool helion::acceptsElement(ReductionKind kind, Type element) {
  switch (kind) {
  case ReductionKind::AddF:
  case ReductionKind::MulF:
  case ReductionKind::MaximumF:
  case ReductionKind::MinimumF:
    return isa<FloatType>(element);
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
    return true;
  default:
    return !isa<FloatType>(element);
  }
}
