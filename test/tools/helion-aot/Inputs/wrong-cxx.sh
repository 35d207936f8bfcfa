#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A C++ compiler that reads `x` where the dispatch code of vector_add says `y`. Use: as c++.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=$#
while [ "$count" -gt 0 ]; do
  case $1 in
    */vector_add.cpp)
      sed 's/pointerWord(a\.y\.data)/pointerWord(a.x.data)/' "$1" >"$folder/vector_add.cpp"
      set -- "$@" "-I$(dirname "$1")" "$folder/vector_add.cpp"
      ;;
    *) set -- "$@" "$1" ;;
  esac
  shift
  count=$((count - 1))
done
c++ "$@"
