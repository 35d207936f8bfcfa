// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis managers of their own for each module, so that several may be optimized at once.

#include "codegen/Common/OptimizeCode.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

void helion::optimizeCode(Module &module, TargetMachine &machine, const TargetLibraryInfoImpl &library) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}
