#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs, builds, and lists the tools that were built.
# Use: utils/quickstart.sh
# Example: utils/quickstart.sh
set -euo pipefail
case ${1:-} in
  "") ;;
  -h | --help) sed -n '4,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "quickstart.sh: unknown argument \`$1\`; it takes none but -h" >&2; exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/utils/install-deps.sh"
"$root/utils/build.sh"
echo "built in build/bin: $(cd "$root/build/bin" && echo *)"
