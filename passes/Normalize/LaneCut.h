// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the lanes of a value, made anew from the same part of what the value is computed from, down to the loads.
// `helion-split-lanes` asks.

#ifndef HELION_PASSES_NORMALIZE_LANECUT_H
#define HELION_PASSES_NORMALIZE_LANECUT_H

#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace helion {

/// Lanes first .. first + size - 1 of a dim of constant extent. With `drop`, size is 1 and the dim goes.
struct LaneCut {
  int64_t dim, first, size;
  bool drop;
};

/// True for what computes lane by lane, without memory.
bool isElementwise(mlir::Operation *op);

class LaneCutter {
public:
  explicit LaneCutter(mlir::MLIRContext *context) : b(context) {}

  /// True if the part can be had without the whole.
  bool canCut(mlir::Value value, const LaneCut &cut) {
    return dryRun([&] { return bool(run(value, cut)); });
  }
  /// The part; ops are made beside those of the whole, and each part once.
  mlir::Value cut(mlir::Value value, const LaneCut &cut) { return run(value, cut); }

  bool canCutStore(StoreOp store, const LaneCut &cut) {
    return dryRun([&] { return runStore(store, cut); });
  }
  /// A store of the part before the store of the whole.
  void cutStore(StoreOp store, const LaneCut &cut) { runStore(store, cut); }

private:
  template <typename Fn> bool dryRun(Fn fn) {
    emits = false;
    tried.clear();
    bool good = fn();
    emits = true;
    return good;
  }

  // All give null where the part cannot be had; in a dry run they give the whole where it can.
  mlir::Value run(mlir::Value value, const LaneCut &cut);
  mlir::Value runOp(mlir::Operation *op, const LaneCut &cut);
  mlir::Value runLoad(LoadOp op, const LaneCut &cut);
  mlir::Value runIota(IotaOp op, const LaneCut &cut);
  mlir::Value runStack(StackOp op, const LaneCut &cut);
  mlir::Value runPermute(PermuteOp op, const LaneCut &cut);
  mlir::Value runBroadcast(BroadcastOp op, const LaneCut &cut);
  mlir::Value runRebound(ReboundOp op, const LaneCut &cut);
  mlir::Value runReshape(ReshapeOp op, const LaneCut &cut);
  mlir::Value runElementwise(mlir::Operation *op, const LaneCut &cut);
  bool runStore(StoreOp store, const LaneCut &cut);
  /// The indices of an access for the part of its dims; false where an index has no parts.
  bool runIndices(mlir::OperandRange indices, const LaneCut &cut, llvm::SmallVectorImpl<mlir::Value> &parts);
  mlir::Value runTile(mlir::Value tile, const LaneCut &cut);
  mlir::Value runGather(mlir::Value index, const LaneCut &cut);

  mlir::OpBuilder b;
  bool emits = true;
  // What `run` gave: for good where it made ops, for one dry run where it only looked.
  std::map<std::tuple<void *, int64_t, int64_t, int64_t, bool>, mlir::Value> made, tried;
};

} // namespace helion

#endif // HELION_PASSES_NORMALIZE_LANECUT_H
