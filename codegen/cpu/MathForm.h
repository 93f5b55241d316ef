// Whether a function's kernels call math functions or contain them.
#ifndef KERATIN_CODEGEN_CPU_MATHFORM_H
#define KERATIN_CODEGEN_CPU_MATHFORM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::codegen {

// Calls where there is so much to write out that compiling it takes longer than all the rest.
bool callsMath(mlir::func::FuncOp function);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_MATHFORM_H
