// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Analysis/WideAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace helion;

//===-- Divisors -------------------------------------------------------------------------------------------------===//

/// What facts of the form `expr % n == 0` and `expr == n` say.
static int64_t statedDivisor(const SizeExpr &expr, ArrayRef<Pred> facts) {
  int64_t divisor = 1;
  for (const Pred &fact : facts) {
    if (fact.isOverlap() || fact.op() != Pred::Compare::EQ || !fact.rhs().asConstant())
      continue;
    if (fact.lhs() == expr)
      return std::abs(*fact.rhs().asConstant());
    if (!fact.rhs().isConstant(0) || fact.lhs().kind() != SizeExpr::Kind::Mod || fact.lhs().lhs() != expr)
      continue;
    int64_t known = fact.lhs().rhs().asConstant().value_or(0), common;
    if (known > 0 && !llvm::MulOverflow(divisor / std::gcd(divisor, known), known, common))
      divisor = common;
  }
  return divisor;
}

int64_t helion::divisorOf(const SizeExpr &expr, ArrayRef<Pred> facts) {
  if (std::optional<int64_t> constant = expr.asConstant())
    return std::abs(*constant);
  int64_t stated = statedDivisor(expr, facts);
  if (expr.kind() == SizeExpr::Kind::Leaf)
    return stated;
  int64_t lhs = divisorOf(expr.lhs(), facts), rhs = divisorOf(expr.rhs(), facts), derived = 1;
  switch (expr.kind()) {
  case SizeExpr::Kind::Mul:
    if (llvm::MulOverflow(lhs, rhs, derived))
      derived = std::max(lhs, rhs);
    break;
  case SizeExpr::Kind::Add:
  case SizeExpr::Kind::Sub:
  case SizeExpr::Kind::Mod:
  case SizeExpr::Kind::Min:
  case SizeExpr::Kind::Max:
    derived = std::gcd(lhs, rhs);
    break;
  default:
    break;
  }
  if (derived == 0 || stated == 0)
    return 0;
  int64_t common;
  return llvm::MulOverflow(derived / std::gcd(derived, stated), stated, common) ? std::max(derived, stated) : common;
}

bool helion::follows(const Pred &fact, ArrayRef<Pred> facts) {
  if (std::optional<bool> known = fact.fold())
    return *known;
  if (llvm::is_contained(facts, fact))
    return true;
  if (fact.isOverlap() || fact.op() != Pred::Compare::EQ || !fact.rhs().isConstant(0) ||
      fact.lhs().kind() != SizeExpr::Kind::Mod)
    return false;
  std::optional<int64_t> divisor = fact.lhs().rhs().asConstant();
  return divisor && *divisor > 0 && divisorOf(fact.lhs().lhs(), facts) % *divisor == 0;
}

