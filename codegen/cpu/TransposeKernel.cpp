// transpose, where the innermost dimension changes: square blocks of a vector's size, transposed in
// registers, so that both sides are walked in whole vectors.
//
// A unit is a strip of places along the result's innermost dimension, at one index of the
// dimensions that are innermost on neither side.
//
// Two or three channels fill no blocks: their lines, one behind the other on one side, are mixed,
// or taken apart, a vector of each at once. A unit is a strip of the lines.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/TransposeRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::IterationSpace;

namespace {

struct TransposeSchedule {
  unsigned lanes = 1;       // and rows of a block
  int64_t stripPlaces = 64; // of a unit: a few lines of each row of the result are written together
  int64_t channels = 0;     // that are mixed or taken apart; 0: blocks
  bool mixes = false;
};

// Channels that are neighbours on one side, next to each other all along lines of the other.
TransposeSchedule scheduleOf(const TransposeRuns &runs, unsigned lanes) {
  constexpr int64_t mostChannels = 3;
  TransposeSchedule schedule;
  schedule.lanes = lanes;
  auto consider = [&](const DimExpr &channels, const DimExpr &line, const DimExpr &apart) {
    const bool isShort = line.isConstant() && line.constantValue() < lanes;
    if (!channels.isConstant() || channels.constantValue() < 2 ||
        channels.constantValue() > mostChannels || apart != channels || isShort)
      return false;
    schedule.channels = channels.constantValue();
    schedule.stripPlaces = 1024;
    return true;
  };
  const TransposeRuns::Run &places = runs.places(), &columns = runs.columns();
  schedule.mixes = consider(places.extent, columns.extent, columns.to);
  if (schedule.mixes || consider(columns.extent, places.extent, places.from))
    return schedule;
  // Few channels fill few lanes: masks cost more than shorter vectors.
  for (const DimExpr &extent : {columns.extent, places.extent})
    while (schedule.lanes > 4 && extent.isConstant() &&
           extent.constantValue() <= schedule.lanes / 2)
      schedule.lanes /= 2;
  return schedule;
}

class TransposePlan final : public CpuKernelPlan {
public:
  TransposePlan(ir::KernelOp kernel, ir::TransposeOp op, TransposeRuns transposed, unsigned lanes)
      : CpuKernelPlan(kernel), op(op), runs(std::move(transposed)),
        schedule(scheduleOf(runs, lanes)) {
    blocks = {runs.rows(), along().extent, schedule.stripPlaces};
    setWork(blocks.units(),
            mul(across().extent, DimExpr(schedule.stripPlaces)).value_or(DimExpr(INT64_MAX)));
  }

  // The run that units are strips of, and the other that is innermost on a side.
  const TransposeRuns::Run &along() const {
    return schedule.mixes ? runs.columns() : runs.places();
  }
  const TransposeRuns::Run &across() const {
    return schedule.mixes ? runs.places() : runs.columns();
  }

  void printNest(llvm::raw_ostream &out) const override {
    out << "nest: " << runs.rows().str() << " matrices of " << runs.columns().extent.str()
        << " rows and " << runs.places().extent.str() << " places\n";
  }
  void printSchedule(llvm::raw_ostream &out) const override {
    if (schedule.channels > 0) {
      out << "schedule: lines of " << schedule.channels << " channels "
          << (schedule.mixes ? "mixed" : "taken apart") << "; " << schedule.lanes
          << " lanes; strips of " << counted(schedule.stripPlaces, "place") << "\n";
      return;
    }
    out << "schedule: blocks of " << schedule.lanes << " x " << schedule.lanes
        << " transposed in registers; strips of " << counted(schedule.stripPlaces, "place") << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ir::TransposeOp op;
  TransposeRuns runs;
  TransposeSchedule schedule;
  UnitBlocks blocks;
};

class TransposeKernel : SingleOpKernel {
public:
  TransposeKernel(CpuKernelBuilder &k, const TransposePlan &plan)
      : SingleOpKernel(k, plan.op, plan.schedule.lanes), plan(plan),
        element(b.getIntegerType(getElementType(op->getResult(0)).getIntOrFloatBitWidth())) {}

  void emit();

private:
  Value at(Value base, Value offset) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), element, base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }
  std::pair<Value, Value> startOf(Value row);
  // Of each channel a vector from the place on, or so many elements if there are fewer.
  void moveChannels(LoopEmitter &emit, Value from, Value to, Value place, Value count);
  void emitChannels();
  void emitBlocks();

  const TransposePlan &plan;
  Type element;
};

