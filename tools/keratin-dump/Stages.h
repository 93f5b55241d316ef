// A function as it stands after each stage of compilation.
#ifndef KERATIN_TOOLS_DUMP_STAGES_H
#define KERATIN_TOOLS_DUMP_STAGES_H

#include "codegen/lowering/KernelListing.h"
#include "compiler/driver/Compiler.h"
#include "compiler/pipelines/Stage.h"

#include "absl/status/statusor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace keratin::dump {

using compiler::Stage;

// Those that a page shows: graphs.
inline constexpr Stage pageStages[] = {Stage::Input, Stage::Gradient, Stage::Simplified,
                                       Stage::Fused, Stage::Plan};

// The module, which holds one function, taken to the stage, which some phase leaves or which is
// the input; the given one stays as it is.
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> moduleAt(mlir::ModuleOp module, Stage stage,
                                                           const compiler::CompileOptions &options);

// What the target makes of each kernel, as text.
absl::StatusOr<std::string> kernelSchedules(mlir::ModuleOp module,
                                            const compiler::CompileOptions &options);

// Machine code for this machine, as text.
struct MachineCode {
  std::string text;
  codegen::KernelListing listing;
};
absl::StatusOr<MachineCode> machineCode(mlir::ModuleOp module, bool isAssembly,
                                        const compiler::CompileOptions &options);

// The lines of one function of an assembly text; empty if it is not there.
std::string functionOf(const std::string &assembly, const std::string &name);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_STAGES_H
