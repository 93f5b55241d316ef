// What each op of the host program becomes.
#include "codegen/lowering/EntryLowering.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace keratin::codegen;
using namespace mlir;
namespace host = keratin::host;

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

// Whether something has failed on another rank, so that it counts as failed here.
void EntryLowering::askRanks() {
  callRuntime(offsetof(keratin_runtime_functions_t, agree), nullptr, {});
}

// A profile shows it as the kernel's second time.
void EntryLowering::wait(host::WaitCollectiveOp op) {
  int64_t kernel = int64_t(op.getKernel());
  if (description.profile)
    tellProfile(kernel, /*end=*/false);
  callRuntime(offsetof(keratin_runtime_functions_t, wait_collective), nullptr, {});
  if (description.profile)
    tellProfile(kernel, /*end=*/true);
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

Value EntryLowering::mustPrepare() {
  Value prepares = contextField(offsetof(keratin_context_t, prepares), b.getI64Type());
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, prepares, i64(0));
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
  if (auto wait = dyn_cast<host::WaitCollectiveOp>(op))
    return this->wait(wait), success();
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
  if (isa<host::MustPrepareOp>(op))
    return becomes(mustPrepare());
  if (isa<host::CheckOp>(op)) {
    if (description.numCollectives > 0)
      askRanks();
    if (mayHaveFailed || description.numCollectives > 0) // by what code called before can tell
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