// One block, a function of the module that all transposes of such elements share.
class TransposedBlock {
public:
  // Strides and counts are i64, in elements; the counts say how many rows there are on either side
  // and may be larger than the block.
  struct Side {
    Value start, stride, rows;
  };

  TransposedBlock(LoopEmitter &emit, Type element, int64_t lanes)
      : emit(emit), element(element), lanes(lanes), vector(VectorType::get(lanes, element)) {}

  void emitCall(const Side &from, const Side &to);

private:
  void emitBody(const Side &from, const Side &to, bool isWhole);
  void transpose(SmallVector<Value> &vectors);

  LoopEmitter &emit;
  Type element;
  int64_t lanes;
  VectorType vector;
};

// Where the memory of a row begins: the numbers of the runs that are innermost on neither side.
std::pair<Value, Value> TransposeKernel::startOf(Value row) {
  Value from = i64(0), to = i64(0);
  const TransposeRuns &transposed = plan.runs;
  for (size_t i = transposed.runs.size() - 1; i-- > 0;) {
    if (i == transposed.column)
      continue;
    const TransposeRuns::Run &run = transposed.runs[i];
    Value extent = size(run.extent);
    Value index = b.create<arith::RemUIOp>(loc, row, extent);
    row = b.create<arith::DivUIOp>(loc, row, extent);
    from = plus(from, times(index, size(run.from)));
    to = plus(to, times(index, size(run.to)));
  }
  return {at(input(0), from), at(output(), to)};
}

void TransposedBlock::emitCall(const Side &from, const Side &to) {
  std::string name = llvm::formatv("keratin_transpose_{0}_{1}", element, lanes);
  emit.callShared(name, {from.start, from.stride, from.rows, to.start, to.stride, to.rows},
                  [&](LoopEmitter &inner, ValueRange p) {
                    TransposedBlock block(inner, element, lanes);
                    Side source{p[0], p[1], p[2]}, target{p[3], p[4], p[5]};
                    Value few =
                        inner.less(inner.min(source.rows, target.rows), inner.constant(lanes));
                    inner.branch(
                        few, [&] { block.emitBody(source, target, /*isWhole=*/false); },
                        [&] { block.emitBody(source, target, /*isWhole=*/true); });
                  });
}

// Row i of the block has column j in lane i afterwards: halves of the rows are interleaved, once
// for each bit of a lane's number.
void TransposedBlock::transpose(SmallVector<Value> &vectors) {
  int64_t half = lanes / 2;
  for (int64_t round = 1; round < lanes; round *= 2) {
    SmallVector<Value> mixed;
    for (int64_t i = 0; i < half; ++i)
      for (int64_t first : {int64_t(0), half}) {
        SmallVector<int64_t> order;
        for (int64_t lane : llvm::seq(first, first + half))
          order.append({lane, lanes + lane});
        mixed.push_back(
            emit.builder.create<vector::ShuffleOp>(emit.loc, vectors[i], vectors[i + half], order));
      }
    vectors = std::move(mixed);
  }
}

// Rows that do not exist are not written, and read as the last one.
void TransposedBlock::emitBody(const Side &from, const Side &to, bool isWhole) {
  Value one = emit.constant(1);
  Value mask, none;
  if (!isWhole) {
    mask = emit.firstLanes(lanes, to.rows);
    none = emit.firstLanes(lanes, emit.constant(0));
  }
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    Value row = emit.constant(i);
    if (!isWhole)
      row = emit.min(row, emit.sub(from.rows, one));
    vectors.push_back(
        emit.load(vector, emit.address(from.start, element, emit.mul(row, from.stride)), mask));
  }
  transpose(vectors);
  if (!isWhole)
    mask = emit.firstLanes(lanes, from.rows);
  for (int64_t i = 0; i < lanes; ++i) {
    Value exists = isWhole ? Value() : emit.less(emit.constant(i), to.rows);
    emit.store(vectors[i], emit.address(to.start, element, emit.mul(to.stride, i)),
               isWhole ? Value() : emit.select(exists, mask, none));
  }
}

// The vectors that hold these elements, of which the one at p is `placeOf(p)` of all before.
static SmallVector<Value> shuffle(LoopEmitter &emit, ArrayRef<Value> vectors, int64_t lanes,
                                  llvm::function_ref<int64_t(int64_t)> placeOf) {
  SmallVector<Value> mixed;
  for (int64_t i : llvm::seq<int64_t>(0, vectors.size())) {
    Value all = vectors[0];
    for (int64_t from : llvm::seq<int64_t>(1, vectors.size())) {
      SmallVector<int64_t> order;
      for (int64_t lane : llvm::seq(lanes)) {
        const int64_t place = placeOf(i * lanes + lane), source = place / lanes;
        const bool isFirst = from == 1 && source == 0;
        order.push_back(source == from ? lanes + place % lanes : isFirst ? place : lane);
      }
      all = emit.builder.create<vector::ShuffleOp>(emit.loc, all, vectors[from], order);
    }
    mixed.push_back(all);
  }
  return mixed;
}

