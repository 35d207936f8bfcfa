// RUN: helion-opt --helion-finish-kernels --split-input-file --verify-diagnostics %s

// expected-error@+1 {{does not say its warps; helion-set-warps chooses them}}
llvm.func @negative_no_warps() attributes {helion.entry} {
  llvm.return
}

// -----

// expected-error@+1 {{has blocks of `2048` threads; at most `1024` are allowed}}
llvm.func @negative_too_many() attributes {helion.entry, warps = 64 : i64} {
  llvm.return
}

// -----

// expected-error@+1 {{needs `102400` bytes of shared memory; at most `101376` are allowed; smaller blocks need less}}
llvm.func @negative_too_much_shared() attributes {helion.entry, warps = 4 : i64, helion.shared_bytes = 102400 : i64} {
  llvm.return
}
