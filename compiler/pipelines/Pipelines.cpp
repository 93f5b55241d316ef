#include "compiler/pipelines/Pipelines.h"

#include "passes/Passes.h"
#include "passes/host/HostPasses.h"
#include "passes/memory/PackWeights.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace keratin;
using namespace keratin::compiler;

using Maker = std::unique_ptr<Pass> (*)(const PhaseOptions &);

static std::unique_ptr<Pass> expandComplex(const PhaseOptions &phaseOptions) {
  passes::ExpandComplexOptions options;
  options.keepViews = phaseOptions.complexViews;
  return passes::createExpandComplex(options);
}

static std::unique_ptr<Pass> expandFactorizations(const PhaseOptions &phaseOptions) {
  passes::ExpandFactorizationsOptions options;
  // A device has enough to do for all its threads only with all matrices at once; a core, with rows
  // that it has in registers.
  if (phaseOptions.limits.hasOwnMemory)
    options.bytesAtOnce = 0;
  else
    options.rowsAtOnce = 8;
  return passes::createExpandFactorizations(options);
}

static std::unique_ptr<Pass> expandFourierTransforms(const PhaseOptions &phaseOptions) {
  passes::ExpandFourierTransformsOptions options;
  // A device has more to do in all lines at once.
  options.blocks = !phaseOptions.limits.hasOwnMemory;
  return passes::createExpandFourierTransforms(options);
}

static std::unique_ptr<Pass> foldConstants(const PhaseOptions &phaseOptions) {
  passes::FoldConstantsOptions options;
  // What the call must report is left to it.
  options.keepNotFinite = phaseOptions.checkNumbers;
  return passes::createFoldConstants(options);
}

static std::unique_ptr<Pass> formKernels(const PhaseOptions &phaseOptions) {
  passes::FormKernelsOptions options;
  options.maxOps = phaseOptions.limits.kernelOps;
  options.maxTileTensors = phaseOptions.limits.tileTensors;
  options.fuseRandom = phaseOptions.limits.randomInKernels;
  options.randomLine = phaseOptions.limits.randomLine;
  options.updateRows = phaseOptions.limits.updatesRows;
  options.attention = phaseOptions.limits.attention;
  options.columns = phaseOptions.limits.reducesColumnsBesideRows;
  return passes::createFormKernels(options);
}

static std::unique_ptr<Pass> unifySizes(const PhaseOptions &phaseOptions) {
  passes::UnifySizesOptions options;
  options.require = phaseOptions.sizes != PhaseOptions::Sizes::AsStated;
  options.assume = phaseOptions.sizes == PhaseOptions::Sizes::Assumed;
  return passes::createUnifySizes(options);
}

static std::unique_ptr<Pass> planMemory(const PhaseOptions &phaseOptions) {
  passes::PlanMemoryOptions options;
  options.alignment = phaseOptions.limits.alignment;
  options.space = phaseOptions.limits.hasOwnMemory ? "device" : "host";
  return passes::createPlanMemory(options);
}

