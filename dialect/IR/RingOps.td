// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: rings of slots in staged memory. What barriers do on a device follows from these ops: a ring of depth D is D full and D
// empty barriers, its n-th acquire and its n-th take use barrier n mod D in phase n / D. No op names a barrier or an address.

#ifndef HELION_RING_OPS
#define HELION_RING_OPS

include "dialect/IR/ValueOps.td"

def Helion_RingOp : Helion_Op<"ring"> {
  let summary = "form L: declare a ring of staged buffers";
  let description = [{
    `%r = helion.ring "x.0+y.0" : !helion.ring<4 x (!A, !B)>`. The site names the loads (or the store) that it serves. The n-th
    acquire pairs with the n-th take, over all loops of the program. Acquires stand in one group, takes in one group. Slots that are
    full when the program ends are drained.

    `overlay "q.0"`: the planner may give this ring the storage of that one, of which every slot is released (by the instance that
    owns the part, where buffers have parts) before the first acquire. `cluster`: a copy into it may fill the ring of several CTAs,
    so acquire waits for the readers of all of them.

    Bytes are `depth` times those of a slot; the shared-memory planner adds alignment. C1: it stands in a launch, or in the function that a
    launch became.
  }];
  let arguments = (ins StrAttr:$site, OptionalAttr<StrAttr>:$overlay, UnitAttr:$cluster);
  let results = (outs Helion_RingType:$ring);
  let assemblyFormat = "$site (`overlay` $overlay^)? (`cluster` $cluster^)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

class Helion_SlotOp<string mnemonic, string text>
    : Helion_Op<mnemonic, [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = text;
  let arguments = (ins Helion_RingType:$ring);
  let results = (outs Helion_SlotType:$slot, Variadic<Helion_BufType>:$buffers);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Helion_AcquireOp : Helion_SlotOp<"acquire", "form L: wait for an empty slot of a ring, to fill it"> {
  let description = [{
    `%s, %a, %b = helion.acquire %r : !helion.ring<4 x (!A, !B)>`: the slot and its buffers. The first `depth` acquires do not wait. After
    a `helion.store_async` of the slot before, it waits until memory has been read.
  }];
}

def Helion_TakeOp : Helion_SlotOp<"take", "form L: wait for a full slot of a ring, to read it"> {
  let description = [{
    In a group of several instances each of them takes the slot, and all have to release it. A buffer with parts gives each instance
    its own.
  }];
}

def Helion_CommitOp : Helion_Op<"commit"> {
  let summary = "form L: publish a slot once the copies into it have arrived";
  let description = [{Does not wait: the copies that were issued into the slot complete it, writes from registers are ordered before it.}];
  let arguments = (ins Helion_SlotType:$slot);
  let assemblyFormat = "$slot attr-dict `:` qualified(type($slot))";
  let hasVerifier = 1;
}

def Helion_ReleaseOp : Helion_Op<"release"> {
  let summary = "form L: hand an empty slot back to the writer";
  let description = [{
    `helion.release %s after %t : !helion.slot<read>, !helion.token<!acc>`: not before the dots up to the one that made `%t` have read their
    operands. Without `after` every dot that reads the slot has been waited for. The wait lets younger dots fly: of the dots that the
    program issued after `%t` on every path, none is waited for.
  }];
  let arguments = (ins Helion_SlotType:$slot, Optional<Helion_TokenType>:$after);
  let assemblyFormat = "$slot (`after` $after^)? attr-dict `:` qualified(type($slot)) (`,` qualified(type($after))^)?";
  let hasVerifier = 1;
}

#endif // HELION_RING_OPS
