// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes about the config itself: the one that begins every config text, and the doors to the space and to Helion's JSON.

#ifndef HELION_CONFIG_PASSES
#define HELION_CONFIG_PASSES

include "mlir/Pass/PassBase.td"

def ConfigPass : Pass<"helion-config", "::mlir::ModuleOp"> {
  let summary = "Check the version of a config text";
  let description = [{
    **Does.** Nothing to the module: begins every config text, so that a text of another version fails before it changes anything.

    **Before / After.** The same.
    **Needs.** none. **Gives.** the same. **Reads.** none. **Fails when.** `v` is not the version that this build reads.
    **Numerics.** exact.
  }];
  let options = [Option<"version", "v", "int64_t", "0", "version of the config text; a newer tool may read an older one">];
  let statistics = [Statistic<"checked", "configs-checked", "config texts whose version is right">];
}

def PrintConfigPass : Pass<"helion-print-config", "::mlir::ModuleOp"> {
  let summary = "Print a config, given as text or as Helion's JSON, in either form";
  let description = [{
    **Does.** Reads the file (JSON when it begins with `{`), checks it against the module's kernel, and prints the canonical
    config text or Helion's JSON on stdout. Keys of the JSON without meaning here are reported as remarks.

    **Before / After.** `{"block_sizes": [64, 64, 16], "num_warps": 8}` becomes
    `helion-config{v=1},..,helion-bind-blocks{block_sizes=bk=16,bm=64,bn=64},..`
    **Needs.** Form K, one kernel. **Gives.** the same. **Reads.** all knobs of the target.
    **Fails when.** the file cannot be read or is no config, or the config is not legal for the kernel. **Numerics.** exact.
  }];
  let options = [Option<"file", "file", "std::string", "", "config text or Helion's JSON">,
                 Option<"as", "as", "std::string", "\"text\"", "`text` or `helion-json`, which loses what Helion has no key for">,
                 Option<"target", "target", "std::string", "", "target whose knobs count, `vendor:chip`; empty: the neutral ones">];
  let statistics = [Statistic<"printed", "configs-printed", "configs printed">];
}

def PrintConfigSpacePass : Pass<"helion-print-config-space", "::mlir::ModuleOp"> {
  let summary = "Print every choice of each kernel with its values, as JSON";
  let description = [{
    **Does.** Prints on stdout, for each kernel: the choices with site, values that the search tries and default, what they
    demand of each other, and the number of legal configs.

    **Before / After.** `{"default":32,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bi","values":[1,2,4,..]}`
    **Needs.** Form K, after helion-normalize. **Gives.** the same. **Reads.** all knobs of the target.
    **Fails when.** the target is not known. **Numerics.** exact.
  }];
  let options = [Option<"target", "target", "std::string", "", "target whose knobs count, `vendor:chip`; empty: the neutral ones">,
                 Option<"samples", "samples", "unsigned", "0", "print this many random configs, one text per line, instead of the space">,
                 Option<"seed", "seed", "uint64_t", "0", "seed of the random configs">,
                 Option<"cover", "cover", "bool", "false", "draw them so that every value of every choice occurs, as far as they are enough">];
  let statistics = [Statistic<"printed", "spaces-printed", "kernels whose space was printed">];
}

#endif // HELION_CONFIG_PASSES
