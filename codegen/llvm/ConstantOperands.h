// Constants of vectors as operands in memory, on x86 processors with registers of 256 bits.
#ifndef KERATIN_CODEGEN_LLVM_CONSTANTOPERANDS_H
#define KERATIN_CODEGEN_LLVM_CONSTANTOPERANDS_H

#include "llvm/IR/PassManager.h"

namespace keratin::codegen {

// From AVX2 on LLVM makes each constant a register, by a broadcast of one number, and makes it
// again wherever it has no register left: polynomials have more constants than the 16 that there
// are. Instructions take the whole vector from memory instead, for nothing: a Zen 3 has room for
// some 130 results of vectors that are under way, and constants took a fifth of it. (AVX-512 has
// instructions that broadcast an operand, and twice the registers.)
//
// To be run last: other passes would make of a load of a constant the constant again.
class ConstantOperandsPass : public llvm::PassInfoMixin<ConstantOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_CONSTANTOPERANDS_H
