// RUN: helion-opt --helion-lower-threads=lanes=48 --verify-diagnostics %s

// expected-error @below {{has warps of `48` lanes; a power of two up to 64 is allowed}}
func.func @lanes() attributes {warps = 1 : i64} {
  return
}
