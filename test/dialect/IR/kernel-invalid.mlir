// RUN: helion-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// expected-error @below {{argument 0 has no `helion.name`}}
helion.kernel @negative_unnamed(%x: memref<?xf32>) {
  helion.return
}

// -----

// expected-error @below {{two arguments are named `x`}}
helion.kernel @negative_same_name(%x: memref<?xf32> {helion.name = "x"}, %y: memref<?xf32> {helion.name = "x"}) {
  helion.return
}

// -----

// expected-error @below {{argument `x` has type 'tensor<4xf32>'; a host tensor (memref) or a scalar is needed}}
helion.kernel @negative_argument_type(%x: tensor<4xf32> {helion.name = "x"}) {
  helion.return
}

// -----

// expected-error @below {{`helion.facts` is not an array of `#helion.pred`}}
helion.kernel @negative_facts(%x: memref<?xf32> {helion.name = "x"}) attributes {helion.facts = ["x.size(0) == 1"]} {
  helion.return
}

// -----

// expected-error @below {{does not end with `helion.return`}}
"helion.kernel"() <{sym_name = "negative_no_return", function_type = () -> ()}> ({
  helion.yield
}) : () -> ()

// -----

helion.kernel @negative_return(%x: memref<?xf32> {helion.name = "x"}) -> memref<?xf32> {
  // expected-error @below {{returns (), but the kernel's results are ('memref<?xf32>')}}
  helion.return
}

// -----

helion.kernel @negative_fixed_without_value() {
  // expected-error @below {{is `fixed`, but has no value}}
  helion.block @bi fixed
  helion.return
}

// -----

helion.kernel @negative_value_not_fixed() {
  // expected-error @below {{has a value, but is not `fixed`}}
  helion.block @bi tile {value = 4 : i64}
  helion.return
}

// -----

helion.kernel @negative_bound() {
  // expected-error @below {{bound `0` is below 1}}
  helion.block @bi tile {min = 0 : i64}
  helion.return
}

// -----

helion.kernel @negative_max_unknown() {
  // expected-error @below {{`max` names `bz`, which is no block of this kernel}}
  helion.block @bi tile {max = @bz}
  helion.return
}

// -----

helion.kernel @negative_strided_allocation(%n: index {helion.name = "n"}) {
  // expected-error @below {{is not contiguous}}
  %a = helion.empty(%n) {name = "a"} : memref<?xf32, strided<[2]>>
  helion.return
}

// -----

helion.kernel @negative_sizes(%n: index {helion.name = "n"}) {
  // expected-error @below {{has 1 sizes for 2 dynamic dims of 'memref<?x?xf32>'}}
  %a = helion.empty(%n) {name = "a"} : memref<?x?xf32>
  helion.return
}

// -----

helion.kernel @negative_fill_type(%n: index {helion.name = "n"}) {
  // expected-error @below {{fills 'memref<?xf32>' with a value of type 'index'}}
  %a = helion.full(%n), %n {name = "a"} : index -> memref<?xf32>
  helion.return
}

// -----

helion.kernel @negative_grid(%n: index {helion.name = "n"}) {
  // expected-error @below {{has a grid of 4 sizes; at most 3 are possible}}
  helion.launch "f" grid(%n, %n, %n, %n) {
  }
  helion.return
}

// -----

// expected-error @below {{predicate `x.size(0) ~ 1`}}
"test.attr"() {p = #helion.pred<"x.size(0) ~ 1">} : () -> ()
