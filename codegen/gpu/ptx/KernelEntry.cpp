#include "codegen/gpu/ptx/KernelEntry.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/ptx/NarrowIndices.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/gpu/threads/ThreadGrid.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace keratin::codegen;
using llvm::Value;

namespace {

// Of a grid.
constexpr uint32_t mostBlocks = (uint32_t(1) << 31) - 1;

// Called with a keratin_cuda_parameter_t; never defined.
constexpr const char *parameterFunction = "keratin_launch_parameter";

// Builds the entry around the blocks of the body.
class UnitsEntry {
public:
  UnitsEntry(llvm::Function &body, const LaunchShape &shape, const KernelBounds &bounds)
      : body(body), shape(shape), bounds(bounds), module(*body.getParent()),
        b(module.getContext()) {}

  llvm::Function *make(std::string *error);

private:
  // A load through a pointer and a constant offset.
  struct Access {
    llvm::Instruction *instruction;
    int64_t offset;
  };
  // False if something else is done with the pointer, but for handing it to functions of its own
  // table.
  bool accessesOf(Value *pointer, llvm::SmallVectorImpl<Access> &accesses);
  static bool isOwnArgument(const llvm::Instruction &instruction, const Value &pointer) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call && call->isIndirectCall() && call->getArgOperand(0) == &pointer;
  }

  Value *parameter(unsigned number) { return entry->getArg(unsigned(shape.slots) + number); }
  // A place in the device's memory, as a pointer that code may take for any pointer.
  Value *pointerTo(Value *address) {
    Value *global = b.CreateIntToPtr(address, b.getPtrTy(globalMemory));
    return b.CreateAddrSpaceCast(global, b.getPtrTy());
  }
  Value *slotAs(Value *slot, llvm::Type *type);

  // Addresses made of it, that nobody uses, may be left.
  static void dropAddress(llvm::Instruction *pointer) {
    pointer->replaceAllUsesWith(llvm::PoisonValue::get(pointer->getType()));
    pointer->eraseFromParent();
  }

  void begin();
  // A number of the device, less than `end`.
  Value *special(llvm::Intrinsic::ID id, uint32_t end);
  void readParameters();
  void leaveIfFailed(llvm::BasicBlock *next, llvm::BasicBlock *exit);
  void walkUnits();
  void boundThreads();
  bool replaceArguments();
  bool replaceContext();
  bool replaceParameters();
  bool replaceFunctions(llvm::Instruction *table);
  void replaceCalls(llvm::Instruction *function);
  void replaceNotes(llvm::Instruction *notes);
  bool refuse(const llvm::Twine &what) {
    problem = ("a kernel that " + what).str();
    return false;
  }

  llvm::Function &body;
  const LaunchShape &shape;
  const KernelBounds &bounds;
  llvm::Module &module;
  llvm::IRBuilder<> b;
  llvm::Function *entry = nullptr;
  llvm::BasicBlock *start = nullptr, *first = nullptr; // of the entry; of the body
  llvm::Instruction *place = nullptr;                  // before which parameters become values
  Value *failure = nullptr;                            // the address of the word
  Value *thread = nullptr;                             // of the grid
  std::string problem;
};

} // namespace

bool UnitsEntry::accessesOf(Value *pointer, llvm::SmallVectorImpl<Access> &accesses) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::SmallVector<std::pair<Value *, int64_t>> open = {{pointer, 0}};
  while (!open.empty()) {
    auto [from, offset] = open.pop_back_val();
    for (llvm::User *user : from->users()) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      if (auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt bytes(64, uint64_t(offset), true);
        if (!gep->accumulateConstantOffset(layout, bytes))
          return false;
        open.push_back({gep, bytes.getSExtValue()});
      } else if (llvm::isa<llvm::LoadInst>(instruction)) {
        accesses.push_back({instruction, offset});
      } else if (!isOwnArgument(*instruction, *from)) {
        return false;
      }
    }
  }
  return true;
}

//===-- Around the body -----------------------------------------------------------------------===//

