// Kernels of the entry function: lowered, each for whoever runs it, and called.
#include "codegen/lowering/EntryLowering.h"
#include "ir/dialect/SiteMessage.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

// Elementary operations from which on handing chunks to threads pays (a fork and join costs about
// as much as 4 us of work).
static constexpr int64_t parallelWork = 1 << 18;

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
  if (!several || description.isFreestanding ||
      (kernel.work.isConstant() && kernel.work.constantValue() < parallelWork))
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

void EntryLowering::callLastUnit(const KernelFunction &kernel, Value slots, bool hasOwnSize) {
  auto function = LLVM::LLVMFuncOp(kernel.function);
  Value units = hoistedIf(!hasOwnSize, [&] { return countUnits(kernel); });
  Value end = b.create<arith::AddIOp>(loc, units, i64(1));
  b.create<LLVM::CallOp>(loc, function, ValueRange{frame.context, slots, units, end});
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
  if (argument.kind == KernelArgument::Kind::Step)
    return frame.step ? frame.step : hoisted([&] { return i64(0); });
  assert(argument.kind == KernelArgument::Kind::Site && "tensors are places");
  mayHaveFailed = true;
  description.sites.push_back(argument);
  std::string &message = description.sites.back().message;
  if (siteNumbers + ir::toldElements(message) >= INT32_MAX)
    message = ir::tellNone(message);
  const int64_t behind = ir::toldElements(message) - 1;
  Value site = hoisted([&] { return i64(siteNumbers | behind << 32); });
  siteNumbers += 1 + behind;
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
  if (kernel.hasLastUnit)
    callLastUnit(kernel, slots, hasOwnSize);
  if (description.profile)
    tellProfile(work.kernel, /*end=*/true);
}
