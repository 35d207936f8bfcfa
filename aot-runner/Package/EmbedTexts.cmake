# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Turns text files into one C++ table: cmake -DOUTPUT=f.inc -P EmbedTexts.cmake -- NAME=FILE ...
set(table "")
set(pairs FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(pairs)
    string(REGEX MATCH "^([^=]*)=(.*)$" unused "${CMAKE_ARGV${i}}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" text)
    string(APPEND table "{\"${name}\", R\"helion_text(${text})helion_text\"},\n")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(pairs TRUE)
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${table}")
