// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis managers of their own for each module, so that several may be optimized at once.

#include "codegen/Common/OptimizeCode.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

namespace {
/// The code generator halves a vector until its parts fit registers, which keeps neighbours of narrow elements together
/// where their number is a power of two; of others it takes each element alone. So those are cut before, into pieces of
/// as many bits as half of a group of 16 narrow elements has once they are widened.
struct CutOddVectors : PassInfoMixin<CutOddVectors> {
  static constexpr unsigned kPieceBits = 256;

  static bool isOdd(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector && !isPowerOf2_32(vector->getNumElements());
  }

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (none_of(instructions(function), [](const Instruction &op) { return isOdd(op.getType()); }))
      return PreservedAnalyses::all();
    ScalarizerPassOptions options;
    options.ScalarizeMinBits = kPieceBits;
    return ScalarizerPass(options).run(function, analyses);
  }
};
} // namespace

void helion::optimizeCode(Module &module, TargetMachine &machine, const TargetLibraryInfoImpl &library) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    passes.addPass(createModuleToFunctionPassAdaptor(CutOddVectors()));
  });
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}
