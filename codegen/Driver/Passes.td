// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed work behind a config: from form S to LLVM's dialect, named as one pass so that a pipeline string can end in it.

#ifndef HELION_CODEGEN_DRIVER_PASSES
#define HELION_CODEGEN_DRIVER_PASSES

include "mlir/Pass/PassBase.td"

def LowerPass : Pass<"helion-lower", "::mlir::ModuleOp"> {
  let summary = "Lower a scheduled kernel to LLVM's dialect for one target, with its manifest";
  let description = [{
    **Does.** Simplifies what the choices leave (`canonicalize`, `cse`), then runs `helion-outline-launches`, the target's pipeline and the conversions to LLVM's dialect. Names the symbols
    after the code: `<kernel>_<hash>_<launch>`, where the hash is of the lowered code and the facts, so configs that lower
    to the same code give the same object. Completes the module attribute `helion.manifest` but for what only the object
    file tells (`object_hash`, `code_bytes`).

    **Before / After**
    ```mlir
    module attributes {helion.form = "scheduled"} { helion.kernel @k ... }
    // after
    module attributes {helion.form = "target", helion.manifest = "{...}"} { llvm.func @k_0a1b2c3d_0 ... }
    ```

    **Needs.** Form S, one kernel. The config text in the module attribute `helion.config`, if the manifest shall say it.

    **Gives.** LLVM's dialect only.

    **Reads.** The row of the target in `dialect/Target`.

    **Fails when** the target is unknown, or a step of the pipeline fails.

    **Numerics.** That of the target's passes.
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"cpu:x86-64-v3\"",
                        "target the code is for, as in `cpu:x86-64-v3`; `cpu:native` is the row of this machine">];
  let statistics = [Statistic<"functions", "functions", "Kernel functions in the lowered module">];
}

#endif // HELION_CODEGEN_DRIVER_PASSES