std::vector<Pred> helion::factsOf(KernelOp kernel) {
  std::vector<Pred> facts;
  for (StringRef text : kernel.getFacts()) {
    llvm::Expected<Pred> fact = Pred::parse(text);
    if (fact)
      facts.push_back(*fact);
    else
      llvm::consumeError(fact.takeError());
  }
  return facts;
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

int64_t helion::bytesOfElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 8 : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

static Pred isOne(const SizeExpr &stride) { return Pred::compare(Pred::Compare::EQ, stride, SizeExpr::constant(1)); }

ContiguousDim helion::contiguousDim(const HostView &view, ArrayRef<Pred> facts) {
  unsigned rank = cast<MemRefType>(view.base.getType()).getRank(), last = view.strides.size() - 1;
  for (unsigned dim = last + 1; dim-- > 0;)
    if (follows(isOne(view.strides[dim]), facts))
      return {dim, ContiguousDim::Proved};
  for (unsigned dim = last + 1; dim-- > 0 && rank;)
    if (view.strides[dim] == SizeExpr::stride(view.buffer, rank - 1))
      return {dim, ContiguousDim::Likely};
  return {last, ContiguousDim::Guessed};
}

WideAccess::WideAccess(HostExprs &exprs, Operation *op) : exprs(exprs) {
  Value host;
  ValueRange indices;
  llvm::TypeSwitch<Operation *>(op)
      .Case<LoadOp>([&](LoadOp load) { host = load.getSource(), indices = load.getIndices(); })
      .Case<StoreOp>([&](StoreOp store) { host = store.getDest(), indices = store.getIndices(); })
      .Case<AtomicOp>([&](AtomicOp atomic) { host = atomic.getDest(), indices = atomic.getIndices(); });
  FailureOr<HostView> found = exprs.view(host);
  if (failed(found))
    return;
  view = *found;
  elementBytes = bytesOfElement(host.getType());
  if (view->strides.empty())
    return;
  ContiguousDim contiguous = contiguousDim(*view, /*facts=*/{});
  if (contiguous.how == ContiguousDim::Guessed)
    return;
  hostDim = contiguous.dim;
  auto type = dyn_cast<TileType>(indices[*hostDim].getType());
  std::optional<int64_t> extent = type ? type.getDim().getConstant() : std::nullopt;
  if (!extent)
    return;
  tile = indices[*hostDim];
  extentPart = *extent & -*extent;
}

std::vector<Pred> WideAccess::contiguity() const {
  if (!tile || view->strides[*hostDim].isConstant(1))
    return {};
  return {isOne(view->strides[*hostDim])};
}

static Pred isMultiple(const SizeExpr &expr, int64_t divisor) {
  return Pred::compare(Pred::Compare::EQ, SizeExpr::mod(expr, SizeExpr::constant(divisor)), SizeExpr::constant(0));
}

/// Products rely on one factor, sums on every term, so that facts name as little as they can.
static void needMultiple(const SizeExpr &expr, int64_t width, std::vector<Pred> &needs) {
  if (divisorOf(expr, needs) % width == 0)
    return;
  bool isSum = expr.kind() == SizeExpr::Kind::Add || expr.kind() == SizeExpr::Kind::Sub;
  if (isSum || expr.kind() == SizeExpr::Kind::Min || expr.kind() == SizeExpr::Kind::Max) {
    needMultiple(expr.lhs(), width, needs);
    needMultiple(expr.rhs(), width, needs);
    return;
  }
  if (expr.kind() == SizeExpr::Kind::Mul)
    return needMultiple(expr.rhs().asConstant() ? expr.lhs() : expr.rhs(), width, needs);
  needs.push_back(isMultiple(expr, width));
}

/// That groups of `width` elements along a dim begin at multiples of their size, wherever a tile of them begins.
static void needGroups(const HostView &view, unsigned unitDim, int64_t width, int64_t elementBytes,
                       std::vector<Pred> &needs) {
  for (auto [dim, stride] : llvm::enumerate(view.strides))
    if (dim != unitDim)
      needMultiple(stride, width, needs);
  needMultiple(view.offset, width, needs);
  needMultiple(SizeExpr::align(view.buffer), width * elementBytes, needs);
}

std::optional<std::vector<Pred>> helion::copyFacts(const HostView &view, unsigned unitDim, int64_t elementBytes) {
  constexpr int64_t kPieceBytes = 16;
  if (!isa<BlockArgument>(view.base) || elementBytes > kPieceBytes)
    return std::nullopt;
  std::vector<Pred> needs = {isOne(view.strides[unitDim])};
  needGroups(view, unitDim, kPieceBytes / elementBytes, elementBytes, needs);
  if (llvm::any_of(needs, [](const Pred &need) { return need.fold() == false; }))
    return std::nullopt;
  llvm::erase_if(needs, [](const Pred &need) { return need.fold() == true; });
  return needs;
}

/// A value that code on the device computes is followed through sums, products and loops to host values.
bool WideAccess::addMultiple(Value value, int64_t width, std::vector<Pred> &needs) const {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() % width == 0;
  if (std::optional<SizeExpr> expr = exprs.expr(value)) {
    needMultiple(*expr, width, needs);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && value == loop.getInductionVar() && addMultiple(loop.getLowerBound(), width, needs) &&
           addMultiple(loop.getStep(), width, needs);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op)) {
    for (Value factor : op->getOperands())
      if (matchPattern(factor, m_ConstantInt(&constant)) && constant.getSExtValue() % width == 0)
        return true;
    return false;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return false;
  return addMultiple(op->getOperand(0), width, needs) && addMultiple(op->getOperand(1), width, needs);
}

std::optional<std::vector<Pred>> WideAccess::needs(int64_t width) const {
  if (width > extentPart)
    return std::nullopt;
  std::vector<Pred> needs = contiguity();
  if (width < 2)
    return needs;
  needGroups(*view, *hostDim, width, elementBytes, needs);
  Value at = tile;
  for (; auto shift = at.getDefiningOp<TileShiftOp>(); at = shift.getTile())
    if (!addMultiple(shift.getOffset(), width, needs))
      return std::nullopt;
  auto made = at.getDefiningOp<MakeTileOp>();
  if (!made || !addMultiple(made.getBegin(), width, needs))
    return std::nullopt;
  // Where the end is nobody's multiple the lanes before it are moved one by one.
  std::vector<Pred> all = needs;
  if (!made.getEnd() || addMultiple(made.getEnd(), width, all))
    return all;
  return needs;
}
