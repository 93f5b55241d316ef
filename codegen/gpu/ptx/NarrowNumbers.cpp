#include "codegen/gpu/ptx/NarrowNumbers.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace keratin::codegen;
using llvm::cast;
using llvm::ConstantRange;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

NarrowNumbers::NarrowNumbers(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    : function(function), layout(function.getParent()->getDataLayout()),
      word(llvm::Type::getInt32Ty(function.getContext())),
      wide(llvm::Type::getInt64Ty(function.getContext())),
      scalars(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      tree(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
      assumptions(analyses.getResult<llvm::AssumptionAnalysis>(function)) {}

NarrowNumbers::Fit NarrowNumbers::fitOf(Value *value) {
  if (value->getType() != wide)
    return Fit::None;
  auto known = ranges.find(value);
  if (known == ranges.end()) {
    ConstantRange range = scalars.getSignedRange(scalars.getSCEV(value));
    range = range.intersectWith(scalars.getUnsignedRange(scalars.getSCEV(value)));
    llvm::KnownBits bits = llvm::computeKnownBits(value, layout, 0, &assumptions, nullptr, &tree);
    range = range.intersectWith(ConstantRange::fromKnownBits(bits, /*IsSigned=*/false));
    known = ranges.insert({value, range}).first;
  }
  const ConstantRange &range = known->second;
  if (range.getSignedMin().sge(INT32_MIN) && range.getSignedMax().sle(INT32_MAX))
    return Fit::Signed;
  return range.getUnsignedMax().ule(UINT32_MAX) ? Fit::Unsigned : Fit::None;
}

bool NarrowNumbers::isSigned(Value *value) { return fitOf(value) == Fit::Signed; }

bool NarrowNumbers::isUnsigned(Value *value) {
  Fit fit = fitOf(value);
  return fit == Fit::Unsigned ||
         (fit == Fit::Signed && ranges.find(value)->second.getSignedMin().isNonNegative());
}

// Whose lower bits follow from the lower bits of its operands.
static bool isModular(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Select:
  case Instruction::PHI:
    return true;
  case Instruction::Shl:
    return isa<llvm::ConstantInt>(instruction.getOperand(1));
  default:
    return false;
  }
}

// Of a number that may have more than 32 bits.
bool NarrowNumbers::needsWide(const llvm::Use &use, NarrowAddresses isNarrow) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *gep = dyn_cast<llvm::GetElementPtrInst>(user))
    return !isNarrow(*gep);
  if (isa<llvm::TruncInst>(user))
    return user->getType()->getScalarSizeInBits() > 32;
  if (isModular(*user))
    return wides.contains(user) && fitOf(user) == Fit::None;
  return true;
}

void NarrowNumbers::begin(NarrowAddresses isNarrow) {
  llvm::SmallVector<Instruction *> numbers;
  for (Instruction &instruction : llvm::instructions(function)) {
    before.push_back(&instruction);
    if (instruction.getType() == wide && fitOf(&instruction) == Fit::None)
      numbers.push_back(&instruction);
  }
  for (bool isMore = true; isMore;) {
    size_t before = wides.size();
    for (Instruction *number : llvm::reverse(numbers))
      if (!wides.contains(number) && llvm::any_of(number->uses(), [&](const llvm::Use &use) {
            return needsWide(use, isNarrow);
          }))
        wides.insert(number);
    isMore = wides.size() > before;
  }
}

// Its lower 32 bits.
Value *NarrowNumbers::low(Value *value) {
  if (auto *constant = dyn_cast<llvm::Constant>(value))
    return llvm::ConstantExpr::getTrunc(constant, word);
  if (auto known = lows.find(value); known != lows.end())
    return known->second;
  Value *result = nullptr;
  auto *instruction = dyn_cast<Instruction>(value);
  if (instruction && !wides.contains(value))
    result = lowOfInstruction(*instruction);
  if (!result) {
    llvm::IRBuilder<> b(function.getContext());
    if (instruction)
      b.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      b.SetInsertPointPastAllocas(&function);
    result = b.CreateTrunc(value, word);
  }
  lows[value] = result;
  return result;
}

