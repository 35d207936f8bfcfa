# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# helion_link_llvm: links components of MLIR and LLVM, shared or static.
#
# With the shared libraries every component collapses to libMLIR.so and libLLVM.so. Debian's static MLIR archives export
# a dependency on the *shared* libLLVM (and MLIRExecutionEngine one on the shared libMLIR, which would register
# everything twice), so for a static build those are replaced here by the archives.
if(HELION_STATIC)
  set(helion_llvm_targets X86 NVPTX)
  llvm_map_components_to_libnames(helion_llvm_archives
    core support irreader bitreader bitwriter passes linker ipo lto dtlto object target targetparser option orcjit executionengine
    frontendopenmp frontendoffloading ${helion_llvm_targets})
  list(REMOVE_ITEM helion_llvm_archives LLVM)
  add_library(HelionLLVMArchives INTERFACE)

  # lld and MLIR initialize all targets of the package and ask for Polly, whose archive the package lacks. What is not
  # linked gets an initializer that does nothing.
  set(absent "// Initializers of the targets that are not linked, and of Polly.\n")
  string(APPEND absent "#include \"llvm/Plugins/PassPlugin.h\"\n")
  string(APPEND absent "llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }\nextern \"C\" {\n")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target IN_LIST helion_llvm_targets)
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND absent "void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/HelionAbsentTargets.cpp CONTENT "${absent}}\n" @ONLY)
  add_library(HelionAbsentTargets STATIC ${CMAKE_CURRENT_BINARY_DIR}/HelionAbsentTargets.cpp)
  target_include_directories(HelionAbsentTargets SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  # A tool is carried to machines that have a C library and nothing else of ours.
  foreach(pair ZLIB::ZLIB=libz.a zstd::libzstd_shared=libzstd.a)
    string(REGEX MATCH "^(.*)=(.*)$" pair ${pair})
    find_library(helion_archive_${CMAKE_MATCH_2} ${CMAKE_MATCH_2} REQUIRED)
    set_target_properties(${CMAKE_MATCH_1} PROPERTIES
      IMPORTED_LOCATION ${helion_archive_${CMAKE_MATCH_2}} IMPORTED_LOCATION_RELEASE ${helion_archive_${CMAKE_MATCH_2}}
      IMPORTED_LOCATION_NONE ${helion_archive_${CMAKE_MATCH_2}})
  endforeach()
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--as-needed)
  set_target_properties(LLVMExtensions PROPERTIES INTERFACE_LINK_LIBRARIES "LLVMSupport")
  target_link_libraries(HelionLLVMArchives INTERFACE ${helion_llvm_archives} HelionAbsentTargets)
endif()

# Replaces the shared libraries by the archives in what the named imported archives ask to be linked with.
function(helion_link_archives)
  if(NOT HELION_STATIC)
    return()
  endif()
  foreach(archive IN LISTS ARGN)
    if(NOT TARGET ${archive})
      continue()
    endif()
    get_target_property(links ${archive} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links MLIR)
      list(TRANSFORM links REPLACE "^LLVM$" HelionLLVMArchives)
      list(TRANSFORM links REPLACE "^.<LINK_ONLY:LLVM>$" HelionLLVMArchives)
      set_target_properties(${archive} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endforeach()
endfunction()
helion_link_archives(${MLIR_EXPORTED_TARGETS})

function(helion_link_llvm target mlir llvm)
  if(HELION_STATIC)
    target_link_libraries(${target} PUBLIC ${mlir})
    if(llvm OR mlir)
      target_link_libraries(${target} PUBLIC HelionLLVMArchives)
    endif()
    return()
  endif()
  if(mlir)
    target_link_libraries(${target} PUBLIC MLIR)
  endif()
  target_link_libraries(${target} PUBLIC LLVM)
endfunction()
