#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures and builds everything with clang-22, lld-22 and, where it is present, ccache. A second run rebuilds only
# what changed.
# Use: utils/build.sh [-B DIR] [-DNAME=VALUE ...] [ninja target ...]     (DIR is build/ by default)
# Example: utils/build.sh -B build-static -DHELION_STATIC=ON helion-opt
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm=/usr/lib/llvm-22
build=$root/build
options=() targets=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -B) build=${2:?-B needs a folder}; shift ;;
    -D*) options+=("$1") ;;
    -*) echo "build.sh: unknown option \`$1\`; see -h" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done

# The big files take 1.5 GB each without the precompiled header: fewer jobs where memory is short.
jobs=$(nproc)
by_memory=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
if [ "$by_memory" -lt "$jobs" ]; then jobs=$((by_memory > 1 ? by_memory : 1)); fi

linker="-B$llvm/bin -fuse-ld=lld"
options=(
  -DCMAKE_C_COMPILER="$llvm/bin/clang" -DCMAKE_CXX_COMPILER="$llvm/bin/clang++"
  -DCMAKE_EXE_LINKER_FLAGS="$linker" -DCMAKE_SHARED_LINKER_FLAGS="$linker" -DCMAKE_MODULE_LINKER_FLAGS="$linker"
  -DMLIR_DIR="$llvm/lib/cmake/mlir" -DLLVM_DIR="$llvm/lib/cmake/llvm" -DPython3_EXECUTABLE=/usr/bin/python3
  "${options[@]}"
)
if command -v ccache >/dev/null; then
  # ccache finds a precompiled header again only if it carries no time stamps (its manual, "Precompiled headers").
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  # Paths relative to the root, so that another clone finds what this one compiled.
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
  options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
            -DCMAKE_CXX_FLAGS="-Xclang -fno-pch-timestamp")
fi

mkdir -p "$build"
cmake -G Ninja -S "$root" -B "$build" "${options[@]}" >"$build/configure.log" 2>&1 || {
  tail -n 30 "$build/configure.log" >&2
  echo "build.sh: cmake failed; all of it is in $build/configure.log" >&2
  exit 1
}
exec cmake --build "$build" --parallel "$jobs" --target "${targets[@]:-all}"
