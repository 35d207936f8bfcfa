#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the three sample packages. Use: make-packages.sh CC FOLDER        (package-from-json is on PATH)
set -euo pipefail
cc=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out/obj"
compile() { "$cc" -O2 -fPIC -ffreestanding -march=x86-64-v2 -c "-D$1" "$here/kernels.c" -o "$out/obj/$2.o"; }
compile VECTOR_ADD_UNIT unit
compile VECTOR_ADD_ANY any
compile COLUMN_SUMS sums
compile COLUMN_SUMS_BIAS sums-bias
scale() { "$cc" -O2 -fPIC -ffreestanding -march=x86-64-v2 -c "-DSCALE=$1" "-DSTRIDE=$2" "-DBLOCK=$3" "$here/kernels.c" -o "$out/obj/scale-$1.o"; }
scale a1a1a1a1 1 1024
scale b2b2b2b2 1 512
scale c3c3c3c3 2 256
scale d4d4d4d4 ANY 64
for kernel in vector_add column_sums scale; do
  sed "s|@OBJ@|$out/obj|" "$here/$kernel.json" >"$out/$kernel.json"
  package-from-json "$out/$kernel.json" "$out/$kernel"
done
