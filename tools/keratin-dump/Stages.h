// A function as it stands after each stage of compilation.
#ifndef KERATIN_TOOLS_DUMP_STAGES_H
#define KERATIN_TOOLS_DUMP_STAGES_H

#include "compiler/driver/Compiler.h"

#include "absl/status/statusor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace keratin::dump {

enum class Stage {
  Graph,      // as given
  Gradient,   // gradients expanded
  Simplified, // after algebra and common subexpressions
  Fused,      // kernels formed
  Planned,    // in order, with their places in memory
  Host        // with the host's program beside the function
};

// Those that are graphs.
inline constexpr Stage allStages[] = {Stage::Graph, Stage::Gradient, Stage::Simplified,
                                      Stage::Fused, Stage::Planned};
// "graph", "grad", "simplified", "fused", "plan", "host".
const char *stageName(Stage stage);
std::optional<Stage> stageByName(const std::string &name);

// The module, which holds one function, taken to the stage; the given one stays as it is.
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> moduleAt(mlir::ModuleOp module, Stage stage,
                                                           const compiler::CompileOptions &options);

// What the target makes of each kernel, as text.
absl::StatusOr<std::string> kernelSchedules(mlir::ModuleOp module,
                                            const compiler::CompileOptions &options);

// Machine code for this machine, as text.
struct MachineCode {
  std::string text;
  // For each kernel, in the order of the plan, the function that it became.
  std::vector<std::string> kernelFunctions;
};
absl::StatusOr<MachineCode> machineCode(mlir::ModuleOp module, bool isAssembly,
                                        const compiler::CompileOptions &options);

// The lines of one function of an assembly text; empty if it is not there.
std::string functionOf(const std::string &assembly, const std::string &name);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_STAGES_H
