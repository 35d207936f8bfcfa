#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a package of several GPU targets loads on this machine's device, with its values checked against torch: as it is, and
# once for each further target as if the device ran none of those before it.
# Use: utils/check-targets.sh PACKAGE ROWS
#          PACKAGE is a folder that `helion-aot --also nvidia:sm_80` wrote, ROWS a corpus. The others are copies of it, beside
#          it as PACKAGE-only-N, in whose list the targets before number N are of a chip that no device has.
set -euo pipefail

[ $# -eq 2 ] || { awk '/^# Use:/ {on = 1} !/^#/ {on = 0} on {sub(/^# ?/, ""); print}' "$0" >&2; exit 2; }
package=${1%/} rows=$2
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$package/images.S" ] || { echo "check-targets.sh: \`$package\` is no package for GPUs" >&2; exit 2; }
kernel=$(basename "$package"/*-config.cmake -config.cmake)

# The list may be on several lines.
targets=$(tr '\n' ' ' <"$package/$kernel.cpp" | sed -n 's/.*const char \*const targets\[\] = {\([^}]*\)}.*/\1/p' | tr -d '" ' | tr ',' ' ')
read -r -a targets <<<"$targets"
echo "$kernel: ${targets[*]}"
status=0
for ((n = 0; n < ${#targets[@]}; ++n)); do
  folder=$package
  if [ "$n" -gt 0 ]; then
    folder=$package-only-$n
    rm -rf "$folder" "$folder-build"
    cp -r "$package" "$folder"
    for ((before = 0; before < n; ++before)); do
      sed -i "/const char \*const targets\[\] = {/,/};/ s/\"${targets[before]}\"/\"nvidia:sm_1a\"/" "$folder/$kernel.cpp"
    done
  fi
  echo "== number $n, ${targets[n]}"
  python3 "$here/measure-gpu.py" "$folder" --rows "$rows" --check --no-compile || status=1
done
exit "$status"
