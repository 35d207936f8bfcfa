#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs, builds and runs every test. The last line is `N passed, N failed, N skipped`; the exit status is 0 only if
# something ran and nothing failed. Tests that need an oracle which was not asked for are printed as skipped.
# Use: utils/test.sh [--full] [--with ORACLE ...]
#   --full                the large counts: tests that draw cases draw many more of them
#   --with static-tools   build the self-contained tools too (2 GB, minutes) and compare with what the shared ones do
# Example: utils/test.sh --full --with static-tools
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
oracles="static-tools"
run=() wanted=" "
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '4,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --full) run+=(--full) ;;
    --with)
      case " $oracles " in
        *" ${2:-} "*) wanted+="$2 "; shift ;;
        *) echo "test.sh: unknown oracle \`${2:-}\`; there is: $oracles" >&2; exit 2 ;;
      esac ;;
    *) echo "test.sh: unknown option \`$1\`; see -h" >&2; exit 2 ;;
  esac
  shift
done

"$root/utils/install-deps.sh"
"$root/utils/build.sh"
if [[ $wanted = *" static-tools "* ]]; then
  "$root/utils/build.sh" -B "$root/build-static" -DHELION_STATIC=ON -DHELION_TESTS=OFF
  run+=(--static-build "$root/build-static")
fi
exec /usr/bin/python3 "$root/utils/run-tests.py" --build "$root/build" "${run[@]}"
