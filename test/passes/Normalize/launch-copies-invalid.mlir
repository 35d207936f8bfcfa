// RUN: helion-opt --helion-launch-copies --verify-diagnostics %s -o /dev/null
!x = memref<f32, strided<[], offset: ?>>
helion.kernel @scalar(%x: !x {helion.name = "x"}, %y: !x {helion.name = "y"})
    attributes {helion.signature = {x = "f32[0]", y = "f32[0]"}, helion.facts = []} {
  // expected-error @+1 {{copies a tensor of rank 0; a launch needs a dim to tile}}
  memref.copy %x, %y : !x to !x
  helion.return
}
