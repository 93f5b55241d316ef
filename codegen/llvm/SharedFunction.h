// Functions that kernels have in common, and modules too.
#ifndef KERATIN_CODEGEN_LLVM_SHAREDFUNCTION_H
#define KERATIN_CODEGEN_LLVM_SHAREDFUNCTION_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Calls the private function `name` of the module in which the builder stands. The first call makes
// it, as one that is compiled once in a process (kSharedFunctionAttr): `body` gets its arguments
// and gives its results. The name must say everything in which bodies differ within a module.
mlir::ValueRange callShared(
    mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::ValueRange arguments,
    mlir::TypeRange results,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> body);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_SHAREDFUNCTION_H
