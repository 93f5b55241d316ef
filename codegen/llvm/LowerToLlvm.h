// From scf, arith, vector, func and cf to the LLVM dialect, in one conversion.
#ifndef KERATIN_CODEGEN_LLVM_LOWERTOLLVM_H
#define KERATIN_CODEGEN_LLVM_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
}

namespace keratin::codegen {

// The dialects that kernels are written in, and the translation of the LLVM dialect to LLVM IR.
void registerCodegenDialects(mlir::DialectRegistry &registry);

// Loads them, registered or not: a context in which text is read should not know them before, for
// what a reader knows can be given to it.
void loadCodegenDialects(mlir::MLIRContext *context);

// Kernels address memory through llvm.ptr, llvm.getelementptr and llvm loads and stores (masked
// ones as llvm.intr.masked.*); values are vectors and scalars of arith and vector ops; control flow
// is scf. After this only LLVM dialect ops are left.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_LOWERTOLLVM_H
