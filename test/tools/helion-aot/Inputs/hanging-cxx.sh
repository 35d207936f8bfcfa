#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A C++ compiler that never ends on what evaluation compiles, and says in the file HANGING that it began. Use: as c++.
case "$*" in
  *module.cpp*)
    : >"$HANGING"
    exec sleep 3600
    ;;
esac
exec c++ "$@"
