// What a CUDA device gets, as text.
#ifndef KERATIN_TOOLS_DUMP_DEVICETEXT_H
#define KERATIN_TOOLS_DUMP_DEVICETEXT_H

#include "compiler/driver/Compiler.h"

#include "absl/status/statusor.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace keratin::dump {

// The PTX of a module that holds one function. Before each kernel comments say what it takes on
// each architecture that the target names, on sm_80 if it names none; where there is no ptxas, the
// first line says so. Fails where the target makes no PTX.
absl::StatusOr<std::string> devicePtx(mlir::ModuleOp module,
                                      const compiler::CompileOptions &options);
// The machine code for these architectures. Fails where there is no ptxas or no disassembler.
absl::StatusOr<std::string> deviceSass(mlir::ModuleOp module,
                                       const compiler::CompileOptions &options);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_DEVICETEXT_H
