// RUN: helion-opt --helion-lower-thread-ops --verify-diagnostics %s

func.func @negative_no_counterpart(%x: f32) -> f32 {
  // expected-error@+1 {{failed to legalize operation 'gpu.all_reduce' that was explicitly marked illegal}}
  %s = gpu.all_reduce add %x {} : (f32) -> f32
  return %s : f32
}