// What the user wrote, in formulas that do not overflow, before it is differentiated. Complex
// numbers are known to the first pass alone. What divides sizes comes next, for all that computes
// with them. Requirements stand between values and go first; equal values are merged before
// formulas are recognised. What loops do not need has no gradient to compute, and of a branch not
// taken none is computed.
static constexpr Maker graphPasses[] = {
    expandComplex,
    [](const PhaseOptions &) { return passes::createDivideSizes(); },
    [](const PhaseOptions &) { return passes::createDefineSizes(); },
    [](const PhaseOptions &) { return passes::createResolveRequirements(); },
    unifySizes,
    [](const PhaseOptions &) { return passes::createCanonicalize(); },
    [](const PhaseOptions &) { return passes::createEliminateCommonSubexpressions(); },
    [](const PhaseOptions &) { return passes::createSinkIntoBranches(); },
    [](const PhaseOptions &) { return passes::createSimplifyLoops(); },
    [](const PhaseOptions &) { return passes::createStabilize(); },
};
static constexpr Maker simplifyPasses[] = {
    [](const PhaseOptions &) { return passes::createEraseMarkers(); },
    [](const PhaseOptions &) { return passes::createEliminateCommonSubexpressions(); },
    expandFactorizations,
    expandFourierTransforms,
    [](const PhaseOptions &) { return passes::createMergeLoops(); },
    [](const PhaseOptions &) { return passes::createSimplifyLoops(); },
    [](const PhaseOptions &) { return passes::createSinkIntoBranches(); },
    [](const PhaseOptions &) { return passes::createFlattenBranches(); },
    [](const PhaseOptions &) { return passes::createStabilize(); },
    [](const PhaseOptions &) { return passes::createCanonicalize(); },
    [](const PhaseOptions &) { return passes::createAssignLayouts(); },
    foldConstants,
    [](const PhaseOptions &) { return passes::createHoistInvariants(); },
    [](const PhaseOptions &) { return passes::createHoistContractions(); },
    [](const PhaseOptions &) { return passes::createSinkAccumulators(); },
    [](const PhaseOptions &) { return passes::createSinkStacks(); },
    [](const PhaseOptions &) { return passes::createCanonicalize(); },
    [](const PhaseOptions &) { return passes::createEliminateCommonSubexpressions(); },
    [](const PhaseOptions &) { return passes::createSimplifyLoops(); },
};
static constexpr Maker fusionPasses[] = {
    [](const PhaseOptions &) { return passes::createNormalizeContractions(); },
    [](const PhaseOptions &) { return passes::createHoistInvariants(); }, // transposes of captures
    [](const PhaseOptions &) { return passes::createEliminateCommonSubexpressions(); },
    [](const PhaseOptions &) { return passes::createSplitConcatenations(); },
    [](const PhaseOptions &) { return passes::createFuseProducts(); },
    formKernels,
};

static std::vector<std::unique_ptr<Pass>> passesOf(PipelinePhase phase,
                                                   const PhaseOptions &phaseOptions) {
  std::vector<std::unique_ptr<Pass>> result;
  auto make = [&](ArrayRef<Maker> makers) {
    for (Maker maker : makers)
      result.push_back(maker(phaseOptions));
  };
  switch (phase) {
  case PipelinePhase::Graph:
    make(graphPasses);
    break;
  case PipelinePhase::Gradient: {
    passes::VectorizeOptions maps;
    maps.maxOps = phaseOptions.maxOps;
    result.push_back(passes::createVectorize(maps));
    if (phaseOptions.keptBytes) {
      passes::CheckpointLoopsOptions checkpoints;
      checkpoints.keptBytes = *phaseOptions.keptBytes;
      checkpoints.maxOps = phaseOptions.maxOps;
      result.push_back(passes::createCheckpointLoops(checkpoints));
    }
    passes::DifferentiateOptions options;
    options.maxOps = phaseOptions.maxOps;
    result.push_back(passes::createDifferentiate(options));
    result.push_back(passes::createMakeUpdatesLazy());
    if (phaseOptions.shards)
      result.push_back(passes::createShard());
    // Behind it, so that ranks add up float32.
    result.push_back(passes::createMixPrecision());
    // Loops have got names for their numbers of steps.
    result.push_back(passes::createDefineSizes());
    break;
  }
  case PipelinePhase::Simplify:
    make(simplifyPasses);
    if (phaseOptions.checkNumbers)
      result.push_back(passes::createCheckNumbers());
    break;
  case PipelinePhase::Fusion:
    make(fusionPasses);
    break;
  case PipelinePhase::Memory:
    if (phaseOptions.opensScalars)
      result.push_back(passes::createOpenScalars());
    result.push_back(passes::createScheduleKernels());
    if (phaseOptions.prepares) {
      result.push_back(passes::createPackWeights(phaseOptions.panelColumns));
      result.push_back(passes::createPrepareKernels());
    }
    result.push_back(planMemory(phaseOptions));
    break;
  case PipelinePhase::Host:
    break;
  }
  return result;
}

