// Loops, branches and copies of the entry function.
#include "codegen/lowering/EntryLowering.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace keratin::codegen;
using namespace mlir;
namespace host = keratin::host;
namespace ir = keratin::ir;

Type EntryLowering::typeOf(Type type) { return isa<host::PlaceType>(type) ? pointer : type; }

//===-- Branches ------------------------------------------------------------------------------===//

LogicalResult EntryLowering::lower(scf::IfOp op) {
  Value condition = valueOf(op.getCondition());
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(typeOf(type));
  bool hasElse = op.elseBlock();
  auto branch = types.empty() ? b.create<scf::IfOp>(loc, condition, hasElse)
                              : b.create<scf::IfOp>(loc, types, condition, hasElse);
  OpBuilder::InsertionGuard guard(b);
  bool wasConditional = frame.isConditional;
  frame.isConditional |= !frame.isLoop();
  auto fill = [&](Block *from, Block *to) {
    b.setInsertionPointToStart(to);
    if (failed(lowerBlock(*from)))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : from->getTerminator()->getOperands())
      yielded.push_back(valueOf(value));
    if (!yielded.empty())
      b.create<scf::YieldOp>(loc, yielded);
    return success();
  };
  LogicalResult thenDone = fill(op.thenBlock(), branch.thenBlock());
  LogicalResult elseDone = hasElse ? fill(op.elseBlock(), branch.elseBlock()) : success();
  frame.isConditional = wasConditional;
  for (auto [result, value] : llvm::zip(op.getResults(), branch.getResults()))
    frame.values[result] = value;
  return success(succeeded(thenDone) && succeeded(elseDone));
}

//===-- Loops ---------------------------------------------------------------------------------===//

// An outermost loop: a function of its own, called from the entry function.
LogicalResult EntryLowering::callLoop(host::LoopOp op) {
  std::string loopName = name + ".loop_" + std::to_string(loops++);
  auto type = frame.function.getFunctionType();
  b.create<LLVM::CallOp>(loc, type, loopName,
                         ValueRange{frame.context, frame.buffers, frame.sizes});
  OpBuilder::InsertionGuard guard(b);
  Frame entry = std::move(frame);
  openFunction(loopName, LLVM::LLVMVoidType::get(b.getContext()));
  frame.function.setLinkage(LLVM::Linkage::Internal);
  op->walk([&](host::DefineSizeOp define) { frame.ownSymbols.insert(define.getSymbol()); });
  auto body = new Block;
  frame.function.getBody().push_back(body);
  frame.prologueEnd = b.create<LLVM::BrOp>(loc, body);
  b.setInsertionPointToEnd(body);
  auto end = b.create<LLVM::ReturnOp>(loc, ValueRange{});
  b.setInsertionPoint(end);
  LogicalResult done = lowerBlock(op.getBody().front());
  closeFunction();
  frame = std::move(entry);
  return done;
}

// One that the device does by itself: what its function is given, and a launch. For a profile it is
// its first kernel, of which it says how many run with it.
void EntryLowering::launchLoop(host::LoopOp op, const LoopFunction &made) {
  SmallVector<int64_t> steps;
  op->walk([&](host::LaunchOp launch) {
    steps.push_back(launch.getKernel());
    ++description.kernels;
    description.kernelFunctions[launch.getKernel()] =
        LLVM::LLVMFuncOp(made.function).getSymName().str();
  });
  SmallVector<Value> values;
  for (const LoopArgument &argument : made.arguments)
    values.push_back(argument.value ? valueOf(argument.value) : argumentOf(*argument.ofKernel));
  // All have eight bytes.
  for (Value &value : values)
    if (value.getType().isInteger(1))
      value = b.create<arith::ExtUIOp>(loc, b.getI64Type(), value);
  Value slots = argumentSlots(values.size());
  for (auto [slot, value] : llvm::enumerate(values))
    storeArgument(slots, slot, value);
  if (description.profile) {
    description.kernelNames[steps.front()].work +=
        " (" + std::to_string(steps.size()) + " kernels a step)";
    tellProfile(steps.front(), /*end=*/false);
  }
  launchOnDevice(made.function, values, slots, count(made.countBlocks), i64(1), /*stream=*/0);
  if (description.profile)
    tellProfile(steps.front(), /*end=*/true);
}

LogicalResult EntryLowering::lower(scf::ForOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInitArgs())
    init.push_back(valueOf(value));
  Value begin = valueOf(op.getLowerBound()), end = valueOf(op.getUpperBound());
  auto loop = b.create<scf::ForOp>(loc, begin, end, valueOf(op.getStep()), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (auto [argument, value] :
       llvm::zip(op.getBody()->getArguments(), loop.getBody()->getArguments()))
    frame.values[argument] = value;
  llvm::SaveAndRestore inside(frame.step, loop.getInductionVar());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  SmallVector<Value> next;
  for (Value value : op.getYieldedValues())
    next.push_back(valueOf(value));
  if (!init.empty())
    b.create<scf::YieldOp>(loc, next);
  for (auto [result, value] : llvm::zip(op.getResults(), loop.getResults()))
    frame.values[result] = value;
  return success();
}

