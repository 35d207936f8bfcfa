#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Carries a tuning to a machine that has a device but neither LLVM nor this tree, and what was learnt back again.
# Use: utils/device-run.sh pack FOLDER [-B BUILD] [--most-mib N] FILE...
#          Makes FOLDER: helion-aot and helion-worker of BUILD, stripped and compressed, and the FILEs, kernels and
#          corpora. BUILD is build-static by default, made by
#              utils/build.sh -B build-static -DHELION_STATIC=ON helion-aot helion-worker
#          It is an error if FOLDER takes more than N MiB (60). FOLDER is then copied to the other machine.
#      FOLDER/device-run.sh run FOLDER [--seconds N] ARGUMENT...
#          There, or here: runs `helion-aot --run-dir run -o out ARGUMENT...` in FOLDER/work, where the FILEs lie, and
#          interrupts it after N seconds. What was learnt and built is then in FOLDER/results.tar.xz.
#      FOLDER/device-run.sh tune FOLDER KERNEL [--seconds N] [--out DIR] [ARGUMENT...]
#          There: tunes KERNEL/KERNEL.py over KERNEL/gpu.jsonl for nvidia:sm_90a, with what `take` brought or an earlier call
#          left. Within N seconds (480) it also builds the package, evaluates it, and where Python has torch checks and times
#          it against that. Leaves KERNEL.tar.xz (journal, package, logs) and KERNEL.md (reports and tables) in DIR (FOLDER).
#          Status 0 where there is a package and nothing wrong in it; whether the goal is met is in the report.
#      FOLDER/device-run.sh take FOLDER RESULTS.tar.xz...
#          Here: puts what was brought back into FOLDER/work, where `run` and `tune` go on with it. FOLDER has the program
#          that made the journal; another program would not take its compiles for its own.
# Example: utils/device-run.sh pack ../go examples/softmax/softmax.py examples/softmax/shapes.jsonl
#          ../go/device-run.sh run ../go --seconds 500 softmax.py --corpus shapes.jsonl --target nvidia:sm_90a --phase measure
#          ../go/device-run.sh take ../go results.tar.xz
#          utils/device-run.sh pack ../go examples/softmax examples/rms_norm
#          ../go/device-run.sh tune ../go softmax --seconds 540 --out results
set -euo pipefail

tools=(helion-aot helion-worker)

die() {
  echo "device-run.sh: $1" >&2
  exit 2
}

usage() {
  awk '/^# Use:/ {on = 1} !/^#/ {on = 0} on {sub(/^# ?/, ""); print}' "$0"
  exit "$1"
}

