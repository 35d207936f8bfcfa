// RUN: helion-opt --split-input-file --verify-diagnostics %s

!t = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @negative_rank(%x: memref<?x?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) site "loop.i" {
      // expected-error @below {{has 1 indices for a host tensor of rank 2}}
      %a = helion.load %x[%i] site "x.0" : memref<?x?xf32>, (!helion.tile<bi@i>) -> !t
    }
  }
  helion.return
}

// -----

helion.kernel @negative_dims(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) site "loop.i" {
      // expected-error @below {{indices give dims [bi@i], the value has [bi]}}
      %a = helion.load %x[%i] site "x.0" : memref<?xf32>, (!helion.tile<bi@i>) -> tensor<?xf32, #helion.dims<bi>>
    }
  }
  helion.return
}

// -----

helion.kernel @negative_element(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) site "loop.i" {
      // expected-error @below {{value has element type 'f16', the host tensor 'f32'}}
      %a = helion.load %x[%i] site "x.0" : memref<?xf32>, (!helion.tile<bi@i>) -> tensor<?xf16, #helion.dims<bi@i>>
    }
  }
  helion.return
}

// -----

helion.kernel @negative_float_index(%x: memref<?xf32> {helion.name = "x"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    %k = helion.splat %s : f32 -> tensor<?xf32, #helion.dims<bi>>
    // expected-error @below {{is not of integers}}
    %a = helion.load %x[%k] site "x.0" : memref<?xf32>, (tensor<?xf32, #helion.dims<bi>>) -> tensor<?xf32, #helion.dims<bi>>
  }
  helion.return
}

// -----

helion.kernel @negative_two_tensor_indices(%x: memref<?x?xf32> {helion.name = "x"}, %s: i32 {helion.name = "s"}) {
  helion.launch "f" {
    %k = helion.splat %s : i32 -> tensor<?xi32, #helion.dims<bi>>
    %l = helion.splat %s : i32 -> tensor<?xi32, #helion.dims<bj>>
    // expected-error @below {{has tensor indices of different types; broadcast them to one}}
    %a = helion.load %x[%k, %l] site "x.0" : memref<?x?xf32>, (tensor<?xi32, #helion.dims<bi>>, tensor<?xi32, #helion.dims<bj>>) -> tensor<?xf32, #helion.dims<bi>>
  }
  helion.return
}

// -----

helion.kernel @negative_mask(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}, %p: i1 {helion.name = "p"}) {
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) site "loop.i" {
      %m = helion.splat %p : i1 -> tensor<?xi1, #helion.dims<bi>>
      // expected-error @below {{mask has type 'tensor<?xi1, #helion.dims<bi>>'; 'tensor<?xi1, #helion.dims<bi@i>>' is needed}}
      %a = helion.load %x[%i] mask %m : tensor<?xi1, #helion.dims<bi>> site "x.0" : memref<?xf32>, (!helion.tile<bi@i>) -> tensor<?xf32, #helion.dims<bi@i>>
    }
  }
  helion.return
}

// -----

helion.kernel @negative_other(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" {
    // expected-error @below {{`other` has type 'index', the value has element type 'f32'}}
    %a = helion.load %x[%n] other %n : index site "x.0" : memref<?xf32>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_atomic_kind(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    // expected-error @below {{kind `argmax` has no atomic form}}
    %a = helion.atomic argmax relaxed %s, %x[%n] site "x.0" : f32, memref<?xf32>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_atomic_element(%x: memref<?xf32> {helion.name = "x"}, %n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    // expected-error @below {{kind `addi` does not take elements of type 'f32'}}
    %a = helion.atomic addi relaxed %s, %x[%n] site "x.0" : f32, memref<?xf32>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_rank_zero(%x: memref<f32> {helion.name = "x"}, %n: index {helion.name = "n"}) {
  helion.launch "f" {
    // expected-error @below {{1 indices for a host tensor of rank 0}}
    %a = helion.load %x[%n] site "x.0" : memref<f32>, (index) -> f32
  }
  helion.return
}

// -----

helion.kernel @negative_no_indices(%x: memref<?xf32> {helion.name = "x"}) {
  helion.launch "f" {
    // expected-error @below {{0 indices for a host tensor of rank 1}}
    %a = helion.load %x[] site "x.0" : memref<?xf32> -> f32
  }
  helion.return
}
