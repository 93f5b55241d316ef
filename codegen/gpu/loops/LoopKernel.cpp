#include "codegen/gpu/loops/LoopKernel.h"

#include "codegen/gpu/ptx/KernelEntry.h"
#include "codegen/gpu/threads/GridBarrier.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;

//===-- Meeting -------------------------------------------------------------------------------===//

void LoopKernel::meet() {
  if (!haveMet)
    GridBarrier(b, loc).wait();
  haveMet = true;
}

Value LoopKernel::ask(llvm::function_ref<Value()> question) {
  haveMet = true;
  return GridBarrier(b, loc).ask(question);
}

// Whether something has failed.
Value LoopKernel::readFailure() {
  Value address = launchParameter(b, loc, KERATIN_CUDA_FAILURE);
  Value place = b.create<LLVM::IntToPtrOp>(
      loc, LLVM::LLVMPointerType::get(b.getContext(), globalMemory), address);
  Value site = b.create<LLVM::LoadOp>(loc, b.getI32Type(), place, 4, /*isVolatile=*/true);
  Value none = b.create<arith::ConstantIntOp>(loc, int32_t(KERATIN_CUDA_NO_FAILURE), 32);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, site, none);
}

Value LoopKernel::readAnew(Value value) {
  const bool isPlace = value.getType() == pointer;
  Type type = isPlace ? LLVM::LLVMPointerType::get(b.getContext(), globalMemory) : value.getType();
  if (isPlace)
    value = b.create<LLVM::AddrSpaceCastOp>(loc, type, value);
  value = b.create<LLVM::InlineAsmOp>(loc, TypeRange{type}, ValueRange{value}, "mov.u64 $0, $1;",
                                      "=l,l", /*has_side_effects=*/true, /*is_align_stack=*/false,
                                      LLVM::AsmDialectAttr(), ArrayAttr())
              .getResult(0);
  return isPlace ? b.create<LLVM::AddrSpaceCastOp>(loc, pointer, value).getResult() : value;
}

//===-- What the host's program says ----------------------------------------------------------===//

void LoopKernel::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      lower(&op);
}

void LoopKernel::lower(Operation *op) {
  loc = op->getLoc();
  if (isa<host::ArgumentOp, host::ResultOp, host::ConstantOp, host::MemoryOp, host::SizeOp,
          arith::ConstantOp>(op))
    return; // the same in all steps
  if (auto launch = dyn_cast<host::LaunchOp>(op))
    return lower(launch);
  if (auto copy = dyn_cast<host::CopyOp>(op))
    return lower(copy);
  if (auto write = dyn_cast<host::WriteOp>(op))
    return lower(write);
  if (auto inner = dyn_cast<host::LoopOp>(op))
    return lowerBlock(inner.getBody().front());
  if (auto steps = dyn_cast<scf::ForOp>(op))
    return lower(steps);
  if (auto steps = dyn_cast<scf::WhileOp>(op))
    return lower(steps);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lower(branch);
  auto becomes = [&](Value made) { values.set(op->getResult(0), made); };
  if (Value base = LoopValues::baseOf(op))
    return becomes(values.placeBehind(values.of(base), op));
  if (auto differs = dyn_cast<host::DiffersOp>(op))
    return becomes(b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, values.of(differs.getA()),
                                          values.of(differs.getB())));
  if (isa<host::SoundOp>(op)) {
    Value failed = ask([&] { return readFailure(); });
    Value yes = b.create<arith::ConstantIntOp>(loc, 1, 1);
    return becomes(b.create<arith::XOrIOp>(loc, failed, yes));
  }
  if (auto read = dyn_cast<host::ReadOp>(op)) {
    Value place = values.of(read.getPlace());
    return becomes(ask([&]() -> Value {
      Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), place, 1, /*isVolatile=*/true);
      Value zero = b.create<arith::ConstantIntOp>(loc, 0, 8);
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, zero);
    }));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return becomes(b.create<LLVM::SelectOp>(loc, values.of(select.getCondition()),
                                            values.of(select.getTrueValue()),
                                            values.of(select.getFalseValue())));
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, values.of(operand));
  becomes(b.clone(*op, mapping)->getResult(0));
}

//===-- The function --------------------------------------------------------------------------===//

LoopKernel::LoopKernel(const LoopPlan &plan, const KernelLibrary &library,
                       ArrayRef<ir::KernelOp> kernels, ModuleOp into)
    : plan(plan), library(library), kernels(kernels), loop(plan.loop),
      b(OpBuilder::atBlockEnd(into.getBody())), loc(loop.getLoc()), values(b, loc), grid(b, loc) {}

// Behind a guard nothing is done after a failure.
LoopFunction LoopKernel::emit(StringRef name) {
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, b.getI64Type(), b.getI64Type()});
  result.function = b.create<LLVM::LLVMFuncOp>(loc, name, type);
  Block *entry = result.function.addEntryBlock(b);
  context = entry->getArgument(0);
  b.setInsertionPointToStart(entry);
  auto leave = b.create<LLVM::ReturnOp>(loc, ValueRange{});
  b.setInsertionPoint(leave);
  Value guarded = launchParameter(b, loc, KERATIN_CUDA_GUARDED);
  Value looks = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, guarded, i64(0));
  Value goesOn = b.create<arith::ConstantIntOp>(loc, 1, 1);
  auto look = b.create<scf::IfOp>(loc, TypeRange{b.getI1Type()}, looks, /*withElseRegion=*/true);
  auto all = b.create<scf::IfOp>(loc, look.getResult(0), /*withElseRegion=*/false);
  values.begin(entry->getArgument(1), look);
  b.setInsertionPointToStart(look.thenBlock());
  Value failed = GridBarrier(b, loc).ask([&] { return readFailure(); });
  b.create<scf::YieldOp>(loc, Value(b.create<arith::XOrIOp>(loc, failed, goesOn)));
  b.setInsertionPointToStart(look.elseBlock());
  b.create<scf::YieldOp>(loc, goesOn);
  b.setInsertionPointToStart(all.thenBlock());
  haveMet = true; // nobody has done anything
  lowerBlock(loop.getBody().front());
  result.arguments = values.takeArguments();
  return std::move(result);
}
