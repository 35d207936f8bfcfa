// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: ops that are about layouts. Every other op on tile values follows a rule: elementwise ops keep the layout, a reduction
// drops a dim of it, a broadcast adds one; where two rules disagree stands a helion.convert_layout.

#ifndef HELION_PLACEMENT_OPS
#define HELION_PLACEMENT_OPS

include "dialect/IR/GroupOps.td"

class Helion_PlacementOp<string mnemonic> : Helion_Op<mnemonic, [Pure]> {
  let hasVerifier = 1;
}

def Helion_ConvertLayoutOp : Helion_PlacementOp<"convert_layout"> {
  let summary = "form L: move a tile value to another layout";
  let description = [{In registers, by shuffles or through staged memory, whatever the two layouts need. C1: shape and element type agree, both
    have a layout. C2: neither lies in staged memory.}];
  let arguments = (ins Helion_TileValue:$value);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def Helion_SubtileOp : Helion_PlacementOp<"subtile"> {
  let summary = "form L: the registers that hold one block of a tile value";
  let description = [{
    `helion.subtile %c at [0, 128] : tensor<128x256xbf16, #a> -> tensor<128x128xbf16, #b>`. No data moves. C1: one offset per dim, a multiple of the
    result's extent inside the operand. C2: the result has the layout that the block's registers have; none exists where another
    thread holds the block.
  }];
  let arguments = (ins Helion_TileValue:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value `at` $offsets attr-dict `:` type($value) `->` type($result)";
}

def Helion_ReduceInThreadOp : Helion_PlacementOp<"reduce_in_thread"> {
  let summary = "form L: combine the registers of each thread along one dim";
  let description = [{
    `helion.reduce_in_thread addf %p dim 1 site "sum.0" : tensor<128x128xf32, #s> -> tensor<128x4xf32, #p>`: the dim keeps one element per thread
    position, so that a loop may carry partial sums and combine the lanes once, after it. Kinds as `helion.reduce`, without argmax and
    argmin. C1: the kind takes the element type. C2: the result has the shape and layout that the rule gives.
  }];
  let arguments = (ins Helion_ReductionKindAttr:$kind, Helion_TileValue:$value, I64Attr:$dim, StrAttr:$site);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "`` $kind $value `dim` $dim `site` $site attr-dict `:` type($value) `->` type($result)";
}

#endif // HELION_PLACEMENT_OPS
