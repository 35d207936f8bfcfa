// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: who runs what. The program of a CTA is split into groups of warps that run side by side and meet only in rings and
// turns.

#ifndef HELION_GROUP_OPS
#define HELION_GROUP_OPS

include "dialect/IR/AsyncOps.td"

def Helion_WarpGroupsOp : Helion_Op<"warp_groups", [HasParent<"LaunchOp">, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "form L: run groups of warps side by side";
  let description = [{
    Its body holds `helion.group` ops only; all start together, the op ends when all have ended. Index arithmetic before it is uniform
    and available in each group. C1: at least one group, nothing else. C2: names differ.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Helion_GroupOp : Helion_Op<"group", [HasParent<"WarpGroupsOp">, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "form L: the program of one group of warps";
  let description = [{
    `helion.group "consumer" count 2 warps 4 regs 232 { .. }`: two instances of four warps each. The text is written once, over whole tiles;
    the `group` space of the layouts says which instance holds what. `regs`: registers per thread that the group asks for when it starts
    (the others give up theirs). `elected`: one lane of the group's first warp runs the text, which therefore has no tile values.

    C1: count and warps are at least 1. C2: regs is a multiple of 8 from 24 to 256, and warps a multiple of 4: what the instruction takes.
    C3: an elected group has one instance and no tile values.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$count, I64Attr:$warps, OptionalAttr<I64Attr>:$regs, UnitAttr:$elected);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `count` $count `warps` $warps (`regs` $regs^)? (`elected` $elected^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Helion_InstanceOp : Helion_Op<"instance", [Pure]> {
  let summary = "form L: number of this instance within its group, for giving out work";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Helion_TurnOp : Helion_Op<"turn", [HasParent<"LaunchOp">]> {
  let summary = "form L: declare an order among instances";
  let results = (outs Helion_TurnType:$turn);
  let assemblyFormat = "attr-dict";
}

def Helion_OrderedOp : Helion_Op<"ordered", [SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "form L: enter the region in turn";
  let description = [{
    The instances of all groups that enter regions of one turn do so round robin, in the order of the text and of their numbers: the
    n-th entry of an instance waits for the n-th exit of the one before it, of the first instance for the (n-1)-th exit of the last. Every
    instance enters equally often. The region covers the issue of what is in it, not its completion.

    C1: it yields values of the result types. C2: it stands in a group, and in no other region of a turn. C3: nothing in it waits for a
    dot, or the instances would run one after the other.
  }];
  let arguments = (ins Helion_TurnType:$turn);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$turn (`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // HELION_GROUP_OPS
