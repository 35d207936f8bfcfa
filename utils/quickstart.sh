#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs, builds, and for each kernel named: tunes it over its corpus on this CPU, links the package into a C++ program
# and runs it on every shape, and on one that is not in the corpus.
# Use: utils/quickstart.sh [-o FOLDER] [KERNEL ..]
#   KERNEL: matmul (default), vector_add, softmax, rms_norm, long_sum_split, or `all` of them
#   FOLDER: default build/quickstart; a second run goes on with what is there
# Example: utils/quickstart.sh softmax
set -euo pipefail

# Kernel, file, and the call that no corpus has.
kernels='matmul         matmul      x=200x150,y=150x90
vector_add     vector_add  x=5000,y=5000
softmax        softmax     x=300x700
rms_norm       rms_norm    x=77x1500,w=1500
long_sum_split long_sum    x=9x30011'
names=$(awk '{print $1}' <<<"$kernels")

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/quickstart
chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '4,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -o) [ $# -ge 2 ] || { echo "quickstart.sh: \`-o\` needs a folder" >&2; exit 2; }
        mkdir -p "$2"; work=$(cd "$2" && pwd); shift ;;
    all) mapfile -t chosen <<<"$names" ;;
    *) grep -qxF -- "$1" <<<"$names" || { echo "quickstart.sh: unknown argument \`$1\`; it takes -o FOLDER, -h, all, or" \
         "kernels:" $names >&2; exit 2; }
       chosen+=("$1") ;;
  esac
  shift
done
[ ${#chosen[@]} -gt 0 ] || chosen=(matmul)

"$root/utils/install-deps.sh"
"$root/utils/build.sh" helion-aot helion-worker

# What was installed is Ninja, and make need not be there. A folder that has been configured keeps what it has.
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}

# tune KERNEL FILE CALL
tune() {
  local folder=$work/$1 status=0
  mkdir -p "$folder"
  echo "tuning $1 of examples/$2/$2.py (a few minutes)"
  "$root/build/bin/helion-aot" "$root/examples/$2/$2.py" --kernel "$1" --corpus "$root/examples/$2/shapes.jsonl" \
    --target cpu:native --goal max_slowdown --threshold 1.1 --max-configs 8 -o "$folder/package" \
    --run-dir "$folder/run" --json >"$folder/report.json" || status=$?
  # 3: the goal is missed or undecided on this machine; the package is written and says so.
  if [ "$status" != 0 ] && [ "$status" != 3 ]; then
    echo "quickstart.sh: helion-aot ended with exit code $status" >&2
    exit 1
  fi
  cmake -S "$root/examples/quickstart" -B "$folder/program" -DKERNEL="$1" -DPACKAGE="$folder/package" \
    -DCMAKE_BUILD_TYPE=Release >"$folder/configure.log"
  cmake --build "$folder/program" >"$folder/build.log"
  /usr/bin/python3 "$root/examples/quickstart/shapes.py" "$folder/report.json" "$3" | "$folder/program/quickstart"
}

for kernel in "${chosen[@]}"; do
  read -r _ file call <<<"$(awk -v kernel="$kernel" '$1 == kernel' <<<"$kernels")"
  tune "$kernel" "$file" "$call"
done
