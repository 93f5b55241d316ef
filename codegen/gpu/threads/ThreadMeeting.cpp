#include "codegen/gpu/threads/ThreadMeeting.h"

#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;

//===-- Slots ---------------------------------------------------------------------------------===//

static constexpr unsigned slotBits = 32, widestAccess = 16;

static Type withElement(Type registers, Type element) {
  auto vector = dyn_cast<VectorType>(registers);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

static Type storedAs(Type registers) {
  Type element = getElementTypeOrSelf(registers);
  bool isNarrow = element.getIntOrFloatBitWidth() < slotBits;
  return isNarrow ? withElement(registers, IntegerType::get(registers.getContext(), slotBits))
                  : registers;
}

int64_t Slot::bytes(Type elementType, unsigned lanes) {
  return int64_t(std::max(slotBits, elementType.getIntOrFloatBitWidth()) / 8) * lanes;
}

int64_t Slot::bytes(Type registers) {
  auto vector = dyn_cast<VectorType>(registers);
  return bytes(getElementTypeOrSelf(registers), vector ? unsigned(vector.getNumElements()) : 1);
}

// A power of two divides every offset.
static unsigned alignmentOf(Type registers) {
  return unsigned(std::gcd(Slot::bytes(registers), int64_t(widestAccess)));
}

void Slot::store(OpBuilder &b, Location loc, Value value, Value pointer) {
  Type type = value.getType(), stored = storedAs(type);
  if (stored != type)
    value = b.create<arith::ExtUIOp>(loc, stored, value);
  b.create<LLVM::StoreOp>(loc, value, pointer, alignmentOf(type));
}

Value Slot::load(OpBuilder &b, Location loc, Type registers, Value pointer) {
  Type stored = storedAs(registers);
  Value value = b.create<LLVM::LoadOp>(loc, stored, pointer, alignmentOf(registers));
  return stored == registers ? value : b.create<arith::TruncIOp>(loc, registers, value).getResult();
}

//===-- Threads -------------------------------------------------------------------------------===//

ThreadMeeting::ThreadMeeting(OpBuilder &b, Location loc, unsigned columns, unsigned rows)
    : b(b), loc(loc), columns(columns), rows(rows),
      warp(b, loc, std::min(warpThreads, columns * rows)), block(b, loc) {}

unsigned ThreadMeeting::rowsOfWarp(unsigned columns, unsigned rows) {
  return columns < warpThreads ? std::min(rows, warpThreads / columns) : 1;
}

// Each kind of value begins on a multiple of the widest access.
static int64_t bytesOfAll(int64_t slot, unsigned columns, unsigned groups) {
  return roundUp(slot * columns * groups, widestAccess);
}

int64_t ThreadMeeting::sharedBytes(ArrayRef<int64_t> slots, unsigned columns, unsigned rows) {
  int64_t bytes = 0;
  if (columns * rows > warpThreads)
    for (int64_t slot : slots)
      bytes += bytesOfAll(slot, columns, rows / rowsOfWarp(columns, rows));
  return bytes;
}

Value ThreadMeeting::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

Value ThreadMeeting::thread() {
  if (columns * rows == 1)
    return i64(0);
  return columns * rows <= warpThreads ? warp.lane() : block.thread();
}

Value ThreadMeeting::column() {
  return columns == 1 ? i64(0) : b.create<arith::AndIOp>(loc, thread(), i64(columns - 1));
}

Value ThreadMeeting::row() {
  return rows == 1 ? i64(0) : b.create<arith::DivUIOp>(loc, thread(), i64(columns));
}

Value ThreadMeeting::eachLane(Value value, llvm::function_ref<Value(Value)> exchange) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return exchange(value);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    Value element = exchange(b.create<vector::ExtractOp>(loc, value, ArrayRef<int64_t>{lane}));
    value = b.create<vector::InsertOp>(loc, element, value, ArrayRef<int64_t>{lane});
  }
  return value;
}

Value ThreadMeeting::slot(int64_t offset, Value group, Type type) {
  Value place = b.create<arith::MulIOp>(loc, group, i64(columns));
  place = b.create<arith::AddIOp>(loc, place, column());
  place = b.create<arith::MulIOp>(loc, place, i64(Slot::bytes(type)));
  Value memory = block.memory();
  return b.create<LLVM::GEPOp>(
      loc, memory.getType(), b.getI8Type(), memory,
      ArrayRef<LLVM::GEPArg>{b.create<arith::AddIOp>(loc, place, i64(offset)).getResult()});
}

ThreadMeeting::Values ThreadMeeting::meetInBlock(ArrayRef<Value> own, Combine combine) {
  unsigned groupRows = rowsOfWarp(columns, rows), groups = rows / groupRows;
  SmallVector<int64_t> offsets;
  int64_t offset = 0;
  for (Value value : own) {
    offsets.push_back(offset);
    offset += bytesOfAll(Slot::bytes(value.getType()), columns, groups);
  }
  // What was there before has been read, in this unit or in the one before.
  if (!isFree)
    block.barrier();
  isFree = false;
  auto store = [&] {
    Value group = b.create<arith::DivUIOp>(loc, row(), i64(groupRows));
    for (auto [value, at] : llvm::zip(own, offsets))
      Slot::store(b, loc, value, slot(at, group, value.getType()));
  };
  if (groupRows == 1) {
    store();
  } else {
    Value isFirst =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, warp.lane(), i64(columns));
    auto branch = b.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    store();
  }
  block.barrier();
  SmallVector<Values> all;
  for (unsigned group = 0; group < groups; ++group) {
    Values &values = all.emplace_back();
    for (auto [value, at] : llvm::zip(own, offsets))
      values.push_back(Slot::load(b, loc, value.getType(), slot(at, i64(group), value.getType())));
  }
  for (unsigned distance = 1; distance < groups; distance *= 2)
    for (unsigned group = 0; group < groups; group += 2 * distance)
      all[group] = combine(all[group], all[group + distance]);
  return all.front();
}

ThreadMeeting::Values ThreadMeeting::meet(ArrayRef<Value> own, Combine combine) {
  Values values(own);
  if (rows == 1 || own.empty())
    return values;
  for (unsigned distance = columns; distance < columns * rowsOfWarp(columns, rows); distance *= 2) {
    Values further;
    for (Value value : values)
      further.push_back(
          eachLane(value, [&](Value lane) { return warp.fromFurther(lane, distance); }));
    values = combine(values, further);
  }
  if (columns * rows > warpThreads)
    return meetInBlock(values, combine);
  Value first = column();
  for (Value &value : values)
    value = eachLane(value, [&](Value lane) {
      return columns == 1 ? warp.fromFirst(lane) : warp.from(lane, first);
    });
  return values;
}
