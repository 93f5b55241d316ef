#include "compiler/pipelines/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <iterator>

using namespace mlir;
using namespace keratin;
using namespace keratin::compiler;

static constexpr const char *phaseNames[] = {"graph",  "gradient", "simplify",
                                             "fusion", "memory",   "codegen"};

const char *keratin::compiler::phaseName(PipelinePhase phase) { return phaseNames[int(phase)]; }

std::optional<PipelinePhase> keratin::compiler::phaseByName(const std::string &name) {
  for (size_t i = 0; i < std::size(phaseNames); ++i)
    if (name == phaseNames[i])
      return PipelinePhase(i);
  return std::nullopt;
}

// What the user wrote, in formulas that do not overflow, before it is differentiated. Requirements
// stand between values and go first; equal values are merged before formulas are recognised.
static void addGraphPhase(OpPassManager &manager) {
  manager.addPass(passes::createResolveRequirements());
  manager.addPass(passes::createCanonicalize());
  manager.addPass(passes::createEliminateCommonSubexpressions());
  manager.addPass(passes::createStabilize());
}

static void addGradientPhase(OpPassManager &manager) {
  manager.addPass(passes::createDifferentiate());
}

static void addSimplifyPhase(OpPassManager &manager) {
  manager.addPass(passes::createEraseMarkers());
  manager.addPass(passes::createEliminateCommonSubexpressions());
  manager.addPass(passes::createStabilize());
  manager.addPass(passes::createCanonicalize());
  manager.addPass(passes::createFoldConstants());
  manager.addPass(passes::createCanonicalize());
  manager.addPass(passes::createEliminateCommonSubexpressions());
}

static void addFusionPhase(OpPassManager &manager) {
  manager.addPass(passes::createNormalizeContractions());
  manager.addPass(passes::createFormKernels());
}

static void addMemoryPhase(OpPassManager &manager) {
  manager.addPass(passes::createScheduleKernels());
  manager.addPass(passes::createPlanMemory());
}

void keratin::compiler::buildPhase(OpPassManager &manager, PipelinePhase phase) {
  static constexpr void (*phases[])(OpPassManager &) = {
      addGraphPhase, addGradientPhase, addSimplifyPhase, addFusionPhase, addMemoryPhase};
  phases[int(phase)](manager);
}

void keratin::compiler::buildPipeline(OpPassManager &manager, PipelinePhase last) {
  for (PipelinePhase phase : planningPhases)
    if (phase <= last)
      buildPhase(manager, phase);
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> stopAfter{*this, "stop-after", llvm::cl::desc("last phase to run"),
                                llvm::cl::init("memory")};
};
} // namespace

void keratin::compiler::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "keratin-pipeline", "All phases up to stop-after, as the compiler runs them",
      [](OpPassManager &manager, const PipelineOptions &options) {
        buildPipeline(manager.nest<func::FuncOp>(),
                      phaseByName(options.stopAfter).value_or(PipelinePhase::Memory));
      });
}
