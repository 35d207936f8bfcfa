// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes: dims of tile values, predicates that a kernel relies on, and the enumerations that ops name.

#ifndef HELION_ATTRIBUTES
#define HELION_ATTRIBUTES

include "dialect/IR/HelionDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Helion_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Helion_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Helion_DimAttr : Helion_Attr<"Dim", "dim"> {
  let summary = "extent of one dim of a tile value, and the range that bounds its lanes";
  let description = [{
    `dim ::= integer | block | block@range | affine`. The extent is an affine expression over block names; its symbols are the names
    in alphabetical order, so `bm*bn` and `bn*bm` are one attribute. A range is one tile variable or one full slice and stands only
    behind a single block.

    `#helion.dim<128>`, `#helion.dim<bm@i>`, `#helion.dim<bm floordiv 2>`
  }];
  let parameters = (ins "::mlir::AffineExpr":$expr, ArrayRefParameter<"::mlir::StringAttr">:$blocks,
                    OptionalParameter<"::mlir::StringAttr">:$range);
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "int64_t":$extent)>,
    AttrBuilder<(ins "::llvm::StringRef":$block, "::llvm::StringRef":$range)>,
    /// An expression whose symbol `i` is `blocks[i]`; sorts the names and drops the ones that do not occur.
    AttrBuilder<(ins "::mlir::AffineExpr":$expr, "::llvm::ArrayRef<::mlir::StringAttr>":$blocks)>
  ];
  let extraClassDeclaration = [{
    /// The extent when it is a number, else none.
    std::optional<int64_t> getConstant() const;
    /// The name when the extent is one block, else null.
    ::mlir::StringAttr getBlock() const;
    /// The same extent without the range.
    DimAttr withoutRange() const;
    /// `#helion.dim<x>` without the decoration: parses and prints `x`.
    static DimAttr parseBare(::mlir::AsmParser &parser);
    void printBare(::mlir::AsmPrinter &printer) const;
    /// `x` as text, for messages.
    std::string str() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def Helion_DimsAttr : Helion_Attr<"Dims", "dims"> {
  let summary = "dims of a tile value; the encoding of its tensor type in form K";
  let description = [{`tensor<?x64xf32, #helion.dims<bm@i, 64>>`: a `?` for each symbolic dim, the number for an integer one.}];
  let parameters = (ins ArrayRefParameter<"::helion::DimAttr">:$dims);
  let extraClassDeclaration = [{
    /// Shape of a tensor type with these dims: dynamic for each symbolic one.
    ::llvm::SmallVector<int64_t> getShape() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def Helion_PredAttr : Helion_Attr<"Pred", "pred"> {
  let summary = "a fact that the code relies on, over sizes, strides, alignments, scalars and device facts";
  let description = [{
    `#helion.pred<"x.stride(1) == 1">`. The grammar is the one of `dialect/IR/SizeExpr.h`. The conjunction of a kernel's
    `helion.facts` is the legality predicate of its artifact: the search evaluates it and the dispatcher is printed from it.
  }];
  let parameters = (ins StringRefParameter<"predicate text">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

def Helion_LayoutAttr : Helion_Attr<"Layout", "layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "form L: where the elements of a tile are";
  let description = [{
    A map from hardware coordinates to tile indices (`dialect/IR/Layout.h`): linear over the bits of an atom whose extents are powers
    of two, times repeats of any count.

        layout ::= `<` `[` extents `]` (`,` space `=` `[` index, .. `]`)* (`,` `repeat` `=` `[` repeat, .. `]`)? `>`
        space  ::= `reg` | `lane` | `warp` | `group` | `cta` | `offset` | `mem`
        repeat ::= space dim `x` count (`from` stride)? (`step` stride)?

    Each space lists one index vector per bit, low bit first; the index of an element is the XOR of the vectors of the bits that are
    set. A zero vector, and a space that is not mentioned, replicates. Repeats are innermost first: each takes the next digit of its
    space and of its dim, or the digit at `from` (of the space) and `step` (of the dim). `offset` counts elements.

    Two groups of 64 rows of a 64 x 192 accumulator that four warps hold:

        #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]],
                       repeat = [reg 1 x 24, group 0 x 2]>

    The attribute is canonical: what places every element alike prints alike (repeats of powers of two become part of the atom), so
    elementwise ops accept equal placements and refuse others. Errors: an extent that is no power of two, a vector outside the atom,
    an index without owner, digits that overlap, a rank or shape other than the tensor's.
  }];
  let parameters = (ins AttrParameter<"::helion::Layout", "placement of the elements">:$layout);
  let hasCustomAssemblyFormat = 1;
}

class Helion_Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::helion";
  let genSpecializedAttr = 0;
}
class Helion_EnumAttr<Helion_Enum enum, string attrMnemonic> : EnumAttr<Helion_Dialect, enum, attrMnemonic>;

def Helion_BlockKind : Helion_Enum<"BlockKind", "where a block comes from", [
  I32EnumAttrCase<"Tile", 0, "tile">,             // a tile loop without a block size of its own
  I32EnumAttrCase<"Slice", 1, "slice">,           // a full slice of symbolic size
  I32EnumAttrCase<"Registered", 2, "registered">, // registered by name, possibly used on the host
  I32EnumAttrCase<"Fixed", 3, "fixed">            // the source fixes the value
]>;
def Helion_BlockKindAttr : Helion_EnumAttr<Helion_BlockKind, "block_kind">;

def Helion_ReductionKind : Helion_Enum<"ReductionKind", "how lanes are combined", [
  I32EnumAttrCase<"AddF", 0, "addf">, I32EnumAttrCase<"MulF", 1, "mulf">,
  I32EnumAttrCase<"MaximumF", 2, "maximumf">, I32EnumAttrCase<"MinimumF", 3, "minimumf">,
  I32EnumAttrCase<"AddI", 4, "addi">, I32EnumAttrCase<"MulI", 5, "muli">,
  I32EnumAttrCase<"MaxSI", 6, "maxsi">, I32EnumAttrCase<"MinSI", 7, "minsi">,
  I32EnumAttrCase<"MaxUI", 8, "maxui">, I32EnumAttrCase<"MinUI", 9, "minui">,
  I32EnumAttrCase<"AndI", 10, "andi">, I32EnumAttrCase<"OrI", 11, "ori">, I32EnumAttrCase<"XorI", 12, "xori">,
  I32EnumAttrCase<"ArgMax", 13, "argmax">, I32EnumAttrCase<"ArgMin", 14, "argmin">
]>;
def Helion_ReductionKindAttr : Helion_EnumAttr<Helion_ReductionKind, "reduction_kind">;

def Helion_MemoryOrder : Helion_Enum<"MemoryOrder", "ordering of an atomic", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">
]>;
def Helion_MemoryOrderAttr : Helion_EnumAttr<Helion_MemoryOrder, "memory_order">;

def Helion_DotPrecision : Helion_Enum<"DotPrecision", "input precision of an f32 dot", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">, I32EnumAttrCase<"IEEE", 2, "ieee">
]>;
def Helion_DotPrecisionAttr : Helion_EnumAttr<Helion_DotPrecision, "dot_precision">;

#endif // HELION_ATTRIBUTES
