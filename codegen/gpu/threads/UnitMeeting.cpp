#include "codegen/gpu/threads/UnitMeeting.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

// Each kind of value begins on a multiple of the widest access.
static constexpr int64_t alignment = 16;

UnitMeeting::UnitMeeting(DeviceKernelBuilder &k, const DevicePlan &plan, ThreadMeeting &threads,
                         ArrayRef<int64_t> slots, unsigned columns)
    : k(k), meeting(k, plan), threads(threads), slots(slots), columns(columns) {}

int64_t UnitMeeting::partBytes(ArrayRef<int64_t> slots, unsigned columns) {
  int64_t bytes = 0;
  for (int64_t slot : slots)
    bytes += roundUp(slot * columns, alignment);
  return bytes;
}

Value UnitMeeting::slot(Value unit, unsigned number) {
  OpBuilder &b = k.b;
  Value place = b.create<arith::MulIOp>(k.loc, threads.column(), k.i64(slots[number]));
  int64_t before = partBytes(ArrayRef<int64_t>(slots).take_front(number), columns);
  place = b.create<arith::AddIOp>(k.loc, place, k.i64(before));
  Value part = meeting.part(unit);
  return b.create<LLVM::GEPOp>(k.loc, part.getType(), b.getI8Type(), part,
                               ArrayRef<LLVM::GEPArg>{place});
}

void UnitMeeting::leave(Value unit, ArrayRef<Value> values) {
  Value isFirst =
      k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, threads.row(), k.i64(0));
  LoopEmitter(k.b, k.loc, k.target).branch(isFirst, [&] {
    for (auto [number, value] : llvm::enumerate(values))
      Slot::store(k.b, k.loc, value, slot(unit, unsigned(number)));
  });
}

SmallVector<Value> UnitMeeting::left(Value unit, ArrayRef<Value> like) {
  SmallVector<Value> values;
  for (auto [number, value] : llvm::enumerate(like))
    values.push_back(Slot::load(k.b, k.loc, value.getType(), slot(unit, unsigned(number))));
  return values;
}
