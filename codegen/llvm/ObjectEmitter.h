// LLVM dialect to machine code.
#ifndef KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H
#define KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H

#include "codegen/llvm/MachineTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
}

namespace keratin::codegen {

class StageClock;

enum class CodeKind { Object, Assembly, LlvmIr };

// Translates a module of the LLVM dialect, runs the short scalar clean-up that suits code which is
// vectors already, and emits it. Failure is reported as a diagnostic on the module. The clock, if
// given, learns what the stages cost.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>> emitCode(mlir::ModuleOp module,
                                                              const MachineTarget &target,
                                                              CodeKind kind = CodeKind::Object,
                                                              StageClock *clock = nullptr);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H
