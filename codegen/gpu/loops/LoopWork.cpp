// What the blocks of a resident loop do together: the units of kernels, copies, numbers they write.
#include "codegen/gpu/loops/LoopKernel.h"

#include "codegen/lowering/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

void LoopKernel::byThreads(Value from, Value to, Value first, Value step,
                           llvm::function_ref<void(Value)> body) {
  Value begin = b.create<arith::AddIOp>(loc, from, first);
  auto units = b.create<scf::ForOp>(loc, begin, to, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(units.getBody());
  body(units.getInductionVar());
}

// Each beginning of places once a kernel; the rest follows from them.
Value LoopKernel::placeAnew(Value place, llvm::DenseMap<Value, Value> &beginnings) {
  if (Value number = numbers.lookup(place))
    return number;
  Operation *op = place.getDefiningOp();
  if (Value base = LoopValues::baseOf(op))
    return values.placeBehind(placeAnew(base, beginnings), op);
  Value beginning = values.of(place);
  Value &anew = beginnings[beginning];
  if (!anew)
    anew = readAnew(beginning);
  return anew;
}

// In the slots of the kernel's argv.
void LoopKernel::writeArguments(host::LaunchOp op, const KernelFunction &kernel, Value slots) {
  llvm::DenseMap<Value, Value> beginnings;
  for (auto [slot, argument] : llvm::enumerate(kernel.arguments)) {
    Value value;
    switch (argument.kind) {
    case KernelArgument::Kind::Input:
      value = placeAnew(op.getInputs()[argument.index], beginnings);
      break;
    case KernelArgument::Kind::Output:
      value = placeAnew(op.getOutputs()[argument.index], beginnings);
      break;
    case KernelArgument::Kind::Size:
      value = values.sizeOf(argument.size);
      break;
    case KernelArgument::Kind::Site:
      value = values.argument({{}, argument}, b.getI64Type());
      break;
    case KernelArgument::Kind::Number:
      value = i64(int64_t(argument.number));
      break;
    case KernelArgument::Kind::Step:
      llvm_unreachable("kernels of devices do not ask for it");
    }
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), slots,
                                          ArrayRef<LLVM::GEPArg>{int32_t(slot)});
    b.create<LLVM::StoreOp>(loc, value, address);
  }
}

// The units of a kernel, in strides of the grid. Threads that do a unit together count as one, and
// so do blocks. A block has its arguments anew for each unit, beside which they are nothing;
// threads do short ones, and keep what follows from them.
void LoopKernel::lower(host::LaunchOp op) {
  meet();
  const KernelFunction &kernel = library.get(kernels[op.getKernel()]);
  auto function = LLVM::LLVMFuncOp(kernel.function);
  Value slots = values.hoisted([&]() -> Value {
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), kernel.arguments.size());
    return b.create<LLVM::AllocaOp>(loc, pointer, type, i64(1), 8);
  });
  auto size = [&](const DimExpr &size) { return values.sizeOf(size); };
  Value units = kernel.countUnits ? kernel.countUnits(b, loc, size) : values.sizeOf(kernel.units);
  auto doUnit = [&](Value unit) {
    Value next = b.create<arith::AddIOp>(loc, unit, i64(1), arith::IntegerOverflowFlags::nsw);
    b.create<LLVM::CallOp>(loc, function, ValueRange{context, slots, unit, next});
  };
  const DevicePlan &form = *plan.plans.lookup(int64_t(op.getKernel()));
  if (unsigned ofBlock = LoopPlan::threadsOfUnit(form)) {
    Value isOne =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, grid.threadOfBlock(), i64(ofBlock));
    auto some = b.create<scf::IfOp>(loc, isOne, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(some.thenBlock());
    byThreads(i64(0), units, grid.block(), grid.blocks(), [&](Value unit) {
      writeArguments(op, kernel, slots);
      doUnit(readAnew(unit));
    });
  } else {
    writeArguments(op, kernel, slots);
    Value shift = i64(llvm::Log2_64(form.unitThreads));
    Value first = b.create<arith::ShRUIOp>(loc, grid.thread(), shift);
    Value step = b.create<arith::ShRUIOp>(loc, grid.threads(), shift);
    byThreads(i64(0), units, first, step, doUnit);
  }
  haveMet = false;
}

// Words of eight bytes where both places have them, and the rest by bytes.
void LoopKernel::lower(host::CopyOp op) {
  meet();
  Value from = values.of(op.getFrom()), to = values.of(op.getTo());
  Value bytes = values.sizeOf(op.getBytes().getDims().front());
  auto number = [&](Value place) -> Value {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), place);
  };
  Value together = b.create<arith::OrIOp>(loc, number(from), number(to));
  Value low = b.create<arith::AndIOp>(loc, together, i64(7));
  Value isAligned = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, low, i64(0));
  Value words = b.create<arith::AndIOp>(loc, bytes, i64(-8));
  Value whole = b.create<arith::SelectOp>(loc, isAligned, words, i64(0));
  Value thread = grid.thread(), threads = grid.threads();
  auto move = [&](Value begin, Value end, int64_t width) {
    Value own = b.create<arith::MulIOp>(loc, thread, i64(width));
    Value step = b.create<arith::MulIOp>(loc, threads, i64(width));
    Type type = b.getIntegerType(unsigned(width) * 8);
    byThreads(begin, end, own, step, [&](Value at) {
      Value value = b.create<LLVM::LoadOp>(loc, type, values.offsetBy(from, at), unsigned(width));
      b.create<LLVM::StoreOp>(loc, value, values.offsetBy(to, at), unsigned(width));
    });
  };
  move(i64(0), whole, 8);
  move(whole, bytes, 1);
  haveMet = false;
}

// Whether loop nests are all that reads the number, by this very place: then it need be in no
// memory. Other kernels compute where they read.
bool LoopKernel::isInRegister(host::WriteOp op) {
  Value place = op.getPlace();
  for (OpOperand &use : place.getUses()) {
    auto launch = dyn_cast<host::LaunchOp>(use.getOwner());
    bool isRead = launch && loop->isAncestor(launch) &&
                  use.getOperandNumber() < launch.getInputs().size() &&
                  kindOf(kernels[launch.getKernel()]) == KernelKind::Loop;
    if (!isRead && use.getOwner() != op)
      return false;
  }
  auto at = place.getDefiningOp<host::AtOp>();
  auto memory = at ? at.getBase().getDefiningOp<host::MemoryOp>() : host::MemoryOp();
  if (!memory)
    return false;
  bool hasOther = false;
  loop->getParentOfType<host::ProgramOp>().walk([&](host::AtOp other) {
    auto same = other.getBase().getDefiningOp<host::MemoryOp>();
    hasOther |=
        other != at && same && same.getNumber() == memory.getNumber() &&
        other.getOffset() == at.getOffset() &&
        llvm::any_of(other->getUsers(), [&](Operation *user) { return loop->isAncestor(user); });
  });
  return !hasOther;
}

void LoopKernel::lower(host::WriteOp op) {
  Value number = values.of(op.getValue());
  if (isInRegister(op)) {
    Value place = values.hoisted([&]() -> Value {
      return b.create<LLVM::AllocaOp>(loc, pointer, b.getI64Type(), i64(1), 8);
    });
    b.create<LLVM::StoreOp>(loc, number, place);
    numbers[op.getPlace()] = place;
    return;
  }
  meet();
  Value place = values.of(op.getPlace());
  byThreads(i64(0), i64(1), grid.thread(), i64(1),
            [&](Value) { b.create<LLVM::StoreOp>(loc, number, place); });
  haveMet = false;
}
