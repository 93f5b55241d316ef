#include "codegen/gpu/ptx/HiddenFloats.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace keratin::codegen;
using llvm::Instruction;

// A kind of instruction: its twin with operands of no meaning, and the function in its place. What
// must be constants stays in the twin, the other operands become those of calls.
struct HiddenFloats::Hidden {
  llvm::Instruction *twin;
  llvm::Function *function;
};

static bool hasFloats(const llvm::Type *type) { return type->isFPOrFPVectorTy(); }

static bool hasFloats(const Instruction &instruction) {
  return hasFloats(instruction.getType()) ||
         llvm::any_of(instruction.operands(),
                      [](const llvm::Use &use) { return hasFloats(use->getType()); });
}

// What the target alone knows is left alone by passes that are for every target.
static bool isMath(const llvm::IntrinsicInst &call) {
  return call.doesNotAccessMemory() && !call.isConvergent() &&
         !llvm::Intrinsic::getBaseName(call.getIntrinsicID()).starts_with("llvm.nvvm.");
}

static bool isHidden(const Instruction &instruction) {
  if (!hasFloats(instruction))
    return false;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return isMath(*call);
  return llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::FCmpInst, llvm::CastInst>(
      instruction);
}

static bool isConstantByRule(const Instruction &instruction, unsigned operand) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call &&
         (operand >= call->arg_size() || call->paramHasAttr(operand, llvm::Attribute::ImmArg));
}

static bool isSameKind(const Instruction &instruction, const Instruction &twin) {
  if (!instruction.isSameOperationAs(&twin))
    return false;
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
    if (isConstantByRule(instruction, i) && instruction.getOperand(i) != twin.getOperand(i))
      return false;
  return true;
}

static llvm::SmallVector<unsigned> operandsOfCalls(const Instruction &instruction) {
  llvm::SmallVector<unsigned> operands;
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
    if (!isConstantByRule(instruction, i))
      operands.push_back(i);
  return operands;
}

HiddenFloats::Hidden &HiddenFloats::functionFor(Instruction &instruction) {
  for (Hidden &known : all)
    if (isSameKind(instruction, *known.twin))
      return known;
  llvm::SmallVector<llvm::Type *> types;
  Instruction *twin = instruction.clone();
  for (unsigned i : operandsOfCalls(instruction)) {
    types.push_back(instruction.getOperand(i)->getType());
    twin->setOperand(i, llvm::PoisonValue::get(types.back()));
  }
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(instruction.getType(), types, false),
                             llvm::Function::ExternalLinkage, "keratin.hidden", module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setNoSync();
  function->setSpeculatable();
  return all.emplace_back(Hidden{twin, function});
}

HiddenFloats::HiddenFloats(llvm::Module &module) : module(module) {
  llvm::SmallVector<Instruction *> instructions;
  for (llvm::Function &function : module)
    for (Instruction &instruction : llvm::instructions(function))
      if (isHidden(instruction))
        instructions.push_back(&instruction);
  for (Instruction *instruction : instructions) {
    llvm::SmallVector<llvm::Value *> operands;
    for (unsigned i : operandsOfCalls(*instruction))
      operands.push_back(instruction->getOperand(i));
    auto *call = llvm::CallInst::Create(functionFor(*instruction).function, operands, "",
                                        instruction->getIterator());
    call->takeName(instruction);
    instruction->replaceAllUsesWith(call);
    instruction->eraseFromParent();
  }
}

HiddenFloats::~HiddenFloats() {
  for (Hidden &hidden : all)
    hidden.twin->deleteValue();
}

void HiddenFloats::show() {
  for (Hidden &hidden : all) {
    const llvm::SmallVector<unsigned> operands = operandsOfCalls(*hidden.twin);
    for (llvm::User *user : llvm::make_early_inc_range(hidden.function->users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      Instruction *shown = hidden.twin->clone();
      for (auto [i, operand] : llvm::enumerate(operands))
        shown->setOperand(operand, call->getArgOperand(i));
      shown->insertBefore(call);
      shown->takeName(call);
      call->replaceAllUsesWith(shown);
      call->eraseFromParent();
    }
    hidden.function->eraseFromParent();
  }
}
