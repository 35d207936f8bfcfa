# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# helion_link_llvm: links components of MLIR and LLVM, shared or static.
#
# With the shared libraries every component collapses to libMLIR.so and libLLVM.so. Debian's static MLIR archives export
# a dependency on the *shared* libLLVM (and MLIRExecutionEngine one on the shared libMLIR, which would register
# everything twice), so for a static build those are replaced here by the archives.
if(HELION_STATIC)
  llvm_map_components_to_libnames(helion_llvm_archives
    core support irreader bitreader bitwriter passes linker ipo lto object target targetparser option orcjit executionengine
    frontendopenmp frontendoffloading X86 NVPTX AMDGPU)
  list(REMOVE_ITEM helion_llvm_archives LLVM)
  add_library(HelionLLVMArchives INTERFACE)
  target_link_libraries(HelionLLVMArchives INTERFACE ${helion_llvm_archives})
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