# The other machine may have Python where it has no xz.
compress() { if command -v xz >/dev/null; then xz -T0 -6; else python3 -c 'import lzma, shutil, sys
with lzma.open(sys.stdout.buffer, "wb") as out: shutil.copyfileobj(sys.stdin.buffer, out)'; fi; }
expand() { if command -v xz >/dev/null; then xz -d; else python3 -c 'import lzma, shutil, sys
with lzma.open(sys.stdin.buffer) as data: shutil.copyfileobj(data, sys.stdout.buffer)'; fi; }

pack() {
  local folder=${1:?} root build most=60 files=() tool
  shift
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  build=$root/build-static
  while [ $# -gt 0 ]; do
    case $1 in
      -B) build=${2:?-B needs a folder}; shift ;;
      --most-mib) most=${2:?--most-mib needs a number}; shift ;;
      -*) die "unknown option \`$1\`; see -h" ;;
      *) [ -e "$1" ] || die "there is no file \`$1\`"; files+=("$1") ;;
    esac
    shift
  done
  [ ${#files[@]} -gt 0 ] || die "no files to carry; name a kernel and a corpus"
  [ ! -e "$folder" ] || die "\`$folder\` is there already; give a new folder"
  for tool in "${tools[@]}"; do
    [ -x "$build/bin/$tool" ] || die "there is no \`$build/bin/$tool\`; build it, or name another build by -B"
  done
  mkdir -p "$folder/tools" "$folder/work"
  for tool in "${tools[@]}"; do
    cp "$build/bin/$tool" "$folder/tools/$tool"
    strip "$folder/tools/$tool"
    compress <"$folder/tools/$tool" >"$folder/tools/$tool.xz"
    rm "$folder/tools/$tool"
  done
  cp -r "${files[@]}" "$folder/work/"
  cp "${BASH_SOURCE[0]}" "$folder/device-run.sh"
  cp "$root/utils/measure-gpu.jsonl" "$root/utils/measure-gpu.py" "$root/utils/measure-calls.py" "$root/utils/measure-calls.cpp" \
    "$root/utils/check-targets.sh" "$folder/tools/"
  local bytes
  bytes=$(du -sb "$folder" | cut -f1)
  echo "$folder: $((bytes / 1048576)) MiB"
  [ "$bytes" -le $((most * 1048576)) ] || die "\`$folder\` takes more than $most MiB; carry less, or allow more by --most-mib"
}

# The tools, as programs.
unpack() {
  local tool
  for tool in "${tools[@]}"; do
    [ -x "$1/tools/$tool" ] && continue
    expand <"$1/tools/$tool.xz" >"$1/tools/$tool.part"
    chmod +x "$1/tools/$tool.part"
    mv "$1/tools/$tool.part" "$1/tools/$tool"
  done
}

# What there is of the named folders of the current one. Objects are in the journal; what was linked or built of them is
# made again.
bundle() {
  local to=$1 name learnt=()
  shift
  for name in "$@"; do [ ! -e "$name" ] || learnt+=("$name"); done
  tar --exclude='run*/artifacts' --exclude='run*/package' --exclude='run*/evaluate' -cf - "${learnt[@]}" --files-from=/dev/null |
    compress >"$to"
}

run() {
  local folder=${1:?} limit=() status=0
  shift
  if [ "${1:-}" = --seconds ]; then
    limit=(timeout -s INT -k 60 "${2:?--seconds needs a number}")
    shift 2
  fi
  [ $# -gt 0 ] || die "no arguments for helion-aot"
  folder=$(cd "$folder" && pwd)
  unpack "$folder"
  cd "$folder/work"
  "${limit[@]}" "$folder/tools/helion-aot" --run-dir run -o out "$@" || status=$?
  bundle "$folder/results.tar.xz" run out
  echo "$folder/results.tar.xz: $(du -sb "$folder/results.tar.xz" | cut -f1) bytes; helion-aot ended with status $status"
  return "$status"
}

# A part of `tune`, with its output in the report and its status printed.
step() {
  local status=0
  echo "== $1 ($((SECONDS)) s)"
  shift
  "$@" || status=$?
  echo "== status $status ($((SECONDS)) s)"
  return "$status"
}

tune_steps() {
  local folder=$1 kernel=$2 seconds=$3 status=0 corpus=$2/gpu.jsonl rest defaults=()
  shift 3
  [[ " $* " == *" --target "* ]] || defaults+=(--target nvidia:sm_90a)
  [[ " $* " == *" --threshold "* ]] || defaults+=(--threshold 1.01)
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null || true
  local aot=("$folder/tools/helion-aot" --kernel "$kernel" --corpus "$corpus" --run-dir "run-$kernel" -o "out-$kernel"
    "${defaults[@]}" "$@" "$kernel/$kernel.py")
  # A fifth is kept for what follows; an outer limit stands behind the tool's own.
  rest=$((seconds - SECONDS))
  step "tuning $kernel" timeout -s INT -k 30 $((rest * 9 / 10)) "${aot[@]}" --phase all --budget-seconds $((rest * 4 / 5)) ||
    status=$?
  [ -e "out-$kernel/CMakeLists.txt" ] || return 1
  # What ended early was not evaluated.
  rest=$((seconds - SECONDS))
  if [ "$status" -eq 4 ] || [ "$status" -eq 130 ]; then
    step "evaluating $kernel" timeout -s INT -k 10 "$((rest > 20 ? rest * 2 / 3 : 13))" "${aot[@]}" --phase evaluate \
      --budget-seconds "$((rest > 20 ? rest / 2 : 10))" || true
  fi
  if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    local measure=("$folder/tools/measure-gpu.py" "out-$kernel" --rows "$corpus")
    step "values against torch" timeout 120 python3 "${measure[@]}" --check || return 1
    rest=$((seconds - SECONDS))
    [ "$rest" -lt 20 ] || step "times against torch" timeout "$rest" python3 "${measure[@]}" --no-compile --rounds 15 \
      --json "times-$kernel.jsonl" || true
  fi
}

tune() {
  local folder=${1:?} kernel=${2:?} seconds=480 out status=0
  shift 2
  folder=$(cd "$folder" && pwd)
  out=$folder
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) seconds=${2:?--seconds needs a number} ;;
      --out) out=${2:?--out needs a folder} ;;
      *) break ;;
    esac
    shift 2
  done
  [ -e "$folder/work/$kernel/$kernel.py" ] || die "there is no \`$folder/work/$kernel/$kernel.py\`; pack its folder"
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  SECONDS=0
  unpack "$folder"
  cd "$folder/work"
  tune_steps "$folder" "$kernel" "$seconds" "$@" 2>&1 | tee "$out/$kernel.md" || status=$?
  bundle "$out/$kernel.tar.xz" "run-$kernel" "out-$kernel" "times-$kernel.jsonl"
  echo "$out/$kernel.tar.xz: $(du -sb "$out/$kernel.tar.xz" | cut -f1) bytes after $SECONDS s"
  return "$status"
}

take() {
  local folder=${1:?} results names
  shift
  [ -d "$folder/work" ] || die "\`$folder\` is no folder that \`pack\` made"
  [ $# -gt 0 ] || die "no results to take"
  for results in "$@"; do
    [ -f "$results" ] || die "there is no file \`$results\`"
    # What it replaces is gone first.
    names=$(expand <"$results" | tar -tf - | cut -d/ -f1 | sort -u)
    (cd "$folder/work" && rm -rf $names)
    expand <"$results" | tar -xf - -C "$folder/work"
  done
}

case ${1:-} in
  -h | --help) usage 0 ;;
  pack | run | tune | take) if [ $# -lt 2 ]; then usage 2 >&2; fi; "$@" ;;
  *) usage 2 >&2 ;;
esac
