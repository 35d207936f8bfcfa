#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the build, the tests and the benchmarks need on Debian 12. All packages come from Debian's own archive
# (LLVM 22 from bookworm-security). Says nothing and touches no network when everything is there.
# Use: utils/install-deps.sh [-h]        (as root, or with sudo)
# Example: utils/install-deps.sh && utils/build.sh
set -euo pipefail

packages=(
  # compiler and build
  clang-22 lld-22 libclang-rt-22-dev clang-format-22 g++ cmake ninja-build ccache git xz-utils
  # MLIR, LLVM, clang and lld as libraries, with their tools (lit, FileCheck, mlir-opt)
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22 llvm-22-tools libclang-22-dev liblld-22-dev libzstd-dev
  # journal, JSON, unit tests, what tests compare with
  libsqlite3-dev nlohmann-json3-dev libgtest-dev libopenblas-dev python3 python3-numpy python3-psutil
)

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '4,7s/^# \{0,1\}//p' "$0"
  exit 0
elif [ $# -gt 0 ]; then
  echo "install-deps.sh: unknown argument \`$1\`; it takes none but -h" >&2
  exit 2
fi

missing=()
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/^installed //p' || true)
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install-deps.sh: no \`apt-get\` here; these Debian 12 packages are needed: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps.sh: neither root nor \`sudo\`; have root install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 && return 0
  tail -n 20 "$log" >&2
  echo "install-deps.sh: \`apt-get $1\` failed; Debian 12 with its bookworm-security archive is what this needs" >&2
  return 1
}
echo "installing ${#missing[@]} Debian packages: ${missing[*]}"
apt update
apt install --no-install-recommends "${missing[@]}"