LogicalResult EntryLowering::lower(scf::WhileOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInits())
    init.push_back(valueOf(value));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(typeOf(type));
  auto loop = b.create<scf::WhileOp>(loc, types, init);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *from, Region &to) -> FailureOr<SmallVector<Value>> {
    SmallVector<Type> arguments;
    for (Type type : from->getArgumentTypes())
      arguments.push_back(typeOf(type));
    SmallVector<Location> locations(arguments.size(), loc);
    Block *block = b.createBlock(&to, {}, arguments, locations);
    for (auto [argument, value] : llvm::zip(from->getArguments(), block->getArguments()))
      frame.values[argument] = value;
    // Loops of the graph carry the number of the step before all else.
    const bool isCounted = !arguments.empty() && arguments.front().isInteger(64);
    llvm::SaveAndRestore inside(frame.step, isCounted ? block->getArgument(0) : Value());
    if (failed(lowerBlock(*from)))
      return failure();
    SmallVector<Value> values;
    for (Value value : from->getTerminator()->getOperands())
      values.push_back(valueOf(value));
    return values;
  };
  FailureOr<SmallVector<Value>> condition = fill(op.getBeforeBody(), loop.getBefore());
  if (failed(condition))
    return failure();
  b.create<scf::ConditionOp>(loc, condition->front(), ArrayRef<Value>(*condition).drop_front());
  FailureOr<SmallVector<Value>> next = fill(op.getAfterBody(), loop.getAfter());
  if (failed(next))
    return failure();
  b.create<scf::YieldOp>(loc, *next);
  for (auto [result, value] : llvm::zip(op.getResults(), loop.getResults()))
    frame.values[result] = value;
  return success();
}

//===-- Copies --------------------------------------------------------------------------------===//

Value EntryLowering::staging(host::StagingOp op) {
  return callRuntime(offsetof(keratin_runtime_functions_t, staging), pointer,
                     {sizeOf(op.getBytes().getDims().front())});
}

// A copy of which at least one side is on a device.
void EntryLowering::transfer(Operation *op) {
  size_t function = isa<host::FetchOp>(op)  ? offsetof(keratin_runtime_functions_t, fetch)
                    : isa<host::SendOp>(op) ? offsetof(keratin_runtime_functions_t, send)
                                            : offsetof(keratin_runtime_functions_t, copy);
  Value from = valueOf(op->getOperand(0)), to = valueOf(op->getOperand(1));
  Value bytes = sizeOf(op->getAttrOfType<ir::DimsAttr>("bytes").getDims().front());
  transferBytes(function, to, from, bytes, op->getAttrOfType<IntegerAttr>("stream").getInt());
}

void EntryLowering::transferBytes(size_t function, Value to, Value from, Value bytes,
                                  int64_t stream) {
  callRuntime(function, Type(), {to, from, bytes, i32(stream)});
}

// memcpy: generated code calls nothing of the C library.
void EntryLowering::copy(host::CopyOp op) {
  if (onDevice)
    return transfer(op);
  constexpr int64_t width = 32;
  if (!copyFunction) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(into.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, pointer, b.getI64Type()});
    copyFunction = b.create<LLVM::LLVMFuncOp>(loc, name + ".copy", type, LLVM::Linkage::Internal);
    Block *block = copyFunction.addEntryBlock(b);
    b.setInsertionPointToEnd(block);
    Value count = block->getArgument(2);
    Value whole = b.create<arith::AndIOp>(loc, count, i64(-width));
    auto move = [&](Value begin, Value end, int64_t step, Type unit) {
      auto loop = b.create<scf::ForOp>(loc, begin, end, i64(step));
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(loop.getBody());
      Value source = offsetBy(block->getArgument(1), loop.getInductionVar());
      Value target = offsetBy(block->getArgument(0), loop.getInductionVar());
      b.create<LLVM::StoreOp>(loc, b.create<LLVM::LoadOp>(loc, unit, source, 1), target, 1);
    };
    move(i64(0), whole, width, VectorType::get({width}, b.getI8Type()));
    move(whole, count, 1, b.getI8Type());
    b.create<LLVM::ReturnOp>(loc, ValueRange{});
  }
  Value to = valueOf(op.getTo()), from = valueOf(op.getFrom());
  b.create<LLVM::CallOp>(loc, copyFunction,
                         ValueRange{to, from, sizeOf(op.getBytes().getDims().front())});
}
