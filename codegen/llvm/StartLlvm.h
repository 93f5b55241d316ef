// Targets, passes and tables of LLVM.
#ifndef KERATIN_CODEGEN_LLVM_STARTLLVM_H
#define KERATIN_CODEGEN_LLVM_STARTLLVM_H

namespace keratin::codegen {

// Before anything is asked of LLVM's targets; see Beginning.h.
void startLlvm();

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_STARTLLVM_H
