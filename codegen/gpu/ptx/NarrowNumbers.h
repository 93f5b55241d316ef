// Numbers of 64 bits of a function, and their lower 32.
#ifndef KERATIN_CODEGEN_GPU_PTX_NARROWNUMBERS_H
#define KERATIN_CODEGEN_GPU_PTX_NARROWNUMBERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class AssumptionCache;
class DominatorTree;
class ScalarEvolution;
} // namespace llvm

namespace keratin::codegen {

// The lower 32 bits of sums, products and choices follow from those of what they are made of,
// whatever the upper ones are; those of quotients where these are known to lie within 32 bits. New
// numbers stand beside the old ones, which whoever removes what is not used removes.
class NarrowNumbers {
public:
  NarrowNumbers(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  // Looks through the function. Of the offsets of some addresses the lower bits will do.
  using NarrowAddresses = llvm::function_ref<bool(llvm::GetElementPtrInst &)>;
  void begin(NarrowAddresses isNarrow);
  // A number's lower 32 bits, made of those of its operands unless all of it is there anyhow.
  llvm::Value *low(llvm::Value *value);
  // Whatever used a number of before begin() that is known to lie within 32 bits uses what is made
  // of these, and such numbers are compared as 32 bits.
  void replaceAll();

private:
  // How a number is made of its lower 32 bits; none where it is not known to be.
  enum class Fit { None, Signed, Unsigned };
  Fit fitOf(llvm::Value *value);
  bool isUnsigned(llvm::Value *value);
  bool isSigned(llvm::Value *value);

  bool needsWide(const llvm::Use &use, NarrowAddresses isNarrow);
  llvm::Value *lowOfInstruction(llvm::Instruction &instruction);
  void replace(llvm::Instruction &instruction);
  void compare(llvm::ICmpInst &comparison);

  llvm::Function &function;
  const llvm::DataLayout &layout;
  llvm::Type *word, *wide;
  llvm::ScalarEvolution &scalars;
  llvm::DominatorTree &tree;
  llvm::AssumptionCache &assumptions;

  llvm::SmallVector<llvm::Instruction *> before; // all that were there in the beginning
  llvm::DenseMap<llvm::Value *, llvm::ConstantRange> ranges;
  llvm::DenseMap<llvm::Value *, llvm::Value *> lows;
  llvm::DenseSet<const llvm::Value *> wides; // all bits of which something needs
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_NARROWNUMBERS_H
