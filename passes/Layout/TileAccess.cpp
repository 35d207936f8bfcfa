// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contiguous dims from types and facts, and a count of what one warp's instructions touch.

#include "passes/Layout/TileAccess.h"
#include "passes/Analysis/BoxFacts.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
using namespace helion;

AccessReader::AccessReader(KernelOp kernel, const LayoutTarget &target) : facts(factsOf(kernel)), target(target) {}

std::optional<std::string> AccessReader::missingForCopies(Value host, int64_t elementBytes) {
  FailureOr<HostView> view = exprs.view(host);
  if (failed(view))
    return "it is a view of one argument";
  ContiguousDim contiguous = contiguousDim(*view, facts);
  if (contiguous.how != ContiguousDim::Proved)
    return view->strides[contiguous.dim].str() + " == 1";
  std::optional<std::vector<Pred>> needed = copyFacts(*view, contiguous.dim, elementBytes);
  if (!needed)
    return view->buffer + " has rows in pieces of 16 bytes";
  for (const Pred &pred : *needed)
    if (!follows(pred, facts))
      return pred.str();
  return std::nullopt;
}

std::optional<std::string> AccessReader::missingForBoxes(Value host, ValueRange indices) {
  FailureOr<HostView> view = exprs.view(host);
  std::optional<std::vector<Pred>> needed;
  if (succeeded(view))
    needed = boxFacts(exprs, *view, contiguousDim(*view, facts).dim, indices);
  if (!needed)
    return "its indices are numbers, and tiles that end where the tensor ends";
  for (const Pred &pred : *needed)
    if (!follows(pred, facts))
      return pred.str();
  return std::nullopt;
}

/// The dim of an integer tile value along which it counts up by one, as far as its computation shows that.
static std::optional<unsigned> countingDim(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op || !isTileValue(index.getType()))
    return std::nullopt;
  if (isa<IotaOp>(op))
    return 0;
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    std::optional<unsigned> dim = countingDim(broadcast.getValue());
    return dim ? std::optional<unsigned>(broadcast.getDims()[*dim]) : std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return std::nullopt;
  std::optional<unsigned> lhs = countingDim(op->getOperand(0));
  if (lhs || op->getNumOperands() == 1 || !isa<arith::AddIOp>(op))
    return lhs;
  return countingDim(op->getOperand(1));
}

/// As many as the choice on the access wants and facts carry; without a choice, as many as fit.
int64_t AccessReader::vectorOf(Operation *op, int64_t elementBytes) {
  int64_t most = std::max<int64_t>(1, target.vectorBytes / elementBytes);
  auto choice = op->getAttrOfType<StringAttr>("access");
  if (!choice)
    return most;
  WideAccess access(exprs, op);
  auto holds = [&](int64_t width) {
    std::optional<std::vector<Pred>> needs = access.needs(width);
    return needs && llvm::all_of(*needs, [&](const Pred &need) { return follows(need, facts); });
  };
  int64_t width = choice.getValue() == "vector" ? std::min(most, access.most()) : 1;
  while (width > 1 && !holds(width))
    width /= 2;
  return width;
}

TileAccess AccessReader::read(Operation *op, Value host, ValueRange indices) {
  auto type = cast<MemRefType>(host.getType());
  TileAccess access{op, std::nullopt};
  access.elementBytes = bytesOfElement(type);
  if (type.getRank() == 0)
    return access;
  // What is not proved is good enough for lanes to go along it, but no vectors.
  FailureOr<HostView> view = exprs.view(host);
  ContiguousDim contiguous = succeeded(view) ? contiguousDim(*view, facts)
                                             : ContiguousDim{unsigned(type.getRank() - 1), ContiguousDim::Guessed};
  unsigned dim = 0;
  bool placed = false;
  for (auto [hostDim, index] : llvm::enumerate(indices)) {
    std::optional<unsigned> own;
    if (isa<TileType>(index.getType())) {
      own = dim++;
    } else if (isTileValue(index.getType())) {
      if (std::optional<unsigned> counting = countingDim(index); counting && !placed)
        own = dim + *counting;
      dim += placed ? 0 : cast<RankedTensorType>(index.getType()).getRank();
      placed = true;
    }
    if (hostDim == contiguous.dim)
      access.fastDim = own;
  }
  if (access.fastDim && contiguous.how == ContiguousDim::Proved)
    access.vector = vectorOf(op, access.elementBytes);
  return access;
}

/// Neighbouring registers that hold neighbours along `dim`, as many as one instruction may move.
static int64_t vectorOf(const Layout &layout, unsigned dim, int64_t limit) {
  Point point(kNumSpaces, 0);
  int64_t width = 1;
  while (width * 2 <= std::min(limit, layout.size(LayoutSpace::Reg))) {
    for (int64_t reg = width; reg != width * 2; ++reg) {
      point[unsigned(LayoutSpace::Reg)] = reg;
      Point index = layout.indexAt(point);
      index[dim] -= reg;
      if (llvm::any_of(index, [](int64_t component) { return component != 0; }))
        return width;
    }
    width *= 2;
  }
  return width;
}

int64_t helion::accessCost(const TileAccess &access, const Layout &layout, const LayoutTarget &target) {
  constexpr int64_t kSectorBytes = 32, kIssue = 4;
  int64_t vector = access.fastDim ? vectorOf(layout, *access.fastDim, access.vector) : 1;
  std::set<Point> sectors;
  Point point(kNumSpaces, 0);
  for (int64_t lane = 0; lane != target.lanes; ++lane) {
    point[unsigned(LayoutSpace::Lane)] = lane;
    Point index = layout.indexAt(point);
    if (access.fastDim)
      index[*access.fastDim] = index[*access.fastDim] * access.elementBytes / kSectorBytes;
    sectors.insert(index);
  }
  int64_t instructions = (layout.size(LayoutSpace::Reg) + vector - 1) / vector;
  return instructions * (kIssue + int64_t(sectors.size()));
}
