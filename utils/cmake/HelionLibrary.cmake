# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# helion_library and helion_tool: one folder, one target; the folder's path gives the target's name, and the table in
# utils/checks/layers.toml says which other folders it may use.
#
#   helion_library(SOURCES a.cpp b.cpp [USES dialect/IR ...] [MLIR MLIRIR ...] [LLVM Support ...] [LINKS target ...]
#                  [TABLEGEN target ...])
#   helion_tool(NAME helion-opt SOURCES ... [same])
#
# USES names folders, not targets: the check below compares them with the table. MLIR and LLVM name components; with the
# shared libraries they collapse to libMLIR and libLLVM. A library without MLIR and LLVM components does not see their
# headers at all.

set(HELION_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
set(HELION_BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR})
separate_arguments(HELION_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
set(HELION_WARNINGS -Wall -Wextra -Wno-unused-parameter -Werror=return-type -Werror=switch)

# aot-runner/Journal -> HelionAotRunnerJournal
function(helion_target_name folder out)
  set(name "Helion")
  string(REGEX REPLACE "[/-]" ";" parts ${folder})
  foreach(part IN LISTS parts)
    string(SUBSTRING ${part} 0 1 head)
    string(SUBSTRING ${part} 1 -1 tail)
    string(TOUPPER ${head} head)
    string(APPEND name "${head}${tail}")
  endforeach()
  set(${out} ${name} PARENT_SCOPE)
endfunction()

# Reads the row of `folder` in layers.toml: `"dialect/Interp" = ["dialect/IR"]`.
function(helion_allowed_uses folder out)
  file(STRINGS ${HELION_SOURCE_DIR}/utils/checks/layers.toml rows REGEX "^\"${folder}\" *=")
  list(LENGTH rows count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "utils/checks/layers.toml has ${count} rows for `${folder}`; one is needed")
  endif()
  string(REGEX REPLACE "^[^=]*= *" "" row "${rows}")
  string(REGEX MATCHALL "[A-Za-z][A-Za-z0-9/-]*" names "${row}")
  set(${out} ${names} PARENT_SCOPE)
endfunction()

function(helion_check_layers folder)
  helion_allowed_uses(${folder} allowed)
  foreach(use IN LISTS ARGN)
    if(NOT use IN_LIST allowed)
      message(FATAL_ERROR "`${folder}` uses `${use}`, which its row in utils/checks/layers.toml does not name")
    endif()
  endforeach()
endfunction()

# One precompiled header for all libraries that see MLIR: 40 s once instead of 5 s in each of them.
function(helion_use_pch target)
  if(NOT HELION_PCH OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  if(NOT TARGET HelionPch)
    file(CONFIGURE OUTPUT ${HELION_BINARY_DIR}/HelionPch.cpp CONTENT "// Only carries the precompiled header.\n")
    add_library(HelionPch OBJECT ${HELION_BINARY_DIR}/HelionPch.cpp)
    helion_compile_options(HelionPch)
    helion_see_mlir(HelionPch)
    target_precompile_headers(HelionPch PRIVATE ${HELION_SOURCE_DIR}/utils/cmake/Precompiled.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM HelionPch)
endfunction()

function(helion_compile_options target)
  target_compile_options(${target} PRIVATE ${HELION_WARNINGS} -fno-exceptions -ffunction-sections -fdata-sections
                                           -fvisibility-inlines-hidden)
  target_include_directories(${target} PRIVATE ${HELION_SOURCE_DIR} ${HELION_BINARY_DIR})
  if(HELION_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

function(helion_see_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${HELION_LLVM_DEFINITIONS})
endfunction()

function(helion_link target)
  cmake_parse_arguments(ARG "" "FOLDER" "USES;MLIR;LLVM;LINKS;TABLEGEN" ${ARGN})
  helion_check_layers(${ARG_FOLDER} ${ARG_USES})
  helion_compile_options(${target})
  foreach(use IN LISTS ARG_USES)
    helion_target_name(${use} name)
    target_link_libraries(${target} PUBLIC ${name})
  endforeach()
  if(ARG_MLIR OR ARG_LLVM)
    helion_see_mlir(${target})
    helion_link_llvm(${target} "${ARG_MLIR}" "${ARG_LLVM}")
  endif()
  if(ARG_MLIR)
    helion_use_pch(${target})
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_LINKS})
  foreach(generated IN LISTS ARG_TABLEGEN)
    add_dependencies(${target} ${generated})
  endforeach()
  # Headers of the libraries below include generated headers too.
  get_property(tablegen GLOBAL PROPERTY HELION_TABLEGEN_TARGETS)
  if(tablegen)
    add_dependencies(${target} ${tablegen})
  endif()
endfunction()

function(helion_library)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;MLIR;LLVM;LINKS;TABLEGEN" ${ARGN})
  file(RELATIVE_PATH folder ${HELION_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  helion_target_name(${folder} name)
  add_library(${name} STATIC ${ARG_SOURCES})
  helion_link(${name} FOLDER ${folder} USES ${ARG_USES} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM} LINKS ${ARG_LINKS}
              TABLEGEN ${ARG_TABLEGEN})
endfunction()

function(helion_tool)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;USES;MLIR;LLVM;LINKS;TABLEGEN" ${ARGN})
  file(RELATIVE_PATH folder ${HELION_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  helion_link(${ARG_NAME} FOLDER ${folder} USES ${ARG_USES} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM} LINKS ${ARG_LINKS}
              TABLEGEN ${ARG_TABLEGEN})
  # A precompiled header cannot be shared between -fPIC and the -fPIE that CMake gives executables.
  target_compile_options(${ARG_NAME} PRIVATE -fPIC)
  target_link_options(${ARG_NAME} PRIVATE -Wl,--gc-sections)
endfunction()

# helion_tablegen(FILE Ops.td OUTPUTS "-gen-op-decls Ops.h.inc" ...): generated files land beside the source's mirror in
# the build tree and are included as "dialect/IR/Ops.h.inc".
function(helion_tablegen)
  cmake_parse_arguments(ARG "" "FILE" "OUTPUTS;EXTRA" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${ARG_FILE})
  foreach(pair IN LISTS ARG_OUTPUTS)
    string(REPLACE " " ";" words ${pair})
    list(POP_BACK words file)
    mlir_tablegen(${file} ${words} EXTRA_INCLUDES ${HELION_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  endforeach()
  file(RELATIVE_PATH folder ${HELION_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  helion_target_name(${folder} name)
  get_filename_component(stem ${ARG_FILE} NAME_WE)
  set(target ${name}${stem}IncGen)
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY HELION_TABLEGEN_TARGETS ${target})
endfunction()

# helion_knobs(passes/Knobs.td): the rows of a table of choices, as Knobs.inc beside the calling folder's generated files.
function(helion_knobs table)
  set(script ${HELION_SOURCE_DIR}/utils/gen-knobs.py)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/Knobs.inc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND /usr/bin/python3 ${script} --tblgen ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen --inc ${table} > ${output}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${output}.new ${output}
    DEPENDS ${script} ${HELION_SOURCE_DIR}/${table} ${HELION_SOURCE_DIR}/passes/Config/KnobClasses.td
    VERBATIM)
  file(RELATIVE_PATH folder ${HELION_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  helion_target_name(${folder} name)
  add_custom_target(${name}KnobsIncGen DEPENDS ${output})
  set_property(GLOBAL APPEND PROPERTY HELION_TABLEGEN_TARGETS ${name}KnobsIncGen)
endfunction()
