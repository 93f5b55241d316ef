#include "codegen/lowering/EntryFunction.h"

#include "codegen/lowering/EntryLowering.h"
#include "codegen/lowering/KernelPlan.h"
#include "ir/dialect/Signature.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::codegen;
using namespace mlir;
namespace codegen = keratin::codegen;
namespace ir = keratin::ir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

// Elementary operations from which on handing chunks to threads pays (a fork and join costs about
// as much as 4 us of work).
static constexpr int64_t parallelWork = 1 << 18;
// LLVM takes the square of the length of straight code. What stands between two calls of parts is
// not shared, which costs as little as these calls.
static constexpr int64_t mostNodesOfPart = 256;

bool EntryDescription::addSymbol(int64_t id, int64_t unit) {
  assert(sizes.empty() && "slots of symbols come first");
  auto [symbol, isNew] = symbolSlots.try_emplace(id, int64_t(symbolSlots.size()));
  if (isNew && unit != 1) {
    counts.insert(id);
    // The product is the dimension of an input.
    sizeSlots[*mul(DimExpr::symbol(id), DimExpr(unit))] = symbol->second;
  }
  return isNew;
}

std::optional<int64_t> EntryDescription::slotOfSymbol(int64_t id) const {
  auto found = symbolSlots.find(id);
  return found == symbolSlots.end() ? std::nullopt : std::optional(found->second);
}

int64_t EntryDescription::slotOf(const DimExpr &size) {
  if (size.isSymbol() && !counts.contains(size.symbolId()))
    if (std::optional<int64_t> slot = slotOfSymbol(size.symbolId()))
      return *slot;
  auto [found, isNew] = sizeSlots.try_emplace(size, int64_t(symbolSlots.size() + sizes.size()));
  if (isNew)
    sizes.push_back(size);
  return found->second;
}

//===-- Values --------------------------------------------------------------------------------===//

EntryLowering::EntryLowering(func::FuncOp source, host::ProgramOp program, ModuleOp into,
                             StringRef name, KernelLowering onHost, EntryDescription &description,
                             const DeviceModule *device)
    : source(source), program(program), into(into), name(name),
      library(into, name, std::move(onHost)), description(description), b(into.getContext()),
      loc(source.getLoc()) {
  pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (device) {
    onDevice.emplace(device->into, name, device->lowering);
    loopsOnDevice = device->loops;
  }
}

Value EntryLowering::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

bool EntryLowering::isOwnSize(const DimExpr &size) const {
  return !frame.ownSymbols.empty() &&
         llvm::any_of(size.symbols(), [&](int64_t id) { return frame.ownSymbols.contains(id); });
}

// Whether it may be elsewhere in each step, asked for by a size of the step.
bool EntryLowering::isOwnMemory(host::MemoryOp memory) const {
  ir::MemoryAttr plan = memories[memory.getNumber()];
  return plan.waits() && frame.ownSymbols.contains(plan.getSymbol());
}

Value EntryLowering::hoistedIf(bool isSame, llvm::function_ref<Value()> emit) {
  return isSame ? hoisted(emit) : emit();
}

Value EntryLowering::hoisted(llvm::function_ref<Value()> emit) {
  if (!frame.isLoop())
    return emit();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frame.prologueEnd);
  return emit();
}

Value EntryLowering::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  bool isOwn = isOwnSize(size);
  Value known = frame.isLoop() && !isOwn ? frame.sizeValues[size] : Value();
  if (known)
    return known;
  Value loaded = hoistedIf(!isOwn, [&]() -> Value {
    int32_t slot = description.slotOf(size);
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), frame.sizes,
                                          ArrayRef<LLVM::GEPArg>{slot});
    return b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
  });
  if (!isOwn)
    frame.sizeValues[size] = loaded;
  return loaded;
}

Value EntryLowering::bufferAt(int64_t number) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, pointer, frame.buffers,
                                        ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return b.create<LLVM::LoadOp>(loc, pointer, address);
}

Value EntryLowering::offsetBy(Value base, Value bytes) {
  return b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
}

Value EntryLowering::contextField(size_t offset, Type type) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), frame.context,
                                        ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return b.create<LLVM::LoadOp>(loc, type, address);
}

