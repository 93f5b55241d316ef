#include "codegen/llvm/MaskedStores.h"
#include "codegen/llvm/ModulePasses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

// Of lanes that the instruction knows; others are stored one by one.
static bool isMasked(const IntrinsicInst &call) {
  if (call.getIntrinsicID() != Intrinsic::masked_store || isa<Constant>(call.getArgOperand(3)))
    return false;
  const auto *type = cast<FixedVectorType>(call.getArgOperand(0)->getType());
  const unsigned bits = type->getScalarSizeInBits();
  return (bits == 32 || bits == 64) && bits * type->getNumElements() <= 256;
}

static void split(IntrinsicInst &call) {
  Value *mask = call.getArgOperand(3);
  const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  IRBuilder<> builder(&call);
  Value *bits = builder.CreateBitCast(mask, builder.getIntNTy(lanes));
  Value *isWhole = builder.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
  Instruction *whole = nullptr, *part = nullptr;
  SplitBlockAndInsertIfThenElse(isWhole, &call, &whole, &part);
  builder.SetInsertPoint(whole);
  StoreInst *store =
      builder.CreateAlignedStore(call.getArgOperand(0), call.getArgOperand(1),
                                 cast<ConstantInt>(call.getArgOperand(2))->getAlignValue());
  store->setAAMetadata(call.getAAMetadata());
  builder.SetInsertPoint(part);
  Value *isAny = builder.CreateICmpNE(bits, Constant::getNullValue(bits->getType()));
  call.moveBefore(SplitBlockAndInsertIfThen(isAny, part->getIterator(), /*Unreachable=*/false));
}

PreservedAnalyses keratin::codegen::MaskedStoresPass::run(Function &function,
                                                          FunctionAnalysisManager &analyses) {
  if (!hasRegistersOf256(function, analyses))
    return PreservedAnalyses::all();
  SmallVector<IntrinsicInst *> masked;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && isMasked(*call))
      masked.push_back(call);
  for (IntrinsicInst *call : masked)
    split(*call);
  return masked.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
