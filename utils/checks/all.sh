#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs every check of this folder on the tree; exits with 1 if one found something.
# Use: utils/checks/all.sh [--root DIR]
# Example: utils/checks/all.sh
set -uo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
status=0
for check in "$folder"/*.py; do
  [ "${check##*/}" = tree.py ] || /usr/bin/python3 "$check" "$@" || status=1
done
exit $status
