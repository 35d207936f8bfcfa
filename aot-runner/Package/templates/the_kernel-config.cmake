# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What find_package(the_kernel) reads of an installed package.

#[[{banner]]
# the_kernel: a sample.
#[[}]]
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/the_kernel-targets.cmake)
