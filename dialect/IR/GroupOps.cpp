// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of groups and turns (GroupOps.td). The labels C1, C2, .. are those of the descriptions.

#include "dialect/IR/Helion.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

LogicalResult WarpGroupsOp::verifyRegions() {
  llvm::StringSet<> names;
  for (Operation &op : getBody().front()) {
    auto group = dyn_cast<GroupOp>(op);
    if (!group) // C1
      return op.emitOpError() << "stands beside groups; only `helion.group` may";
    if (!names.insert(group.getName()).second) // C2
      return group.emitOpError() << "name `" << group.getName() << "` is used twice";
  }
  if (names.empty())
    return emitOpError() << "has no groups";
  return success();
}

LogicalResult GroupOp::verify() {
  int64_t count = getCount(), warps = getWarps();
  if (count < 1 || warps < 1) // C1
    return emitOpError() << "has count `" << count << "` and warps `" << warps << "`; both are at least 1";
  if (std::optional<uint64_t> regs = getRegs()) { // C2
    if (*regs % 8 || *regs < 24 || *regs > 256)
      return emitOpError() << "asks for `" << *regs << "` registers; a multiple of 8 from 24 to 256 is needed";
    if (warps % 4)
      return emitOpError() << "asks for registers with `" << warps << "` warps; a multiple of 4 is needed";
  }
  if (getElected() && count != 1) // C3
    return emitOpError() << "is elected and has `" << count << "` instances; only one can be";
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  if (!getElected())
    return success();
  WalkResult result = getBody().walk([&](Operation *op) {
    auto tile =
        llvm::find_if(op->getResultTypes(), [](Type type) { return isTileValue(type) || isa<TokenType>(type); });
    if (tile == op->result_type_end())
      return WalkResult::advance();
    op->emitOpError() << "computes a tile value in an elected group, which one lane runs"; // C3
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult InstanceOp::verify() {
  if ((*this)->getParentOfType<GroupOp>())
    return success();
  return emitOpError() << "stands in no `helion.group`";
}

LogicalResult OrderedOp::verify() {
  if (!(*this)->getParentOfType<GroupOp>()) // C2
    return emitOpError() << "stands in no `helion.group`";
  if ((*this)->getParentOfType<OrderedOp>())
    return emitOpError() << "stands in the region of another turn";
  return success();
}

LogicalResult OrderedOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield || !llvm::equal(yield.getOperandTypes(), getResultTypes())) // C1
    return emitOpError() << "does not yield values of its result types";
  WalkResult result = getBody().walk([&](WaitOp wait) {
    wait.emitOpError() << "waits for a dot in a turn, so that the instances run one after the other"; // C3
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
