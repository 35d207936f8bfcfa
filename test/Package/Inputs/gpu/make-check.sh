#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a folder with which a package is checked on a machine that has a GPU, CMake and a C++ compiler.
# Use: make-check.sh FOLDER [IMAGE.cubin|IMAGE.ptx]      (package-from-json is on PATH; kernels.ptx by default)
# There: cmake -S FOLDER -B FOLDER/build && cmake --build FOLDER/build && FOLDER/build/device FOLDER/image
set -euo pipefail
out=$1
here=$(cd "$(dirname "$0")" && pwd)
image=${2:-$here/kernels.ptx}
mkdir -p "$out"
cp "$image" "$out/image"
sed "s|@OBJ@/[a-z]*.cubin|$image|; s|nvidia:sm_90a|nvidia:sm_80|" "$here/shift.json" >"$out/shift.json"
package-from-json "$out/shift.json" "$out/shift"
cp "$here/device.cpp" "$out/"
cat >"$out/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(device LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_subdirectory(shift)
add_executable(device device.cpp)
target_link_libraries(device PRIVATE shift::shift ${CMAKE_DL_LIBS})
END
