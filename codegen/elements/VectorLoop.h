// Loops in vector code whose lanes end by themselves.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORLOOP_H
#define KERATIN_CODEGEN_ELEMENTS_VECTORLOOP_H

#include "codegen/elements/VectorExpr.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace keratin::codegen {

using LoopState = llvm::SmallVector<VectorExpr>;

// Steps from the start for as long as a lane goes on. A lane that does not go on stays as it is,
// so that it has the same bits beside any others.
LoopState repeatWhile(const LoopState &start,
                      llvm::function_ref<VectorExpr(llvm::ArrayRef<VectorExpr>)> goesOn,
                      llvm::function_ref<LoopState(llvm::ArrayRef<VectorExpr>)> step);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORLOOP_H