Value EntryLowering::i32(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

Value EntryLowering::runtimeFunction(size_t offset) {
  return codegen::runtimeFunction(b, loc, frame.context, offset);
}

Value EntryLowering::callRuntime(size_t offset, Type result, ValueRange arguments) {
  SmallVector<Value> operands = {runtimeFunction(offset), frame.context};
  llvm::append_range(operands, arguments);
  SmallVector<Type> types(ValueRange(operands).drop_front().getTypes());
  auto type =
      LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()), types);
  auto call = b.create<LLVM::CallOp>(loc, type, operands);
  return result ? call.getResult() : Value();
}

// The order of keratin_entry_fn_t: inputs, variables, outputs, new values of updates that are not
// in place, constants, arena.
void EntryLowering::numberBuffers() {
  ir::Signature signature(source);
  memories = ir::memoriesOf(source);
  host::NumberedOps numbered = host::numberedOpsOf(source);
  kernels = numbered.kernels;
  description.kernelFunctions.resize(kernels.size());
  for (ir::KernelOp kernel : kernels)
    description.kernelNames.push_back(ir::nameOf(kernel));
  unsigned firstVariable = signature.firstVariable();
  int64_t next = source.getNumArguments();
  for (unsigned i = 0; i < source.getNumResults(); ++i)
    resultBuffers.push_back(signature.isInPlace(i) ? firstVariable + *signature.updatedVariable(i)
                                                   : next++);
  constantBuffers = next;
  for (ir::ConstantOp constant : numbered.constants)
    description.constants.push_back(constant.getY());
  arenaBuffer = constantBuffers + int64_t(numbered.constants.size());
}

// Of the call, the same all the time.
Value EntryLowering::buffer(Value value, int64_t number) {
  Value address = hoisted([&] { return bufferAt(number); });
  if (!frame.isConditional)
    frame.values[value] = address;
  return address;
}

Value EntryLowering::placeAt(host::AtOp at) {
  DimExpr offset = at.getOffset().getDims().front();
  auto memory = at.getBase().getDefiningOp<host::MemoryOp>();
  if (!memory)
    return offsetBy(valueOf(at.getBase()), sizeOf(offset));
  bool isOwn = isOwnMemory(memory);
  Value address = hoistedIf(!isOwn, [&] {
    return offsetBy(bufferAt(arenaBuffer + int64_t(memory.getNumber())), sizeOf(offset));
  });
  if (!isOwn && !frame.isConditional)
    frame.values[at] = address;
  return address;
}

Value EntryLowering::valueOf(Value value) {
  if (Value known = frame.values.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<host::ArgumentOp>(op))
    return buffer(value, argument.getNumber());
  if (auto result = dyn_cast<host::ResultOp>(op))
    return buffer(value, resultBuffers[result.getNumber()]);
  if (auto constant = dyn_cast<host::ConstantOp>(op))
    return buffer(value, constantBuffers + int64_t(constant.getNumber()));
  if (auto memory = dyn_cast<host::MemoryOp>(op))
    return bufferAt(arenaBuffer + int64_t(memory.getNumber()));
  if (auto at = dyn_cast<host::AtOp>(op))
    return placeAt(at);
  if (auto size = dyn_cast<host::SizeOp>(op))
    return sizeOf(size.getSize().getDims().front());
  return b.create<arith::ConstantOp>(loc, cast<arith::ConstantOp>(op).getValue());
}

//===-- Calls ---------------------------------------------------------------------------------===//

Value EntryLowering::hasNotFailed() {
  if (onDevice) {
    Value failed =
        callRuntime(offsetof(keratin_runtime_functions_t, has_failed), b.getI32Type(), {});
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, failed, i32(0));
  }
  Value site = contextField(offsetof(keratin_context_t, failed_site), b.getI32Type());
  Value none = b.create<arith::ConstantIntOp>(loc, 0, 32);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, site, none);
}

void EntryLowering::leaveIfFailed() {
  leaveUnless(hasNotFailed());
  mayHaveFailed = false;
}

void EntryLowering::leaveUnless(Value sound) {
  Block *next = b.getInsertionBlock()->splitBlock(b.getInsertionPoint());
  b.setInsertionPointToEnd(next->getPrevNode());
  b.create<cf::CondBranchOp>(loc, sound, next, exit);
  b.setInsertionPointToStart(next);
}

// Its number among those that the call computes.
int64_t EntryLowering::definitionOf(int64_t symbol) const {
  return *description.slotOfSymbol(symbol) - description.firstComputedSlot();
}

// Hands the value to the runtime, which computes the sizes that depend on it.
Value EntryLowering::define(host::DefineSizeOp op) {
  Value value = valueOf(op.getValue());
  Value code = callRuntime(offsetof(keratin_runtime_functions_t, define_size), b.getI32Type(),
                           {i32(definitionOf(op.getSymbol())), value});
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, code, i32(0));
}

