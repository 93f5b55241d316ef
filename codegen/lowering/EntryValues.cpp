// Sizes, buffers and places of the host program as native values, and calls of the runtime.
#include "codegen/lowering/EntryLowering.h"
#include "codegen/lowering/KernelKind.h"
#include "ir/dialect/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace codegen = keratin::codegen;
namespace ir = keratin::ir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

Value EntryLowering::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

Value EntryLowering::i32(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

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
// in place, constants, and the memories of the plan.
void EntryLowering::numberBuffers() {
  ir::Signature signature(source);
  memories = ir::memoriesOf(source);
  host::NumberedOps numbered = host::numberedOpsOf(source);
  kernels = numbered.kernels;
  description.kernelFunctions.resize(kernels.size());
  for (ir::KernelOp kernel : kernels) {
    description.kernelNames.push_back(ir::nameOf(kernel));
    description.numCollectives += kindOf(kernel) == KernelKind::Collective;
  }
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
