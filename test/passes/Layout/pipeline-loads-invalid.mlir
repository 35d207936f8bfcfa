// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --helion-pipeline-loads --verify-diagnostics --split-input-file %s -o /dev/null

!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_fact(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but nothing says that `x.stride(0) % 8 == 0`, which asynchronous copies of load `x.0` need; record it as a fact}}
      %r = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}

// -----

!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_unit(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but nothing says that `x.stride(1) == 1`, which asynchronous copies}}
      %r = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}

// -----

!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_computed(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but no load in it goes to a dot on matrix instructions as it is; 1 is allowed}}
      %r = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %n = arith.negf %a : !a
        %p = helion.dot %n, %n, %s site "dot.0" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}

// -----

!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_store(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but it stores to memory, which loads of later iterations may read; 1 is allowed}}
      %r = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        helion.store %b, %y[%i, %e] site "y.0" : !a, !t, (!tile, !tile)
        scf.yield %p : !acc
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}

// -----

!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_carried(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but an index of its loads is no function of its counter; 1 is allowed}}
      %r:2 = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z, %at = %c0) -> (!acc, index) {
        %e = helion.make_tile %at : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        %next = arith.addi %at, %c32 : index
        scf.yield %p, %next : !acc, index
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r#0 : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}

// -----

!t3 = memref<?x?x?xbf16, strided<[?, ?, ?]>>
!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<32x32xbf16>
!acc = tensor<32x32xf32>
!tile = !helion.tile<32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_index(%x: !t3 {helion.name = "x"}, %y: !t {helion.name = "y", helion.writes}) attributes {helion.signature = {x = "bf16[3]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) % 8 == 0">, #helion.pred<"x.stride(2) == 1">]} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c32) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      // expected-error @below {{num_stages of `loop.k` is `2`, but load `x.0` has no tile along its contiguous dim; 1 is allowed}}
      %r = scf.for %l = %c0 to %k step %c32 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e, %l] site "x.0" : !t3, (!tile, !tile, index) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.k", stages = 2 : i64}
      %v = arith.truncf %r : !acc to !a
      helion.store %v, %y[%i, %i] site "y.1" : !a, !t, (!tile, !tile)
    }
    helion.return
  }
}