Value EntryLowering::growTapes(host::GrowTapesOp op) {
  Value needed = valueOf(op.getSteps());
  return callRuntime(offsetof(keratin_runtime_functions_t, grow_tapes), b.getI64Type(),
                     {i32(definitionOf(op.getSymbol())), needed});
}

// Reads and writes the memory of the device.
bool EntryLowering::isInDevice(Operation *op) const { return onDevice && host::isResident(op); }

Value EntryLowering::read(host::ReadOp op) {
  Value address = valueOf(op.getPlace());
  if (isInDevice(op)) {
    Value staged = callRuntime(offsetof(keratin_runtime_functions_t, staging), pointer, {i64(8)});
    transferBytes(offsetof(keratin_runtime_functions_t, fetch), staged, address, i64(1),
                  /*stream=*/0);
    address = staged;
  }
  if (op.getType().isInteger(64))
    return b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
  Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), address);
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 8);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
}

void EntryLowering::tellProfile(int64_t kernel, bool end) {
  Value hook = runtimeFunction(offsetof(keratin_runtime_functions_t, profile));
  Value none = b.create<LLVM::ZeroOp>(loc, pointer);
  Value wanted = b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, hook, none);
  auto branch = b.create<scf::IfOp>(loc, wanted, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, b.getI32Type(), b.getI32Type()});
  Value number = b.create<arith::ConstantIntOp>(loc, kernel, 32);
  Value isEnd = b.create<arith::ConstantIntOp>(loc, end, 32);
  b.create<LLVM::CallOp>(loc, type, ValueRange{hook, frame.context, number, isEnd});
}

// Memory for the arguments of a call. In a loop each kernel has its own, so that those that stay
// the same are stored once; but a body of very many kernels must not fill the stack.
Value EntryLowering::argumentSlots(size_t count) {
  constexpr size_t mostOwnSlots = 2048;
  if (!frame.isLoop() || frame.numOwnSlots + count > mostOwnSlots) {
    frame.numSharedSlots = std::max(frame.numSharedSlots, count);
    return frame.sharedSlots;
  }
  frame.numOwnSlots += count;
  return hoisted([&]() -> Value {
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), std::max<size_t>(count, 1));
    return b.create<LLVM::AllocaOp>(loc, pointer, type, i64(1), 8);
  });
}

void EntryLowering::storeArgument(Value slots, size_t slot, Value value) {
  OpBuilder::InsertionGuard guard(b);
  if (slots != frame.sharedSlots) {
    // Out of all loops that do not make the value.
    Operation *owner = value.getParentRegion()->getParentOp();
    Operation *inside = b.getInsertionBlock()->getParentOp();
    for (; !inside->isAncestor(owner); inside = inside->getParentOp())
      b.setInsertionPoint(inside);
  }
  Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), slots,
                                        ArrayRef<LLVM::GEPArg>{int32_t(slot)});
  b.create<LLVM::StoreOp>(loc, value, address);
}

Value EntryLowering::countUnits(const KernelFunction &kernel) {
  return kernel.countUnits ? count(kernel.countUnits) : sizeOf(kernel.units);
}

Value EntryLowering::count(const Count &count) {
  auto size = [&](const DimExpr &size) { return sizeOf(size); };
  if (frame.isLoop()) // where LLVM cleans up, and sizes are kept for others
    return count(b, loc, size);
  Operation *next = &*b.getInsertionPoint(), *before = next->getPrevNode();
  Value units = count(b, loc, size);
  // Most of what the schedule of a kernel follows from is for the kernel itself.
  for (Operation *op = next->getPrevNode(); op != before;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && op != units.getDefiningOp())
      op->erase();
    op = previous;
  }
  return units;
}

void EntryLowering::callKernel(const KernelFunction &kernel, Value slots, bool hasOwnSize) {
  auto function = LLVM::LLVMFuncOp(kernel.function);
  Value units = hoistedIf(!hasOwnSize, [&] { return countUnits(kernel); });
  auto direct = [&] {
    b.create<LLVM::CallOp>(loc, function, ValueRange{frame.context, slots, i64(0), units});
  };
  auto shared = [&] {
    Value target = b.create<LLVM::AddressOfOp>(loc, pointer, function.getSymName());
    callRuntime(offsetof(keratin_runtime_functions_t, parallel_for), Type(),
                {target, slots, units, sizeOf(kernel.grain)});
  };
  bool several =
      kernel.countUnits || !kernel.units.isConstant() || kernel.units.constantValue() > 1;
  if (!several || (kernel.work.isConstant() && kernel.work.constantValue() < parallelWork))
    return direct();
  if (kernel.work.isConstant())
    return shared();
  Value large = hoistedIf(!hasOwnSize, [&]() -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, sizeOf(kernel.work),
                                   i64(parallelWork));
  });
  auto branch = b.create<scf::IfOp>(loc, large, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  shared();
  b.setInsertionPointToStart(branch.elseBlock());
  direct();
}

