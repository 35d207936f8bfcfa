// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that need no choice: bring a kernel into the one text that everything after it starts from, and check forms.

#ifndef HELION_NORMALIZE_PASSES
#define HELION_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def LaunchCopiesPass : Pass<"helion-launch-copies", "::mlir::ModuleOp"> {
  let summary = "Make each copy of the host part a launch with one tile loop";
  let description = [{
    **Does.** Replaces every `memref.copy` of a kernel's host part by a launch that loads and stores tiles over all dims, each with a
    block of its own: strides may be any, and the copy is tuned like the rest. `helion-normalize` runs it first.

    **Before / After.**
    ```mlir
    memref.copy %x, %y : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32>
    // becomes
    helion.block @bc0 tile
    helion.launch "k.copy" {
      helion.tile (%i: !helion.tile<bc0@c0>) = (%c0) to (%n) site "loop.copy" {
        %v = helion.load %x[%i] site ""
        helion.store %v, %y[%i] site ""
      }
    }
    ```
    **Needs.** Form K. **Gives.** Form K without copies; sites that `helion-normalize` names. **Reads.** none.
    **Fails when.** a copied tensor has rank 0. **Numerics.** exact.
  }];
  let dependentDialects = ["::helion::HelionDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"launched", "copies-launched", "copies that became launches">];
}

def NormalizePass : Pass<"helion-normalize", "::mlir::ModuleOp"> {
  let summary = "Bring form K into its canonical text: simplified, unique sites, no unprintable constants";
  let description = [{
    **Does.** Makes copies launches (`helion-launch-copies`) and lanes accesses (`helion-split-lanes`); canonicalizes and removes common subexpressions; turns constants of symbolic shape, which folders of `arith` make and
    which do not re-parse, into a scalar constant and `helion.splat`; gives every op that has a site a name that is unique in its
    kernel (an empty site gets a name from what the op works on, a repeated one a running number).

    **Before / After.**
    ```mlir
    %c = arith.constant dense<1.0> : tensor<?xf32, #helion.dims<bi@i>>
    // becomes
    %s = arith.constant 1.0 : f32
    %c = helion.splat %s : f32 -> tensor<?xf32, #helion.dims<bi@i>>
    ```
    **Needs.** Form K. **Gives.** Form K; the hash of this text as `helion.kernel_hash` on the kernel. **Reads.** none.
    **Fails when.** the result is not in form K. **Numerics.** exact.
  }];
  let dependentDialects = ["::helion::HelionDialect"];
  let statistics = [Statistic<"splatted", "constants-splatted", "constants of symbolic shape turned into splats">,
                    Statistic<"named", "sites-named", "sites that got a name or a number">];
}

def SplitLanesPass : Pass<"helion-split-lanes", "::mlir::ModuleOp"> {
  let summary = "Make lanes of a value accesses of a part of a tensor, and stores of stacked values one store each";
  let description = [{
    **Does.** Replaces `helion.lane` by the same computation on one lane, from the loads on: a load of a slice with constant bounds
    becomes a load of the part. A store of a value that `helion.stack` made, side by side along a slice, becomes one store per
    stacked value. Where a lane does not come from memory (it was reduced, multiplied as a matrix, carried by a loop, or its
    neighbours are interleaved), it is the maximum over the dim with -inf in other lanes; a stack that is not stored is a
    selection by lane number. `helion-normalize` runs it.

    **Before / After.**
    ```mlir
    %s = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
    %v = helion.load %x[%i, %s] ...                                     // tensor<?x8xf32>
    %p = helion.reshape %v [array<i64: 0>, array<i64: 1, 2>] ...        // tensor<?x2x4xf32>
    %b = helion.lane %p dim 1 at 1 ...                                  // tensor<?x4xf32>
    // becomes
    %s = helion.range %c4 to %c8 site "slice.8" : !helion.tile<4>
    %b = helion.load %x[%i, %s] ...
    ```
    **Needs.** Form K. **Gives.** Form K without `helion.lane` and `helion.stack`; sites that `helion-normalize` names. **Reads.** none.
    **Fails when.** never. **Numerics.** exact.
  }];
  let dependentDialects = ["::helion::HelionDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"lanesLoaded", "lanes-loaded", "lanes that became accesses">,
                    Statistic<"storesSplit", "stores-split", "stores of stacked values that became one store each">];
}

def VerifyFormPass : Pass<"helion-verify-form", "::mlir::ModuleOp"> {
  let summary = "Fail unless the module is in the named form";
  let description = [{
    **Does.** Checks what is true at the border of a form and that no op's own verifier can see: which ops and types occur, that sites,
    ranges and blocks are unique and declared, and that no result, assert or view depends on a block. Form L: slots and tokens have one
    use on every path, rings one writing and one reading group, buffers are touched while their slot is held, values fit the warps of their group.

    **Before / After.** unchanged. **Needs.** any form. **Gives.** the same. **Reads.** none.
    **Fails when.** an op, type or dependence does not belong to the form; the diagnostic is on that op. **Numerics.** exact.
  }];
  let options = [Option<"form", "form", "std::string", "\"kernel\"",
                        "`kernel`, `scheduled` or `laidout`: the form to check against">];
  let statistics = [Statistic<"checked", "ops-checked", "ops looked at">];
}

#endif // HELION_NORMALIZE_PASSES
