#include "codegen/gpu/ptx/NarrowIndices.h"

#include "codegen/gpu/ptx/NarrowNumbers.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace keratin::codegen;
using namespace llvm::PatternMatch;
using llvm::APInt;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

// Constants that are added to an address behind its offset are less than this.
constexpr int64_t mostConstant = int64_t(1) << 20;
// Bytes that offsets are counted in.
constexpr int64_t mostUnit = 16;
// Of bits, in an offset that constants are taken out of.
constexpr unsigned mostShift = 20;

class NarrowIndices {
public:
  NarrowIndices(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : function(function), layout(function.getParent()->getDataLayout()),
        numbers(function, analyses) {}

  void run();

private:
  // An address: a base, constant bytes, and multiples of numbers.
  struct Address {
    Value *base = nullptr;
    int64_t constant = 0;
    llvm::SmallMapVector<Value *, int64_t, 4> terms;
  };

  void findAddresses();
  static void add(Address &address, Value *term, int64_t scale);
  std::optional<Address> addressOf(llvm::GetElementPtrInst &gep) const;
  bool isBounded(const Value *base) const;
  bool isOnlyAccessed(const Value &pointer) const;
  Value *narrowAddress(llvm::GetElementPtrInst &gep, const Address &address);

  llvm::Function &function;
  const llvm::DataLayout &layout;
  NarrowNumbers numbers;
  llvm::MapVector<llvm::GetElementPtrInst *, Address> addresses;
};

} // namespace

bool NarrowIndices::isBounded(const Value *base) const {
  if (base->getType()->getPointerAddressSpace() == sharedMemory)
    return isa<llvm::GlobalVariable>(base);
  auto *cast = dyn_cast<llvm::IntToPtrInst>(base);
  auto *parameter = cast ? dyn_cast<llvm::Argument>(cast->getOperand(0)) : nullptr;
  return parameter &&
         function.getAttributes().hasParamAttr(parameter->getArgNo(), boundedAttribute);
}

// Whether nothing is done with the address but that memory is accessed there.
bool NarrowIndices::isOnlyAccessed(const Value &pointer) const {
  for (const llvm::User *user : pointer.users()) {
    if (isa<llvm::LoadInst>(user))
      continue;
    if (auto *store = dyn_cast<llvm::StoreInst>(user);
        store && store->getValueOperand() != &pointer)
      continue;
    if (auto *update = dyn_cast<llvm::AtomicRMWInst>(user);
        update && update->getValOperand() != &pointer)
      continue;
    if (isa<llvm::IntrinsicInst>(user))
      continue;
    // Which gets an address of its own.
    if (auto *gep = dyn_cast<llvm::GetElementPtrInst>(user))
      if (addresses.contains(const_cast<llvm::GetElementPtrInst *>(gep)))
        continue;
    return false;
  }
  return true;
}

// Constants apart: accesses have room for them.
void NarrowIndices::add(Address &address, Value *term, int64_t scale) {
  Value *rest = nullptr;
  const APInt *number = nullptr;
  if (match(term, m_AddLike(m_Value(rest), m_APInt(number)))) {
    address.constant += int64_t(number->getZExtValue() * uint64_t(scale));
    return add(address, rest, scale);
  }
  if (match(term, m_Shl(m_Value(rest), m_APInt(number))) && number->ult(mostShift) &&
      match(rest, m_AddLike(m_Value(), m_ConstantInt())))
    return add(address, rest, scale << number->getZExtValue());
  address.terms[term] += scale;
}

std::optional<NarrowIndices::Address> NarrowIndices::addressOf(llvm::GetElementPtrInst &gep) const {
  Address address;
  Value *pointer = &gep;
  while (auto *part = dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::MapVector<Value *, APInt> terms;
    APInt bytes(64, 0);
    if (part->getType()->isVectorTy() || !part->collectOffset(layout, 64, terms, bytes))
      return std::nullopt;
    address.constant += bytes.getSExtValue();
    for (auto &[term, scale] : terms) {
      if (!term->getType()->isIntegerTy(64))
        return std::nullopt;
      add(address, term, scale.getSExtValue());
    }
    pointer = part->getPointerOperand();
  }
  address.base = pointer;
  if (address.terms.empty() || !isBounded(pointer))
    return std::nullopt;
  return address;
}

void NarrowIndices::findAddresses() {
  llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function);
  for (llvm::BasicBlock *block : blocks)
    for (llvm::Instruction &instruction : *block)
      if (auto *gep = dyn_cast<llvm::GetElementPtrInst>(&instruction))
        if (auto address = addressOf(*gep))
          addresses.insert({gep, std::move(*address)});
  // One that is used otherwise stays as it is, and with it what it is made of.
  for (bool isLess = true; isLess;) {
    llvm::SmallPtrSet<const Value *, 8> others;
    for (auto &[gep, address] : addresses)
      if (!isOnlyAccessed(*gep))
        others.insert(gep);
    addresses.remove_if([&](const auto &entry) { return others.contains(entry.first); });
    isLess = !others.empty();
  }
}

// base + (sum of terms of 32 bits, in what all of them are multiples of) + constant. So addresses
// that differ in constants differ in nothing else.
Value *NarrowIndices::narrowAddress(llvm::GetElementPtrInst &gep, const Address &address) {
  llvm::IRBuilder<> b(&gep);
  bool isFar = address.constant <= -mostConstant || address.constant >= mostConstant;
  int64_t together = mostUnit | (isFar ? address.constant : 0);
  for (auto &[term, scale] : address.terms)
    together |= scale;
  int64_t unit = together & -together;
  auto cut = [&](int64_t number) { return b.getInt32(uint32_t(number)); };
  Value *sum = nullptr;
  for (auto &[term, scale] : llvm::reverse(address.terms)) {
    Value *part = numbers.low(term);
    if (scale != unit)
      part = b.CreateMul(part, cut(scale / unit));
    sum = sum ? b.CreateAdd(sum, part) : part;
  }
  if (isFar)
    sum = b.CreateAdd(sum, cut(address.constant / unit));
  Value *pointer =
      b.CreateGEP(b.getIntNTy(unsigned(unit) * 8), address.base, b.CreateSExt(sum, b.getInt64Ty()));
  if (address.constant && !isFar)
    pointer = b.CreateConstGEP1_64(b.getInt8Ty(), pointer, uint64_t(address.constant));
  return pointer;
}

void NarrowIndices::run() {
  findAddresses();
  numbers.begin([&](llvm::GetElementPtrInst &gep) { return addresses.contains(&gep); });
  llvm::SmallVector<std::pair<llvm::GetElementPtrInst *, Value *>> pointers;
  for (auto &[gep, address] : addresses)
    pointers.push_back({gep, narrowAddress(*gep, address)});
  for (auto [gep, pointer] : pointers)
    gep->replaceAllUsesWith(pointer);
  numbers.replaceAll();
}

llvm::PreservedAnalyses NarrowIndicesPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  if (function.isDeclaration())
    return llvm::PreservedAnalyses::all();
  NarrowIndices(function, analyses).run();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}