void EntryLowering::launchOnDevice(LLVM::LLVMFuncOp function, ArrayRef<Value> arguments,
                                   Value slots, Value units, Value grain, int64_t stream) {
  function.setLinkage(LLVM::Linkage::External);
  auto [number, isNew] =
      deviceNumbers.try_emplace(function.getSymName(), int64_t(description.deviceKernels.size()));
  if (isNew)
    description.deviceKernels.push_back({function.getSymName().str(), int64_t(arguments.size())});
  callRuntime(
      offsetof(keratin_runtime_functions_t, launch), Type(),
      {i32(number->second), slots, i32(int64_t(arguments.size())), units, grain, i32(stream)});
}

// What a kernel is given beside its tensors.
Value EntryLowering::argumentOf(const KernelArgument &argument) {
  if (argument.kind == KernelArgument::Kind::Size)
    return hoistedIf(!isOwnSize(argument.size), [&] { return sizeOf(argument.size); });
  if (argument.kind == KernelArgument::Kind::Number)
    return hoisted([&] { return i64(int64_t(argument.number)); });
  assert(argument.kind == KernelArgument::Kind::Site && "tensors are places");
  mayHaveFailed = true;
  Value site = hoisted([&] { return i64(int64_t(description.sites.size())); });
  description.sites.push_back(argument);
  return site;
}

// `launch` is null where the host does the work itself.
void EntryLowering::call(const host::Work &work, host::LaunchOp launch) {
  ir::KernelOp op = kernels[work.kernel];
  const bool isOnDevice = onDevice && launch;
  const KernelFunction &kernel = isOnDevice ? onDevice->get(op) : library.get(op);
  ++description.kernels;
  description.kernelFunctions[size_t(work.kernel)] =
      LLVM::LLVMFuncOp(kernel.function).getSymName().str();
  description.scratchBytes = std::max(description.scratchBytes, kernel.scratchBytes);

  SmallVector<Value> values;
  for (const KernelArgument &argument : kernel.arguments) {
    switch (argument.kind) {
    case KernelArgument::Kind::Input:
      values.push_back(valueOf(work.inputs[argument.index]));
      break;
    case KernelArgument::Kind::Output:
      values.push_back(valueOf(work.outputs[argument.index]));
      break;
    default:
      values.push_back(argumentOf(argument));
    }
  }
  Value slots = argumentSlots(values.size());
  for (auto [slot, value] : llvm::enumerate(values))
    storeArgument(slots, slot, value);
  if (description.profile)
    tellProfile(work.kernel, /*end=*/false);
  bool hasOwnSize =
      llvm::any_of(work.after, [&](int64_t symbol) { return frame.ownSymbols.contains(symbol); });
  if (isOnDevice)
    launchOnDevice(kernel.function, values, slots,
                   hoistedIf(!hasOwnSize, [&] { return countUnits(kernel); }), sizeOf(kernel.grain),
                   int64_t(launch.getStream()));
  else
    callKernel(kernel, slots, hasOwnSize);
  if (description.profile)
    tellProfile(work.kernel, /*end=*/true);
}

//===-- The function --------------------------------------------------------------------------===//

