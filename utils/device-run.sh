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
#      FOLDER/device-run.sh take FOLDER RESULTS.tar.xz
#          Here: puts what was brought back into FOLDER/work, where `run` goes on with it. FOLDER has the program that
#          made the journal; another program would not take its compiles for its own.
# Example: utils/device-run.sh pack ../go examples/softmax/softmax.py examples/softmax/shapes.jsonl
#          ../go/device-run.sh run ../go --seconds 500 softmax.py --corpus shapes.jsonl --target nvidia:sm_90a --phase measure
#          ../go/device-run.sh take ../go results.tar.xz
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
  local bytes
  bytes=$(du -sb "$folder" | cut -f1)
  echo "$folder: $((bytes / 1048576)) MiB"
  [ "$bytes" -le $((most * 1048576)) ] || die "\`$folder\` takes more than $most MiB; carry less, or allow more by --most-mib"
}

run() {
  local folder=${1:?} limit=() status=0 tool
  shift
  if [ "${1:-}" = --seconds ]; then
    limit=(timeout -s INT -k 60 "${2:?--seconds needs a number}")
    shift 2
  fi
  [ $# -gt 0 ] || die "no arguments for helion-aot"
  folder=$(cd "$folder" && pwd)
  for tool in "${tools[@]}"; do
    [ -x "$folder/tools/$tool" ] && continue
    expand <"$folder/tools/$tool.xz" >"$folder/tools/$tool.part"
    chmod +x "$folder/tools/$tool.part"
    mv "$folder/tools/$tool.part" "$folder/tools/$tool"
  done
  cd "$folder/work"
  "${limit[@]}" "$folder/tools/helion-aot" --run-dir run -o out "$@" || status=$?
  # Objects are in the journal; what was linked or built of them is made again.
  local learnt=()
  for tool in run out; do [ ! -e "$tool" ] || learnt+=("$tool"); done
  tar --exclude=run/artifacts --exclude=run/package -cf - "${learnt[@]}" --files-from=/dev/null | compress >"$folder/results.tar.xz"
  echo "$folder/results.tar.xz: $(du -sb "$folder/results.tar.xz" | cut -f1) bytes; helion-aot ended with status $status"
  return "$status"
}

take() {
  local folder=${1:?} results=${2:?}
  [ -d "$folder/work" ] || die "\`$folder\` is no folder that \`pack\` made"
  [ -f "$results" ] || die "there is no file \`$results\`"
  rm -rf "$folder/work/run" "$folder/work/out"
  expand <"$results" | tar -xf - -C "$folder/work"
}

case ${1:-} in
  -h | --help) usage 0 ;;
  pack | run | take) if [ $# -lt 2 ]; then usage 2 >&2; fi; "$@" ;;
  *) usage 2 >&2 ;;
esac
