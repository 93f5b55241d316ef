// Stores under masks, on x86 processors with registers of 256 bits.
#ifndef KERATIN_CODEGEN_LLVM_MASKEDSTORES_H
#define KERATIN_CODEGEN_LLVM_MASKEDSTORES_H

#include "llvm/IR/PassManager.h"

namespace keratin::codegen {

// AVX2 has no masks: a store under one (vmaskmov) is 19 to 42 operations of a Zen, whichever lanes
// it writes. Mostly it writes all of them, or none: those are a plain store, or nothing, behind a
// branch that is foreseen.
//
// To be run when everything else is known of masks.
class MaskedStoresPass : public llvm::PassInfoMixin<MaskedStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_MASKEDSTORES_H