// Null: of all of it only.
Value *NarrowNumbers::lowOfInstruction(Instruction &instruction) {
  llvm::IRBuilder<> b(&instruction);
  auto operand = [&](unsigned i) { return instruction.getOperand(i); };
  auto lowOf = [&](unsigned i) { return low(operand(i)); };
  auto areUnsigned = [&] { return isUnsigned(operand(0)) && isUnsigned(operand(1)); };
  auto areSigned = [&] { return isSigned(operand(0)) && isSigned(operand(1)); };
  switch (unsigned opcode = instruction.getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
    return instruction.getOperand(0)->getType()->getScalarSizeInBits() > 32
               ? nullptr
               : b.CreateIntCast(operand(0), word, opcode == Instruction::SExt);
  case Instruction::Shl:
    if (auto *count = dyn_cast<llvm::ConstantInt>(operand(1)); !count || count->getZExtValue() > 31)
      return nullptr;
    [[fallthrough]];
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul: {
    auto *x = lowOf(0), *y = lowOf(1);
    auto *result = b.CreateBinOp(Instruction::BinaryOps(opcode), x, y);
    // What passes behind this one make of sums in addresses needs to know.
    if (auto *made = dyn_cast<Instruction>(result); made && made->getOpcode() == opcode) {
      made->setHasNoSignedWrap(isSigned(&instruction) && areSigned());
      made->setHasNoUnsignedWrap(isUnsigned(&instruction) && areUnsigned());
    }
    return result;
  }
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return b.CreateBinOp(Instruction::BinaryOps(opcode), lowOf(0), lowOf(1));
  case Instruction::LShr:
    if (auto *count = dyn_cast<llvm::ConstantInt>(operand(1)); !count || count->getZExtValue() > 31)
      return nullptr;
    [[fallthrough]];
  case Instruction::UDiv:
  case Instruction::URem:
    return areUnsigned() ? b.CreateBinOp(Instruction::BinaryOps(opcode), lowOf(0), lowOf(1))
                         : nullptr;
  case Instruction::AShr:
    if (auto *count = dyn_cast<llvm::ConstantInt>(operand(1)); !count || count->getZExtValue() > 31)
      return nullptr;
    return isSigned(operand(0)) ? b.CreateAShr(lowOf(0), lowOf(1)) : nullptr;
  case Instruction::Select:
    return b.CreateSelect(operand(0), lowOf(1), lowOf(2));
  case Instruction::PHI: {
    auto &phi = cast<llvm::PHINode>(instruction);
    auto *made = b.CreatePHI(word, phi.getNumIncomingValues());
    lows[&phi] = made; // which what comes around a loop is made of
    for (auto [value, block] : llvm::zip(phi.incoming_values(), phi.blocks()))
      made->addIncoming(low(value), block);
    return made;
  }
  case Instruction::Call:
    if (auto *intrinsic = dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
      if (intrinsic->isSigned() ? areSigned() : areUnsigned())
        return b.CreateBinaryIntrinsic(intrinsic->getIntrinsicID(), lowOf(0), lowOf(1));
    return nullptr;
  default:
    return nullptr;
  }
}

// Of a number within 32 bits all that uses it uses what is made of these.
void NarrowNumbers::replace(Instruction &instruction) {
  if (isa<llvm::CastInst>(instruction) || fitOf(&instruction) == Fit::None)
    return;
  Value *narrow = low(&instruction);
  if (isa<llvm::TruncInst>(narrow))
    return;
  llvm::IRBuilder<> b(function.getContext());
  b.SetInsertPoint(*instruction.getInsertionPointAfterDef());
  instruction.replaceAllUsesWith(isUnsigned(&instruction) ? b.CreateZExt(narrow, wide)
                                                          : b.CreateSExt(narrow, wide));
}

void NarrowNumbers::compare(llvm::ICmpInst &comparison) {
  Value *x = comparison.getOperand(0), *y = comparison.getOperand(1);
  if (x->getType() != wide)
    return;
  bool areUnsigned = isUnsigned(x) && isUnsigned(y), areSigned = isSigned(x) && isSigned(y);
  if (!areUnsigned && !areSigned)
    return;
  // Numbers without a sign compare as such.
  llvm::CmpInst::Predicate predicate = comparison.getPredicate();
  if (areUnsigned && !areSigned)
    predicate = llvm::ICmpInst::getUnsignedPredicate(predicate);
  llvm::IRBuilder<> b(&comparison);
  comparison.replaceAllUsesWith(b.CreateICmp(predicate, low(x), low(y)));
}

void NarrowNumbers::replaceAll() {
  for (Instruction *instruction : before) {
    if (auto *comparison = dyn_cast<llvm::ICmpInst>(instruction))
      compare(*comparison);
    else if (auto *cut = dyn_cast<llvm::TruncInst>(instruction);
             cut && cut->getOperand(0)->getType() == wide && cut->getType() == word)
      cut->replaceAllUsesWith(low(cut->getOperand(0)));
  }
  for (Instruction *instruction : before)
    if (instruction->getType() == wide)
      replace(*instruction);
}