LogicalResult EntryLowering::lower(Operation *op) {
  loc = op->getLoc();
  if (isa<host::ArgumentOp, host::ResultOp, host::ConstantOp, host::MemoryOp, host::AtOp,
          host::SizeOp, arith::ConstantOp>(op))
    return success(); // where something uses it
  auto becomes = [&](Value value) {
    frame.values[op->getResult(0)] = value;
    return success();
  };
  if (std::optional<host::Work> work = host::workOf(op))
    return call(*work, dyn_cast<host::LaunchOp>(op)), success();
  if (auto launched = residentLoops.find(op); launched != residentLoops.end())
    return launchLoop(cast<host::LoopOp>(op), launched->second), success();
  if (auto loop = dyn_cast<host::LoopOp>(op))
    return frame.isLoop() ? lowerBlock(loop.getBody().front()) : callLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lower(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lower(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lower(loop);
  if (auto read = dyn_cast<host::ReadOp>(op))
    return becomes(this->read(read));
  if (auto write = dyn_cast<host::WriteOp>(op)) {
    Value address = valueOf(write.getPlace()), device = address;
    if (isInDevice(op))
      address = callRuntime(offsetof(keratin_runtime_functions_t, staging), pointer, {i64(8)});
    b.create<LLVM::StoreOp>(loc, valueOf(write.getValue()), address);
    if (isInDevice(op))
      transferBytes(offsetof(keratin_runtime_functions_t, send), device, address, i64(8),
                    /*stream=*/0);
    return success();
  }
  if (auto copy = dyn_cast<host::CopyOp>(op))
    return this->copy(copy), success();
  if (auto staging = dyn_cast<host::StagingOp>(op))
    return becomes(this->staging(staging));
  if (isa<host::FetchOp, host::SendOp>(op))
    return transfer(op), success();
  if (auto define = dyn_cast<host::DefineSizeOp>(op)) {
    mayHaveFailed |= op->getParentOp() != program; // there, the call ends
    return becomes(this->define(define));
  }
  if (auto grow = dyn_cast<host::GrowTapesOp>(op))
    return becomes(growTapes(grow));
  if (auto end = dyn_cast<host::EndUnlessOp>(op))
    return leaveUnless(valueOf(end.getCondition())), success();
  if (isa<host::SoundOp>(op))
    return becomes(hasNotFailed());
  if (isa<host::CheckOp>(op)) {
    if (mayHaveFailed) // of what was called before, by what its code can tell
      leaveIfFailed();
    return success();
  }
  if (auto differs = dyn_cast<host::DiffersOp>(op))
    return becomes(b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, valueOf(differs.getA()),
                                          valueOf(differs.getB())));
  if (auto element = dyn_cast<host::ElementOp>(op)) {
    Value base = valueOf(element.getBase());
    Value stride = sizeOf(element.getBytes().getDims().front());
    return becomes(
        offsetBy(base, b.create<arith::MulIOp>(loc, valueOf(element.getStep()), stride)));
  }
  lowerNumber(op);
  return success();
}

// What is computed with numbers, conditions and places as they are.
void EntryLowering::lowerNumber(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value condition = valueOf(select.getCondition()), first = valueOf(select.getTrueValue());
    frame.values[select] =
        b.create<LLVM::SelectOp>(loc, condition, first, valueOf(select.getFalseValue()));
    return;
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, valueOf(operand));
  frame.values[op->getResult(0)] = b.clone(*op, mapping)->getResult(0);
}

// Of a region its last op is for whoever has it.
LogicalResult EntryLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(lower(&op)))
      return failure();
  return success();
}

// Begins a function with the parameters of the entry function, with the builder at its first block.
void EntryLowering::openFunction(StringRef name, Type result) {
  b.setInsertionPointToEnd(into.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, {pointer, pointer, pointer});
  frame = Frame();
  frame.function = b.create<LLVM::LLVMFuncOp>(loc, name, type);
  Block *block = frame.function.addEntryBlock(b);
  frame.context = block->getArgument(0);
  frame.buffers = block->getArgument(1);
  frame.sizes = block->getArgument(2);
  b.setInsertionPointToEnd(block);
  frame.sharedSlots = b.create<LLVM::AllocaOp>(
      loc, pointer, LLVM::LLVMArrayType::get(b.getI64Type(), 1), i64(1), 8);
}

void EntryLowering::closeFunction() {
  frame.sharedSlots.setElemType(LLVM::LLVMArrayType::get(b.getI64Type(), frame.numSharedSlots));
}

// A function of straight code that runs once a call: the fast instruction selector does. A part of
// the entry function returns whether the call is over.
LogicalResult EntryLowering::emitStraight(StringRef functionName, bool isPart,
                                          llvm::function_ref<LogicalResult()> body) {
  openFunction(functionName,
               isPart ? Type(b.getI32Type()) : LLVM::LLVMVoidType::get(b.getContext()));
  LLVM::LLVMFuncOp function = frame.function;
  function.setNoInline(true);
  function.setOptimizeNone(true);
  auto leave = [&](bool isOver) -> Operation * {
    SmallVector<Value, 1> results;
    if (isPart)
      results.push_back(b.create<arith::ConstantIntOp>(loc, isOver, 32));
    return b.create<LLVM::ReturnOp>(loc, results);
  };
  b.setInsertionPoint(leave(false));
  Block *early = exit = new Block;
  function.getBody().push_back(early);
  LogicalResult done = body();
  closeFunction();
  if (early->hasNoPredecessors()) {
    early->erase();
  } else { // stands last
    early->moveBefore(&function.getBody(), function.getBody().end());
    b.setInsertionPointToEnd(early);
    leave(true);
  }
  return done;
}

