#include "codegen/llvm/ConstantOperands.h"
#include "codegen/llvm/ModulePasses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// Of a block: fewer have registers of their own all the time.
static constexpr size_t kManyConstants = 8;
static constexpr unsigned kRegisterBits = 256;

static bool isVectorConstant(const Value *value) {
  const auto *constant = dyn_cast<Constant>(value);
  const auto *type = dyn_cast<FixedVectorType>(value->getType());
  return constant && type && type->isFPOrFPVectorTy() && !constant->isNullValue() &&
         constant->getSplatValue() && type->getPrimitiveSizeInBits() >= kRegisterBits;
}

// The operand, if it is a constant, that the instruction can take from memory. Of two constants the
// result takes the register of one, which would be loaded for each instruction: both stay in
// registers, of which copies cost nothing.
static Use *constantOperand(Instruction &instruction) {
  auto only = [&](ArrayRef<unsigned> operands) -> Use * {
    Use *found = nullptr;
    for (unsigned operand : operands)
      if (isVectorConstant(instruction.getOperand(operand))) {
        if (found)
          return nullptr;
        found = &instruction.getOperandUse(operand);
      }
    return found;
  };
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == Intrinsic::fma ? only({0, 1, 2}) : nullptr;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FMul:
    return only({0, 1});
  case Instruction::FSub:
    return only({1});
  default:
    return nullptr;
  }
}

namespace {

class ConstantOperands {
public:
  explicit ConstantOperands(Module &module) : module(module) {}

  void run(BasicBlock &block) {
    SmallVector<Use *> uses;
    DenseMap<Value *, unsigned> times;
    for (Instruction &instruction : block) {
      for (Value *operand : instruction.operands())
        if (isVectorConstant(operand))
          times[operand] = 0;
      if (Use *use = constantOperand(instruction))
        uses.push_back(use);
    }
    if (times.size() < kManyConstants)
      return;
    // Each from a place of its own: what several instructions read at one place is loaded once for
    // all of them, into a register.
    for (Use *use : uses) {
      auto *constant = cast<Constant>(use->get());
      GlobalVariable *place = copy(constant, times[constant]++);
      IRBuilder<> builder(cast<Instruction>(use->getUser()));
      use->set(builder.CreateAlignedLoad(constant->getType(), place, *place->getAlign()));
    }
  }

private:
  GlobalVariable *copy(Constant *constant, unsigned number) {
    GlobalVariable *&place = copies[{constant, number}];
    if (!place) {
      place = new GlobalVariable(module, constant->getType(), /*isConstant=*/true,
                                 GlobalValue::PrivateLinkage, constant, "constant");
      place->setAlignment(module.getDataLayout().getABITypeAlign(constant->getType()));
      place->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    }
    return place;
  }

  Module &module;
  DenseMap<std::pair<Constant *, unsigned>, GlobalVariable *> copies;
};

} // namespace

PreservedAnalyses keratin::codegen::ConstantOperandsPass::run(Module &module,
                                                              ModuleAnalysisManager &analyses) {
  auto &ofFunctions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  ConstantOperands operands(module);
  for (Function &function : module)
    if (!function.isDeclaration() && hasRegistersOf256(function, ofFunctions))
      for (BasicBlock &block : function)
        operands.run(block);
  return PreservedAnalyses::none();
}