void TransposeKernel::moveChannels(LoopEmitter &emit, Value from, Value to, Value place,
                                   Value count) {
  const int64_t lanes = plan.schedule.lanes, channels = plan.schedule.channels;
  const bool mixes = plan.schedule.mixes;
  Value apart = size(mixes ? plan.across().from : plan.across().to);
  auto isLine = [&](bool isRead) { return isRead == mixes; };
  auto vectorAt = [&](Value base, int64_t i, bool isRead) {
    if (isLine(isRead))
      return at(base, plus(times(apart, i64(i)), place));
    return at(base, plus(times(place, i64(channels)), i64(i * lanes)));
  };
  auto maskOf = [&](int64_t i, bool isRead) {
    if (!count)
      return Value();
    return emit.firstLanes(
        lanes, isLine(isRead) ? count : minus(times(count, i64(channels)), i64(i * lanes)));
  };
  auto type = VectorType::get(lanes, element);
  SmallVector<Value> vectors;
  for (int64_t i : llvm::seq(channels))
    vectors.push_back(emit.load(type, vectorAt(from, i, true), maskOf(i, true)));
  vectors = shuffle(emit, vectors, lanes, [&](int64_t p) {
    return mixes ? p % channels * lanes + p / channels : p % lanes * channels + p / lanes;
  });
  for (int64_t i : llvm::seq(channels))
    emit.store(vectors[i], vectorAt(to, i, false), maskOf(i, false));
}

void TransposeKernel::emitChannels() {
  const int64_t lanes = plan.schedule.lanes;
  forEachUnit(plan.blocks, [&](Value row, Value first) {
    auto [from, to] = startOf(row);
    Value length = size(plan.along().extent);
    Value end = b.create<arith::MinSIOp>(loc, plus(first, i64(plan.schedule.stripPlaces)), length);
    LoopEmitter emit(b, loc, k.target);
    Value whole = plus(first, wholePart(minus(end, first), lanes));
    loop(first, whole, lanes, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
      moveChannels(emit, from, to, place, nullptr);
      return {};
    });
    if (plan.along().extent.content() % lanes)
      where(b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, whole, end),
            [&] { moveChannels(emit, from, to, whole, minus(end, whole)); });
  });
}

void TransposeKernel::emit() { return plan.schedule.channels ? emitChannels() : emitBlocks(); }

void TransposeKernel::emitBlocks() {
  const TransposeRuns::Run &places = plan.runs.places(), &columns = plan.runs.columns();
  int64_t block = plan.schedule.lanes, stripPlaces = plan.schedule.stripPlaces;
  forEachUnit(plan.blocks, [&](Value row, Value firstPlace) {
    auto [from, to] = startOf(row);
    Value numPlaces = size(places.extent), numColumns = size(columns.extent);
    Value end = b.create<arith::MinSIOp>(loc, plus(firstPlace, i64(stripPlaces)), numPlaces);
    LoopEmitter emit(b, loc, k.target);
    TransposedBlock square(emit, element, block);
    loop(i64(0), numColumns, block, {}, [&](Value column, ArrayRef<Value>) -> SmallVector<Value> {
      loop(firstPlace, end, block, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
        Value read = at(from, plus(times(place, size(places.from)), column));
        Value written = at(to, plus(times(column, size(columns.to)), place));
        square.emitCall({read, size(places.from), minus(numPlaces, place)},
                        {written, size(columns.to), minus(numColumns, column)});
        return {};
      });
      return {};
    });
  });
}

void TransposePlan::emit(CpuKernelBuilder &k) const { TransposeKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planTransposeKernel(ir::KernelOp kernel, const MachineTarget &target) {
  auto op = cast<ir::TransposeOp>(kernel.getBody().front().front());
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  unsigned width = getElementType(op.getX()).getIntOrFloatBitWidth();
  unsigned lanes = target.lanes(width);
  if (!space || space->groups.size() < 2 || (width != 32 && width != 64) ||
      !llvm::isPowerOf2_32(lanes) || lanes < 4)
    return planLoopKernel(kernel, target);
  TransposeRuns runs = transposeRunsOf(op, *space);
  if (runs.copiesRows())
    return planLoopKernel(kernel, target);
  return std::make_shared<TransposePlan>(kernel, op, std::move(runs), lanes);
}
