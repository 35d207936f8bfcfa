// RUN: helion-opt --split-input-file --verify-diagnostics %s

helion.kernel @negative_warp_groups_c1(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      // expected-error @below {{stands beside groups; only `helion.group` may}}
      %p = helion.program_id "x"
    }
  }
  helion.return
}

// -----

helion.kernel @negative_warp_groups_c1_empty(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    // expected-error @below {{has no groups}}
    "helion.warp_groups"() ({
    ^bb0:
    }) : () -> ()
  }
  helion.return
}

// -----

helion.kernel @negative_warp_groups_c2(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      helion.group "a" count 1 warps 4 {
      }
      // expected-error @below {{name `a` is used twice}}
      helion.group "a" count 1 warps 4 {
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_group_c1(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      // expected-error @below {{has count `0` and warps `4`; both are at least 1}}
      helion.group "a" count 0 warps 4 {
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_group_c2(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      // expected-error @below {{asks for `100` registers; a multiple of 8 from 24 to 256 is needed}}
      helion.group "a" count 1 warps 4 regs 100 {
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_group_c2_warps(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      // expected-error @below {{asks for registers with `2` warps; a multiple of 4 is needed}}
      helion.group "a" count 1 warps 2 regs 40 {
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_group_c3(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      // expected-error @below {{is elected and has `2` instances; only one can be}}
      helion.group "a" count 2 warps 4 elected {
      }
    }
  }
  helion.return
}

// -----

#r = #helion.layout<[8], reg = [[1], [2], [4]]>
helion.kernel @negative_group_c3_tile(%n: index {helion.name = "n"}, %c: f32 {helion.name = "c"}) {
  helion.launch "f" grid(%n) {
    helion.warp_groups {
      helion.group "a" count 1 warps 4 elected {
        // expected-error @below {{computes a tile value in an elected group, which one lane runs}}
        %v = helion.splat %c : f32 -> tensor<8xf32, #r>
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_instance(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    // expected-error @below {{stands in no `helion.group`}}
    %i = helion.instance
  }
  helion.return
}

// -----

helion.kernel @negative_ordered_c1(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %t = helion.turn
    helion.warp_groups {
      helion.group "a" count 2 warps 4 {
        // expected-error @below {{does not yield values of its result types}}
        %i = helion.ordered %t -> index {
        }
      }
    }
  }
  helion.return
}

// -----

helion.kernel @negative_ordered_c2(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %t = helion.turn
    // expected-error @below {{stands in no `helion.group`}}
    helion.ordered %t {
    }
  }
  helion.return
}

// -----

helion.kernel @negative_ordered_c2_nested(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %t = helion.turn
    helion.warp_groups {
      helion.group "a" count 2 warps 4 {
        helion.ordered %t {
          // expected-error @below {{stands in the region of another turn}}
          helion.ordered %t {
          }
        }
      }
    }
  }
  helion.return
}

// -----

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!S = tensor<16x16xbf16, #s>
!T = !helion.token<tensor<16x16xf32, #r>>
helion.kernel @negative_ordered_c3(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    %t = helion.turn
    %r = helion.ring "x.0" : !helion.ring<1 x (!S, !S)>
    helion.warp_groups {
      helion.group "a" count 2 warps 4 {
        helion.ordered %t {
          %s, %a, %b = helion.take %r : !helion.ring<1 x (!S, !S)>
          %d = helion.dot_async %a, %b site "dot.0" : !helion.buf<!S>, !helion.buf<!S> -> !T
          // expected-error @below {{waits for a dot in a turn, so that the instances run one after the other}}
          %v = helion.wait %d : !T
          helion.release %s : !helion.slot<read>
        }
      }
    }
  }
  helion.return
}
