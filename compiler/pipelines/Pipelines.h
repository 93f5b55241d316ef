// The phases of compilation, by name.
#ifndef KERATIN_COMPILER_PIPELINES_PIPELINES_H
#define KERATIN_COMPILER_PIPELINES_PIPELINES_H

#include "codegen/TargetLimits.h"
#include "compiler/pipelines/Stage.h"
#include "ir/dialect/Keratin.h"

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <string>

namespace keratin::compiler {

// In the order in which they run. Lowering and what follows produce machine code (compiler/driver).
enum class PipelinePhase { Graph, Gradient, Simplify, Fusion, Memory, Host };

// What the phase leaves, whose name is the phase's too.
inline constexpr Stage stageAfter(PipelinePhase phase) { return Stage(int(phase) + 1); }
static_assert(stageAfter(PipelinePhase::Host) == Stage::Host);
inline const char *phaseName(PipelinePhase phase) { return stageName(stageAfter(phase)); }
// Precondition: some phase leaves it.
inline constexpr PipelinePhase phaseOf(Stage stage) { return PipelinePhase(int(stage) - 1); }

// Those that end with a planned function, in order. They work on one function each, what follows on
// the module.
inline constexpr PipelinePhase planningPhases[] = {PipelinePhase::Graph, PipelinePhase::Gradient,
                                                   PipelinePhase::Simplify, PipelinePhase::Fusion,
                                                   PipelinePhase::Memory};

struct PhaseOptions {
  codegen::TargetLimits limits; // of the target
  int64_t maxOps = 1'000'000;   // of a function whose gradients are expanded
  // Bytes that gradients may keep of loops (keratin-checkpoint-loops); none: as many as they like.
  std::optional<int64_t> keptBytes;
  // Whether complex arguments and results are views of their parts (keratin-expand-complex), which
  // no file has.
  bool complexViews = true;
  // Whether of a sharded function its part on one rank is made (keratin-shard).
  bool shards = true;
  // Whether the function looks for numbers that are not finite (keratin-check-numbers).
  bool checkNumbers = false;
  // Whether calls find what other calls have made of variables (keratin-prepare).
  bool prepares = true;
  // If there: of a kernel the columns of panels into which calls would pack its weights
  // (codegen::Target), which then are packed once (keratin-pack-weights).
  std::function<int64_t(ir::KernelOp)> panelColumns;
  // Whether sizes that are required to be equal, or also those that are broadcast to each other,
  // get one name (keratin-unify-sizes).
  enum class Sizes { AsStated, Required, Assumed } sizes = Sizes::AsStated;
  // Whether numbers in kernels lie in memory (keratin-open-scalars).
  bool opensScalars = false;
  // For tests of failures: the pass, counted over all phases, before which one stands that fails.
  int failBefore = -1;
  // If there: asked before each pass, by its name, at the location of the function; a failure,
  // which it has reported, is the pipeline's.
  std::function<mlir::LogicalResult(llvm::StringRef, mlir::Location)> beforePass;
};

// Appends the passes of one planning phase to a manager of func.func.
void buildPhase(mlir::OpPassManager &manager, PipelinePhase phase,
                const PhaseOptions &options = PhaseOptions());
// Appends the pass that judges plans of memory, to a manager of func.func.
void buildMemoryCheck(mlir::OpPassManager &manager, const PhaseOptions &options = PhaseOptions());
// Appends the passes of all planning phases up to and including the last, to a manager of
// func.func.
void buildPipeline(mlir::OpPassManager &manager, PipelinePhase last = PipelinePhase::Memory,
                   const PhaseOptions &options = PhaseOptions());

// The same for a manager of modules, and for the host phase too, which makes host programs of the
// planned functions of a module.
void buildModulePhase(mlir::OpPassManager &manager, PipelinePhase phase,
                      const PhaseOptions &options = PhaseOptions());
void buildModulePipeline(mlir::OpPassManager &manager, PipelinePhase last,
                         const PhaseOptions &options = PhaseOptions());

// How many passes the planning phases have together, and one of them.
int passCount();
int passCount(PipelinePhase phase, const PhaseOptions &options);

// Makes --keratin-pipeline known to command lines, with stop-after=<stage>.
void registerPipelines();

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_PIPELINES_PIPELINES_H
