// Passes of LLVM over a module.
#ifndef KERATIN_CODEGEN_LLVM_MODULEPASSES_H
#define KERATIN_CODEGEN_LLVM_MODULEPASSES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace keratin::codegen {

// With the analyses that they ask for, which know the machine if there is one.
void runPasses(llvm::Module &module, llvm::ModulePassManager &passes,
               llvm::TargetMachine *machine = nullptr);
// Of vectors, on x86: what AVX and AVX2 have, and no AVX-512.
bool hasRegistersOf256(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_MODULEPASSES_H
