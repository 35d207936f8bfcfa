// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host part of a kernel: signature, blocks, sizes, allocation, asserts and launches. It stays in the module through every form
// and ends in the launch plan.

#ifndef HELION_KERNEL_OPS
#define HELION_KERNEL_OPS

include "dialect/IR/Types.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Helion_KernelOp : Helion_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, SymbolTable, SingleBlock]> {
  let summary = "one signature of a kernel: host part and launches";
  let description = [{
    Operands are host tensors (`memref`, strided-dynamic) and scalars; arguments that the signature fixes (None, specialised
    scalars) are no operands. Each argument carries `helion.name`; one that the kernel writes in place carries `helion.writes`.
    Attributes: `helion.signature` (argument -> `"bf16[2]"`, a scalar type, `none` as unit, or a fixed value), `helion.facts` (array of
    `#helion.pred`), and after binding `helion.blocks`. The kernel is the symbol table of its blocks.

    ```mlir
    helion.kernel @scale(%x: memref<?xf32, strided<[?], offset: ?>> {helion.name = "x"}) -> memref<?xf32>
        attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} { ... }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                   OptionalAttr<StrAttr>:$sym_visibility,
                   OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Name of argument `index` in the source.
    ::llvm::StringRef getArgumentName(unsigned index);
    /// Facts recorded so far, as text; and a way to add one (kept sorted and unique).
    ::llvm::SmallVector<::llvm::StringRef> getFacts();
    void addFact(::llvm::StringRef predicate);
  }];
}

def Helion_ReturnOp : Helion_Op<"return", [Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "return host tensors from a kernel";
  let arguments = (ins Variadic<Helion_HostTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Helion_BlockOp : Helion_Op<"block", [Symbol, HasParent<"KernelOp">]> {
  let summary = "declare a block: an extent that a config will choose";
  let description = [{
    `min`, `max`, `multiple` are constraints from the source, not choices; `max` may name another block. A `fixed` block has `value`.
    `helion.block @bi tile {max = @bc}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Helion_BlockKindAttr:$kind, OptionalAttr<I64Attr>:$min,
                   OptionalAttr<AnyAttrOf<[I64Attr, FlatSymbolRefAttr]>>:$max, OptionalAttr<I64Attr>:$multiple,
                   OptionalAttr<I64Attr>:$value);
  let assemblyFormat = "$sym_name `` $kind attr-dict";
  let hasVerifier = 1;
}

def Helion_BlockSizeOp : Helion_Op<"block_size", [Pure]> {
  let summary = "extent of a block, opaque until the block is bound";
  let description = [{No result, assert or view of the kernel may depend on it; workspace sizes, grids and device code may.}];
  let arguments = (ins FlatSymbolRefAttr:$block);
  let results = (outs Index:$result);
  let assemblyFormat = "$block attr-dict";
}

def Helion_EmptyOp : Helion_Op<"empty"> {
  let summary = "allocate a contiguous host tensor: an output when returned, else workspace";
  let arguments = (ins Variadic<Index>:$sizes, StrAttr:$name, UnitAttr:$workspace);
  let results = (outs Res<Helion_HostTensor, "", [MemAlloc]>:$result);
  let assemblyFormat = "`(` $sizes `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Helion_FullOp : Helion_Op<"full"> {
  let summary = "allocate a contiguous host tensor and fill it with one value (a fill step of the plan)";
  let arguments = (ins Variadic<Index>:$sizes, Helion_ScalarType:$value, StrAttr:$name, UnitAttr:$workspace);
  let results = (outs Res<Helion_HostTensor, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "`(` $sizes `)` `,` $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_AssertOp : Helion_Op<"assert"> {
  let summary = "a condition on sizes, strides and scalars that the caller must meet; becomes a status";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Helion_DeviceFactOp : Helion_Op<"device_fact", [Pure]> {
  let summary = "a number of the device, such as `sms`; known when a plan is resolved";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

def Helion_LaunchOp : Helion_Op<"launch", [HasParent<"KernelOp">, RecursiveMemoryEffects,
                                          SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one device program over a grid; captures host values";
  let description = [{
    K: no grid, one or more top-level tile loops. S and L: a grid of one to three sizes. A launch whose grid has a zero is skipped.
    `name` is the launch's site. L: `cluster` gives the CTAs of a cluster along x, y and z, neighbours of the grid; `warps` the warps of
    a program without `helion.warp_groups`.
  }];
  let arguments = (ins Variadic<Index>:$grid, StrAttr:$name, OptionalAttr<DenseI64ArrayAttr>:$cluster,
                   OptionalAttr<I64Attr>:$warps);
  let builders = [
    /// K and S: no cluster, no warps.
    OpBuilder<(ins "::mlir::ValueRange":$grid, "::mlir::StringAttr":$name),
              [{ build($_builder, $_state, grid, name, ::mlir::DenseI64ArrayAttr(), ::mlir::IntegerAttr()); }]>
  ];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name (`grid` `(` $grid^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // HELION_KERNEL_OPS
