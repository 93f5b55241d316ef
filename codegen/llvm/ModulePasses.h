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

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_MODULEPASSES_H