// A kernel, a loop or a branch of the graph.
static bool isNode(Operation &op) {
  return isa<host::LaunchOp, host::CallOp, host::LoopOp, scf::IfOp>(op);
}

// The ops from `op` on, as many as a part holds, as a function of their own that is called here.
LogicalResult EntryLowering::callPart(StringRef partName, Block::iterator &op,
                                      Block::iterator end) {
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer, pointer});
  Value isOver = b.create<LLVM::CallOp>(loc, type, partName,
                                        ValueRange{frame.context, frame.buffers, frame.sizes})
                     .getResult();
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
  leaveUnless(b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, isOver, zero));
  OpBuilder::InsertionGuard guard(b);
  Frame entry = std::move(frame);
  Block *entryExit = exit;
  LogicalResult done = emitStraight(partName, /*isPart=*/true, [&] {
    for (int64_t nodes = 0; op != end && nodes < mostNodesOfPart; ++op) {
      if (failed(lower(&*op)))
        return failure();
      nodes += isNode(*op);
    }
    return success();
  });
  frame = std::move(entry);
  exit = entryExit;
  return done;
}

LogicalResult EntryLowering::emitFunction() {
  Block &block = program.getBody().front();
  if (llvm::count_if(block, isNode) <= mostNodesOfPart)
    return lowerBlock(block);
  auto op = block.begin(), end = block.end();
  for (int64_t part = 0; op != end; ++part)
    if (failed(callPart((name + ".part_" + Twine(part)).str(), op, end)))
      return failure();
  return success();
}

// Those that the device takes.
LogicalResult EntryLowering::lowerResidentLoops() {
  int64_t number = 0;
  WalkResult walk = program.walk([&](host::LoopOp loop) -> WalkResult {
    if (!loop.getResident())
      return WalkResult::advance();
    if (description.beforeKernel && failed(description.beforeKernel(loop.getLoc())))
      return failure();
    FailureOr<LoopFunction> made =
        loopsOnDevice(loop, kernels, (name + ".resident_" + Twine(number++)).str());
    if (failed(made))
      return failure();
    if (made->function)
      residentLoops[loop] = std::move(*made);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

// Each for whoever runs it.
LogicalResult EntryLowering::lowerKernels() {
  if (loopsOnDevice && failed(lowerResidentLoops()))
    return failure();
  llvm::DenseSet<int64_t> launched, called;
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<host::Work> work = host::workOf(op))
      (onDevice && isa<host::LaunchOp>(op) ? launched : called).insert(work->kernel);
    return residentLoops.contains(op) ? WalkResult::skip() : WalkResult::advance();
  });
  auto lower = [&](KernelLibrary &by, const llvm::DenseSet<int64_t> &numbers) -> LogicalResult {
    SmallVector<KernelLibrary::Numbered> own;
    for (auto [number, kernel] : llvm::enumerate(kernels))
      if (numbers.contains(int64_t(number)))
        own.push_back({int64_t(number), kernel});
    if (failed(by.lower(own, description.beforeKernel)))
      return failure();
    for (auto [number, kernel] : own)
      description.plans[kernel] = description.plans.lookup(by.first(kernel));
    return success();
  };
  if (onDevice && failed(lower(*onDevice, launched)))
    return failure();
  return lower(library, called);
}

LogicalResult EntryLowering::run() {
  numberBuffers();
  if (failed(lowerKernels()) ||
      failed(emitStraight(name, /*isPart=*/false, [&] { return emitFunction(); })))
    return failure();
  description.uniqueKernels =
      library.size() + (onDevice ? onDevice->size() : 0) + residentLoops.size();
  return success();
}

LogicalResult keratin::codegen::lowerFunction(func::FuncOp function, host::ProgramOp program,
                                              ModuleOp into, StringRef name, KernelLowering onHost,
                                              EntryDescription &description,
                                              const DeviceModule *device) {
  return EntryLowering(function, program, into, name, std::move(onHost), description, device).run();
}
