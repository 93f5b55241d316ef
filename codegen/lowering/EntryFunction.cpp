#include "codegen/lowering/EntryFunction.h"

#include "codegen/lowering/EntryLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace host = keratin::host;

// LLVM takes the square of the length of straight code. What stands between two calls of parts is
// not shared, which costs as little as these calls.
static constexpr int64_t mostNodesOfPart = 256;

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
  return isa<host::LaunchOp, host::CallOp, host::StartCollectiveOp, host::LoopOp, scf::IfOp>(op);
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

LogicalResult EntryLowering::run() {
  numberBuffers();
  if (description.isFreestanding)
    declareFailFunction(into);
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
