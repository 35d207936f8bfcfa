#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cubins of a few example kernels, a folder each with its manifest, to look at or to carry to a device.
# Use: utils/emit-nvidia.sh OUT [TARGET]
# Example: utils/emit-nvidia.sh cubins nvidia:sm_90a
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:?OUT is missing}
target=${2:-nvidia:sm_90a}
tool=${HELION_TRANSLATE:-$root/build/bin/helion-translate}
mkdir -p "$out"

emit() { # folder, kernel, arguments, options of five choice passes
  "$tool" --import-helion "$root/examples/$2/$2.py" --kernel "$2" --args "$3" -o "$out/$1.mlir"
  "$tool" --emit-artifact "$out/$1" "$out/$1.mlir" --target "$target" --config \
    "helion-config{v=1},helion-roll-reductions$4,helion-order-loops,helion-bind-blocks$5,helion-flatten-loops,helion-map-programs$6,helion-unroll-loops,helion-choose-access,helion-set-warps$7,helion-set-stages$8"
  echo "$out/$1"
}

emit vector_add vector_add 'x=f32[?] y=f32[?]' '' '{block_sizes=bi=1024}' '' '' ''
emit softmax-looped softmax 'x=f32[?,?]' '{reduction_loops=slice.n=1024}' '{block_sizes=bi=1}' '' '' ''
emit softmax-persistent softmax 'x=f32[?,?]' '' '{block_sizes=bi=1,rn=4096}' '{pid_type=softmax=persistent_interleaved}' '{num_warps=softmax=8}' ''
emit rms_norm rms_norm 'x=f32[?,?] w=f32[?] eps=f32' '' '{block_sizes=bm=1}' '' '' ''
emit matmul-bf16 matmul 'x=bf16[?,?] y=bf16[?,?]' '' '{block_sizes=bi=128,bj=128,bk=64}' '{l2_groupings=loop.ij=8}' '' '{num_stages=loop.k=3}'
