// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect itself and the base class of its ops. Ops are split by family: KernelOps.td (host part), LoopOps.td (tiles and
// loops), MemoryOps.td (loads and stores), ValueOps.td (tile values), and of form L RingOps.td (staged memory), AsyncOps.td
// (copies and dots in flight), GroupOps.td (who runs what), PlacementOps.td (layouts).

#ifndef HELION_DIALECT
#define HELION_DIALECT

include "mlir/IR/OpBase.td"

def Helion_Dialect : Dialect {
  let name = "helion";
  let cppNamespace = "::helion";
  let summary = "Tile kernels, from what they compute to how one program runs";
  let description = [{
    A kernel says *what* is tiled; passes decide *how* it is lowered. The same ops serve three forms, told apart by the module
    attribute `helion.form`:

    - `"kernel"` (K): host part and tile loops, no choices. Tile values are builtin tensors with `#helion.dims`.
    - `"scheduled"` (S): static tile extents, explicit program ids and loops, explicit masks. No encodings.
    - `"laidout"` (L): one CTA's program. Layouts on tensors, rings of staged buffers, copies and dots in flight, warp groups.

    Lanes: a tile value has the full extent of its blocks. A load fills lanes outside a range with 0 (or `other`); elementwise ops
    compute them; ops that combine lanes of a ranged dim use their identity for lanes outside; stores and atomics drop them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Helion_Op<string mnemonic, list<Trait> traits = []> : Op<Helion_Dialect, mnemonic, traits>;

#endif // HELION_DIALECT
