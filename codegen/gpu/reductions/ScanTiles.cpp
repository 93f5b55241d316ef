// Scans whose states may not be put together: tiles of lines through shared memory.
//
// A warp has as many lines as threads. It reads a tile of them, neighbouring threads neighbouring
// elements of one line after the other; then each thread walks a line of the tile; then the warp
// writes the tile as it has read it.
#include "codegen/gpu/reductions/ScanPlan.h"

#include "codegen/elements/ElementEmitter.h"
#include "codegen/gpu/threads/ThreadMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

// Lines of a tile that are read one after the other before the first is put away.
constexpr int64_t linesAtOnce = 8;

class ScanTiles {
public:
  ScanTiles(DeviceKernelBuilder &k, const ScanPlan &plan)
      : k(k), b(k.b), loc(k.loc), nest(plan.nest), lines(nest.lines),
        registers(ElementEmitter(k, loc, k.target, 1).registerType(lines.type.getElementType())),
        emitter(k, k.loc, k.target, /*lanes=*/1), block(b, loc) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  Value slot(unsigned operand, Value row, Value column);
  void forEachLine(llvm::function_ref<void(ArrayRef<Value> rows)> body);
  Value isReal(Value row);
  void readTile();
  Value walkTile(Value state);
  void writeTile();

  Value i64(int64_t value) { return k.i64(value); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
  Value less(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }
  SmallVector<LaneIndex> elementOf(Value row);

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ScanNest &nest;
  const AxisLines &lines;
  Type registers;
  ElementEmitter emitter;
  ThreadBlock block;
  Value thread, firstLine, length, count; // count: of lines
  Value first;                            // number of the tile's first element of each line
};

Value ScanTiles::slot(unsigned operand, Value row, Value column) {
  Value place = add(mul(row, i64(ScanPlan::tilePitch)), column);
  place = add(place, i64(int64_t{operand} * ScanPlan::tileSide * ScanPlan::tilePitch));
  Value memory = block.memory();
  return b.create<LLVM::GEPOp>(loc, memory.getType(), b.getI8Type(), memory,
                               ArrayRef<LLVM::GEPArg>{mul(place, i64(Slot::bytes(registers)))});
}

// The thread's element of a line of the tile.
SmallVector<LaneIndex> ScanTiles::elementOf(Value row) {
  Value number = add(first, thread);
  Value place = nest.reverse ? sub(sub(length, i64(1)), number) : number;
  return {emitter.scalarIndex(add(firstLine, row)), emitter.scalarIndex(place),
          emitter.scalarIndex(i64(0))};
}

Value ScanTiles::isReal(Value row) {
  return b.create<arith::AndIOp>(loc, less(add(firstLine, row), count),
                                 less(add(first, thread), length));
}

void ScanTiles::forEachLine(llvm::function_ref<void(ArrayRef<Value> rows)> body) {
  k.forLoop(i64(0), i64(ScanPlan::tileSide), i64(linesAtOnce), {},
            [&](Operation *, Value row, ArrayRef<Value>) -> Values {
              Values rows;
              for (int64_t i = 0; i < linesAtOnce; ++i)
                rows.push_back(add(row, i64(i)));
              body(rows);
              return {};
            });
}

// Elements that do not exist are something in shared memory that nobody hands on.
void ScanTiles::readTile() {
  for (auto [operand, value] : llvm::enumerate(nest.op->getOperands())) {
    Value input = k.inputs[cast<BlockArgument>(value).getArgNumber()];
    forEachLine([&](ArrayRef<Value> rows) {
      Values elements;
      for (Value row : rows)
        elements.push_back(emitter.where(isReal(row), nest.buildInitial(emitter), [&]() -> Values {
          return {emitter.load(input, lines.type, elementOf(row))};
        })[0]);
      for (auto [row, element] : llvm::zip(rows, elements))
        Slot::store(b, loc, element, slot(unsigned(operand), row, thread));
    });
  }
}

// The thread's line of the tile. Results take the place of the first operand.
Value ScanTiles::walkTile(Value state) {
  Value elements = b.create<arith::MinSIOp>(loc, i64(ScanPlan::tileSide), sub(length, first));
  return k.forLoop(i64(0), elements, i64(1), state,
                   [&](Operation *, Value column, ArrayRef<Value> now) -> Values {
                     Values taken;
                     for (unsigned operand = 0; operand < nest.op->getNumOperands(); ++operand)
                       taken.push_back(
                           Slot::load(b, loc, registers, slot(operand, thread, column)));
                     Value next = nest.buildStep(emitter, now[0], taken);
                     Slot::store(b, loc, nest.exclusive ? now[0] : next, slot(0, thread, column));
                     return {next};
                   })[0];
}

void ScanTiles::writeTile() {
  forEachLine([&](ArrayRef<Value> rows) {
    for (Value row : rows)
      emitter.where(isReal(row), {}, [&]() -> Values {
        Value result = Slot::load(b, loc, registers, slot(0, row, thread));
        emitter.watchRegisters(result, lines.type.getElementType());
        emitter.store(result, k.outputs[0], lines.type, elementOf(row));
        return {};
      });
  });
}

void ScanTiles::emit() {
  thread = block.thread();
  firstLine = mul(k.begin, i64(ScanPlan::tileSide));
  length = k.sizeOf(lines.length);
  count = k.sizeOf(lines.outer);
  k.forLoop(i64(0), length, i64(ScanPlan::tileSide), nest.buildInitial(emitter),
            [&](Operation *, Value base, ArrayRef<Value> state) -> Values {
              first = base;
              // The tile before this one has been written.
              block.barrier();
              readTile();
              block.barrier();
              Value next = walkTile(state[0]);
              block.barrier();
              writeTile();
              return {next};
            });
}

} // namespace

void keratin::codegen::emitScanTiles(DeviceKernelBuilder &k, const ScanPlan &plan) {
  ScanTiles(k, plan).emit();
}
