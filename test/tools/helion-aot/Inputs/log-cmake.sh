#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CMake that writes what it is asked to the file ASKED. Its folder is the first on PATH. Use: as cmake.
echo "$@" >>"$ASKED"
PATH=${PATH#*:} exec cmake "$@"
