// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's default pipeline at O3 for one target machine, between the LLVM dialect's translation and a target's emitter.
#ifndef HELION_CODEGEN_COMMON_OPTIMIZECODE_H
#define HELION_CODEGEN_COMMON_OPTIMIZECODE_H

namespace llvm {
class Module;
class TargetLibraryInfoImpl;
class TargetMachine;
} // namespace llvm

namespace helion {
/// `library` says what the code may call. Vectors whose elements are no power of two are cut first.
void optimizeCode(llvm::Module &module, llvm::TargetMachine &machine, const llvm::TargetLibraryInfoImpl &library);
} // namespace helion

#endif // HELION_CODEGEN_COMMON_OPTIMIZECODE_H