namespace {
// Asks PhaseOptions::beforePass. It has no name: it is in no pipeline that is written down.
class AskPass : public PassWrapper<AskPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AskPass)

  AskPass(decltype(PhaseOptions::beforePass) ask, std::string next)
      : ask(std::move(ask)), next(std::move(next)) {}
  void runOnOperation() override {
    if (failed(ask(next, getOperation().getLoc())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  decltype(PhaseOptions::beforePass) ask;
  std::string next;
};
} // namespace

void keratin::compiler::buildPhase(OpPassManager &manager, PipelinePhase phase,
                                   const PhaseOptions &options) {
  int before = 0;
  for (PipelinePhase earlier : planningPhases)
    if (earlier < phase)
      before += passesOf(earlier, options).size();
  for (auto &pass : passesOf(phase, options)) {
    if (before++ == options.failBefore)
      manager.addPass(passes::createFail());
    if (options.beforePass)
      manager.addPass(std::make_unique<AskPass>(options.beforePass, pass->getArgument().str()));
    manager.addPass(std::move(pass));
  }
}

void keratin::compiler::buildMemoryCheck(OpPassManager &manager, const PhaseOptions &options) {
  passes::CheckMemoryPlanOptions check;
  check.alignment = options.limits.alignment;
  manager.addPass(passes::createCheckMemoryPlan(check));
}

void keratin::compiler::buildPipeline(OpPassManager &manager, PipelinePhase last,
                                      const PhaseOptions &options) {
  for (PipelinePhase phase : planningPhases)
    if (phase <= last)
      buildPhase(manager, phase, options);
}

void keratin::compiler::buildModulePhase(OpPassManager &manager, PipelinePhase phase,
                                         const PhaseOptions &options) {
  passes::BuildHostProgramOptions host;
  host.residentWork = options.limits.residentWork;
  if (phase == PipelinePhase::Host)
    manager.addPass(passes::createBuildHostProgram(host));
  else
    buildPhase(manager.nest<func::FuncOp>(), phase, options);
}

void keratin::compiler::buildModulePipeline(OpPassManager &manager, PipelinePhase last,
                                            const PhaseOptions &options) {
  buildPipeline(manager.nest<func::FuncOp>(), last, options);
  if (last >= PipelinePhase::Host)
    buildModulePhase(manager, PipelinePhase::Host, options);
}

int keratin::compiler::passCount() {
  int count = 0;
  for (PipelinePhase phase : planningPhases)
    count += passCount(phase, PhaseOptions());
  return count;
}

int keratin::compiler::passCount(PipelinePhase phase, const PhaseOptions &options) {
  return int(passesOf(phase, options).size());
}

namespace {
constexpr Stage firstStage = Stage::Graph, lastStage = Stage::Host;

// An option refers to its description.
const char *lastStageHelp() {
  static const std::string text =
      "last stage: " + llvm::join(stageNames(firstStage, lastStage), ", ");
  return text.c_str();
}

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> stopAfter{*this, "stop-after", llvm::cl::desc(lastStageHelp()),
                                llvm::cl::init(stageName(Stage::Plan))};
  Option<int64_t> keptBytes{*this, "kept-bytes",
                            llvm::cl::desc("that gradients may keep of loops; -1: any number"),
                            llvm::cl::init(-1)};
  Option<bool> checkNumbers{*this, "check-numbers",
                            llvm::cl::desc("look for numbers that are not finite"),
                            llvm::cl::init(false)};
  Option<bool> prepares{*this, "prepare",
                        llvm::cl::desc("make what depends on variables alone once"),
                        llvm::cl::init(true)};
};
} // namespace

static LogicalResult buildFromText(OpPassManager &manager, StringRef text,
                                   llvm::function_ref<LogicalResult(const Twine &)> refuse) {
  PipelineOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  std::optional<Stage> last = stageByName(options.stopAfter);
  if (!last || *last < firstStage || *last > lastStage)
    return refuse("keratin-pipeline: stop-after needs one of " +
                  llvm::join(stageNames(firstStage, lastStage), "|") + ", found '" +
                  options.stopAfter + "'");
  PhaseOptions phases;
  if (options.keptBytes >= 0)
    phases.keptBytes = options.keptBytes;
  phases.checkNumbers = options.checkNumbers;
  phases.prepares = options.prepares && !options.checkNumbers;
  buildModulePipeline(manager, phaseOf(*last), phases);
  return success();
}

// Not by PassPipelineRegistration, whose pipelines cannot be refused.
void keratin::compiler::registerPipelines() {
  registerPassPipeline("keratin-pipeline", "All phases up to stop-after, as the compiler runs them",
                       buildFromText,
                       [](llvm::function_ref<void(const mlir::detail::PassOptions &)> take) {
                         take(PipelineOptions());
                       });
}