void UnitsEntry::begin() {
  llvm::SmallVector<llvm::Type *> types(size_t(shape.slots) + KERATIN_CUDA_PARAMETERS,
                                        b.getInt64Ty());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false);
  entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "", module);
  entry->takeName(&body);
  entry->copyAttributesFrom(&body);
  entry->setLinkage(llvm::Function::ExternalLinkage);
  entry->setAttributes(
      llvm::AttributeList::get(module.getContext(), body.getAttributes().getFnAttrs(), {}, {}));
  entry->splice(entry->begin(), &body);
  first = &entry->front();
  start = llvm::BasicBlock::Create(module.getContext(), "start", entry, first);
}

// What is known of a number that the device tells.
static void bound(llvm::CallBase &number, uint32_t end) {
  number.addRetAttr(
      llvm::Attribute::get(number.getContext(), llvm::Attribute::Range,
                           llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, end))));
}

Value *UnitsEntry::special(llvm::Intrinsic::ID id, uint32_t end) {
  llvm::CallInst *number = b.CreateIntrinsic(b.getInt32Ty(), id, {});
  bound(*number, end);
  return number;
}

// The number of the thread, and the address of the word; what the whole call has one of.
void UnitsEntry::readParameters() {
  b.SetInsertPoint(start);
  auto wide = [&](Value *number) { return b.CreateZExt(number, b.getInt64Ty()); };
  Value *block = wide(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, mostBlocks));
  Value *ofBlock =
      wide(special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, shape.launch.block_threads));
  thread = b.CreateMul(block, b.getInt64(shape.launch.block_threads), "", true, true);
  thread = b.CreateAdd(thread, ofBlock, "", true, true);
  failure = b.CreateIntToPtr(parameter(KERATIN_CUDA_FAILURE), b.getPtrTy(globalMemory));
}

void UnitsEntry::leaveIfFailed(llvm::BasicBlock *next, llvm::BasicBlock *exit) {
  auto *look = llvm::BasicBlock::Create(module.getContext(), "look", entry, next);
  b.CreateCondBr(b.CreateICmpEQ(parameter(KERATIN_CUDA_GUARDED), b.getInt64(0)), next, look);
  b.SetInsertPoint(look);
  // Others may be failing, so that each thread may read something else. Those that wait for each
  // other go or stay together.
  llvm::LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), failure, llvm::Align(4),
                                             /*isVolatile=*/true);
  Value *failed = b.CreateICmpNE(word, b.getInt32(KERATIN_CUDA_NO_FAILURE));
  if (shape.unitThreads > warpThreads) {
    Value *any = b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_barrier0_or,
                                   {b.CreateZExt(failed, b.getInt32Ty())});
    failed = b.CreateICmpNE(any, b.getInt32(0));
  } else if (shape.unitThreads > 1) {
    failed = b.CreateIntrinsic(b.getInt1Ty(), llvm::Intrinsic::nvvm_vote_any_sync,
                               {b.getInt32(-1), failed});
  }
  b.CreateCondBr(failed, exit, next);
}

// for (unit = thread; unit < units; unit += threads) body(unit, unit + 1), where threads that do a
// unit together count as one
void UnitsEntry::walkUnits() {
  llvm::LLVMContext &context = module.getContext();
  auto *header = llvm::BasicBlock::Create(context, "units", entry, first);
  auto *latch = llvm::BasicBlock::Create(context, "next", entry);
  auto *exit = llvm::BasicBlock::Create(context, "exit", entry);
  for (llvm::BasicBlock &block : llvm::make_range(first->getIterator(), latch->getIterator()))
    if (auto *leave = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      llvm::ReplaceInstWithInst(leave, llvm::BranchInst::Create(latch));

  llvm::IntegerType *type = bounds.hasFewUnits ? b.getInt32Ty() : b.getInt64Ty();
  auto timesUnits = [&](Value *blocks) {
    uint64_t ofBlock = shape.launch.block_threads / shape.unitThreads;
    return b.CreateMul(b.CreateZExt(blocks, type), llvm::ConstantInt::get(type, ofBlock), "", true,
                       true);
  };
  Value *own = timesUnits(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, mostBlocks));
  if (shape.unitThreads < shape.launch.block_threads) {
    Value *ofBlock = special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, shape.launch.block_threads);
    ofBlock = b.CreateLShr(ofBlock, llvm::Log2_32(shape.unitThreads));
    own = b.CreateAdd(own, b.CreateZExt(ofBlock, type), "", true, true);
  }
  Value *stride = timesUnits(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x, mostBlocks + 1));
  leaveIfFailed(header, exit);

  b.SetInsertPoint(header);
  llvm::PHINode *unit = b.CreatePHI(type, 3);
  for (llvm::BasicBlock *before : llvm::predecessors(header))
    unit->addIncoming(own, before);
  Value *begin = b.CreateZExt(unit, b.getInt64Ty());
  Value *end = b.CreateAdd(begin, b.getInt64(1), "", true, true);
  Value *units = b.CreateTrunc(parameter(KERATIN_CUDA_UNITS), type);
  b.CreateCondBr(b.CreateICmpSLT(unit, units), first, exit);

  b.SetInsertPoint(latch);
  unit->addIncoming(b.CreateAdd(unit, stride, "", true, true), latch);
  b.CreateBr(header);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  body.getArg(2)->replaceAllUsesWith(begin);
  body.getArg(3)->replaceAllUsesWith(end);
}

