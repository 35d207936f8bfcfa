// RUN: helion-opt --split-input-file --verify-diagnostics %s

helion.kernel @negative_bounds(%n: index {helion.name = "n"}) {
  helion.launch "f" {
    // expected-error @below {{has 1 lower and 2 upper bounds}}
    helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n, %n) site "loop.i" {
    }
  }
  helion.return
}

// -----

helion.kernel @negative_tile_argument(%n: index {helion.name = "n"}) {
  helion.launch "f" {
    // expected-error @below {{body argument of type 'index' stands for a tile}}
    helion.tile (%i: index) = (%n) to (%n) site "loop.i" {
    }
  }
  helion.return
}

// -----

helion.kernel @negative_carries_own_range(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    %z = helion.splat %s : f32 -> tensor<?xf32, #helion.dims<bi@i>>
    // expected-error @below {{carries a value of dims [bi@i], which mention its own range `i`; use `helion.rebound`}}
    %r = helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) iter_args(%a = %z) -> (tensor<?xf32, #helion.dims<bi@i>>) site "loop.i" {
      helion.yield %a : tensor<?xf32, #helion.dims<bi@i>>
    }
  }
  helion.return
}

// -----

helion.kernel @negative_yield(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    // expected-error @below {{0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'index'}}
    %r = helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) iter_args(%a = %s) -> (f32) site "loop.i" {
      helion.yield %n : index
    }
  }
  helion.return
}

// -----

helion.kernel @negative_combine(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    // expected-error @below {{`combine` does not take the carried values twice and yield them once}}
    %r = helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) iter_args(%a = %s) -> (f32) site "loop.i" {
      helion.yield %a : f32
    } combine(%p: f32) {
      helion.yield %p : f32
    }
  }
  helion.return
}

// -----

helion.kernel @negative_types_of_carried(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  helion.launch "f" {
    // expected-error @below {{2 types for 1 carried values}}
    %r = helion.tile (%i: !helion.tile<bi@i>) = (%n) to (%n) iter_args(%a = %s) -> (f32, f32) site "loop.i" {
      helion.yield %a : f32
    }
  }
  helion.return
}

// -----

helion.kernel @negative_make_tile(%n: index {helion.name = "n"}) {
  // expected-error @below {{extent `bi` is not a number}}
  %t = helion.make_tile %n : !helion.tile<bi>
  helion.return
}

// -----

helion.kernel @negative_axis(%n: index {helion.name = "n"}) {
  // expected-error @below {{axis `w` is none of `x`, `y`, `z`}}
  %t = helion.program_id "w"
  helion.return
}
