#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs, builds, tunes examples/matmul over its corpus on this CPU, links the package into a C++ program and runs it
# on every shape, and on one that is not in the corpus.
# Use: utils/quickstart.sh [FOLDER]    (default: build/quickstart; a second run goes on with what is there)
# Example: utils/quickstart.sh
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) echo "quickstart.sh: unknown argument \`$1\`; it takes a folder or -h" >&2; exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/utils/install-deps.sh"
"$root/utils/build.sh" helion-aot helion-worker
work=${1:-$root/build/quickstart}
mkdir -p "$work"

echo "tuning examples/matmul (a few minutes)"
status=0
"$root/build/bin/helion-aot" "$root/examples/matmul/matmul.py" --corpus "$root/examples/matmul/shapes.jsonl" \
  --target cpu:native --goal max_slowdown --threshold 1.1 --max-configs 8 -o "$work/package" --run-dir "$work/run" \
  --json >"$work/report.json" || status=$?
# 3: the goal is missed or undecided on this machine; the package is written and says so.
if [ "$status" != 0 ] && [ "$status" != 3 ]; then
  echo "quickstart.sh: helion-aot ended with exit code $status" >&2
  exit 1
fi

cmake -S "$root/examples/quickstart" -B "$work/program" -DPACKAGE="$work/package" -DCMAKE_BUILD_TYPE=Release \
  >"$work/configure.log"
cmake --build "$work/program" >"$work/build.log"
/usr/bin/python3 "$root/examples/quickstart/shapes.py" "$work/report.json" 200 150 90 | "$work/program/quickstart"
