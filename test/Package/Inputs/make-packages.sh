#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the two sample packages. Use: make-packages.sh CC FOLDER        (package-from-json is on PATH)
set -euo pipefail
cc=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out/obj"
compile() { "$cc" -O2 -fPIC -ffreestanding -march=x86-64-v2 -c "-D$1" "$here/kernels.c" -o "$out/obj/$2.o"; }
compile VECTOR_ADD_UNIT unit
compile VECTOR_ADD_ANY any
compile COLUMN_SUMS sums
compile COLUMN_SUMS_BIAS sums-bias
for kernel in vector_add column_sums; do
  sed "s|@OBJ@|$out/obj|" "$here/$kernel.json" >"$out/$kernel.json"
  package-from-json "$out/$kernel.json" "$out/$kernel"
done