// The numbers of threads in their block, and in their warp, that the body reads.
void UnitsEntry::boundThreads() {
  for (llvm::Instruction &instruction : llvm::instructions(*entry)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call)
      continue;
    auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
    if (assembly ? assembly->getAsmString() == threadAssembly
                 : call->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x)
      bound(*call, shape.launch.block_threads);
    else if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_laneid)
      bound(*call, warpThreads);
  }
}

//===-- What the body asks for ----------------------------------------------------------------===//

// Pointers are addresses in the device's memory, numbers their own bits.
Value *UnitsEntry::slotAs(Value *slot, llvm::Type *type) {
  if (type->isPointerTy())
    return pointerTo(slot);
  unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  Value *narrow = b.CreateTrunc(slot, b.getIntNTy(bits));
  return b.CreateBitCast(narrow, type);
}

bool UnitsEntry::replaceArguments() {
  llvm::SmallVector<Access> accesses;
  if (!accessesOf(body.getArg(1), accesses))
    return refuse("does not read its arguments one by one");
  for (auto [instruction, offset] : accesses) {
    if (offset % 8 != 0 || offset / 8 >= shape.slots)
      return refuse("has other arguments than those of its launch");
    b.SetInsertPoint(place);
    instruction->replaceAllUsesWith(
        slotAs(entry->getArg(unsigned(offset / 8)), instruction->getType()));
    instruction->eraseFromParent();
  }
  return true;
}

bool UnitsEntry::replaceContext() {
  llvm::SmallVector<Access> accesses;
  if (!accessesOf(body.getArg(0), accesses))
    return refuse("does something of its own with its context");
  for (auto [instruction, offset] : accesses) {
    b.SetInsertPoint(place);
    switch (offset) {
    case offsetof(keratin_context_t, functions):
      if (!replaceFunctions(instruction))
        return false;
      break;
    case offsetof(keratin_context_t, numbers_suspect):
      replaceNotes(instruction);
      break;
    default:
      return refuse("reads byte " + llvm::Twine(offset) + " of its context");
    }
    dropAddress(instruction);
  }
  return true;
}

// Whether kernels of a loop may ask for the parameter: it says nothing of what they share.
static bool isOfLoop(unsigned parameter) {
  return parameter == KERATIN_CUDA_FAILURE || parameter == KERATIN_CUDA_GUARDED ||
         parameter == KERATIN_CUDA_PARTS || parameter == KERATIN_CUDA_COUNTERS;
}

bool UnitsEntry::replaceParameters() {
  for (llvm::BasicBlock &block : *entry)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->getCalledFunction() ||
          call->getCalledFunction()->getName() != parameterFunction)
        continue;
      auto *number = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0));
      if (shape.isWhole && !isOfLoop(unsigned(number->getZExtValue())))
        return refuse("asks for its own launch, in a loop");
      call->replaceAllUsesWith(parameter(unsigned(number->getZExtValue())));
      call->eraseFromParent();
    }
  return true;
}

// Of all that the runtime does for kernels a device's need one thing only.
bool UnitsEntry::replaceFunctions(llvm::Instruction *table) {
  llvm::SmallVector<Access> accesses;
  if (!accessesOf(table, accesses))
    return refuse("does something of its own with the runtime's functions");
  for (auto [instruction, offset] : accesses) {
    if (offset != offsetof(keratin_runtime_functions_t, fail))
      return refuse(
          "calls function " +
          llvm::Twine((offset - int64_t(offsetof(keratin_runtime_functions_t, parallel_for))) / 8) +
          " of the runtime, which a device has no form of");
    replaceCalls(instruction);
    dropAddress(instruction);
  }
  return true;
}

// The lowest site wins, whichever thread comes first.
void UnitsEntry::replaceCalls(llvm::Instruction *function) {
  for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    b.SetInsertPoint(call);
    b.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, failure, call->getArgOperand(1), llvm::Align(4),
                      llvm::AtomicOrdering::Monotonic);
    call->eraseFromParent();
  }
}

// Behind the failure word. PTX has no atomic stores of LLVM's.
void UnitsEntry::replaceNotes(llvm::Instruction *notes) {
  Value *address = b.CreateAdd(parameter(KERATIN_CUDA_FAILURE), b.getInt64(4), "", true, true);
  notes->replaceAllUsesWith(pointerTo(address));
  Value *memory = b.CreateIntToPtr(address, b.getPtrTy(globalMemory));
  for (llvm::BasicBlock &block : *entry)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || !store->isAtomic())
        continue;
      b.SetInsertPoint(store);
      b.CreateAtomicRMW(llvm::AtomicRMWInst::Or, memory, store->getValueOperand(), llvm::Align(4),
                        llvm::AtomicOrdering::Monotonic);
      store->eraseFromParent();
    }
}

llvm::Function *UnitsEntry::make(std::string *error) {
  begin();
  readParameters();
  if (shape.isWhole)
    b.CreateBr(first);
  else
    walkUnits();
  place = start->getTerminator();
  // Memory of the function is there once.
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(*first))
    if (llvm::isa<llvm::AllocaInst>(instruction))
      instruction.moveBefore(place);
  boundThreads();
  if (!replaceArguments() || !replaceContext() || !replaceParameters()) {
    *error = problem;
    return nullptr;
  }
  // Addresses in what is not there, that nobody uses.
  for (llvm::Argument &argument : body.args())
    argument.replaceAllUsesWith(llvm::PoisonValue::get(argument.getType()));
  body.eraseFromParent();
  return entry;
}

mlir::Value keratin::codegen::launchParameter(mlir::OpBuilder &b, mlir::Location loc,
                                              keratin_cuda_parameter_t number) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  auto function = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(parameterFunction);
  if (!function) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = b.create<mlir::LLVM::LLVMFuncOp>(
        module.getLoc(), parameterFunction,
        mlir::LLVM::LLVMFunctionType::get(b.getI64Type(), {b.getI32Type()}));
  }
  mlir::Value which = b.create<mlir::LLVM::ConstantOp>(loc, b.getI32Type(), int32_t(number));
  return b.create<mlir::LLVM::CallOp>(loc, function, mlir::ValueRange{which}).getResult();
}

llvm::Function *keratin::codegen::makeUnitsEntry(llvm::Function &body, const LaunchShape &shape,
                                                 const KernelBounds &bounds, std::string *error) {
  llvm::Function *entry = UnitsEntry(body, shape, bounds).make(error);
  if (!entry)
    return nullptr;
  auto &context = entry->getContext();
  for (unsigned slot : bounds.boundedSlots)
    entry->addParamAttr(slot, llvm::Attribute::get(context, boundedAttribute));
  llvm::NamedMDNode *annotations = entry->getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto annotate = [&](const char *name, uint32_t value) {
    auto *number = llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
    annotations->addOperand(
        llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(entry),
                                    llvm::MDString::get(context, name), number}));
  };
  annotate("kernel", 1);
  annotate("maxntidx", shape.launch.block_threads);
  // A multiprocessor has registers for one of few blocks. For more, ptxas would have some spill.
  if (shape.hasFewBlocks)
    annotate("minctasm", 1);
  return entry;
}
