// cumsum, cumprod and linear_recurrence: a state that walks along the axis.
//
// Where the axis is not innermost, a unit is a block of neighbouring lines with a lane for each.
// Where it is, sums (and integer products) are prefix sums in a register, log2(lanes) steps for a
// vector, with the state added to all of it. Products and recurrences of floats are walked element
// by element, several lines at once.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/lowering/ScanNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

struct ScanSchedule {
  enum class Form {
    Columns,  // a lane for each of neighbouring lines
    Prefixes, // sums in a register, a vector of a line at a time
    Rows      // element by element
  } form = Form::Columns;
  unsigned lanes = 1;
  unsigned states = 1; // side by side: vectors of columns, or lines
};
using Form = ScanSchedule::Form;

class ScanPlan final : public CpuKernelPlan {
public:
  ScanPlan(ir::KernelOp kernel, Operation *op, const MachineTarget &target)
      : CpuKernelPlan(kernel), nest(op) {
    schedule.lanes = lanesFor(target, nest.lines.type.getElementTypeBitWidth());
    if (nest.lines.isInnermost())
      schedule.form = nest.isAssociative ? Form::Prefixes : Form::Rows;
    splitWork();
  }

  void printNest(llvm::raw_ostream &out) const override { nest.lines.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    const char *words = schedule.form == Form::Columns    ? "a lane for each line"
                        : schedule.form == Form::Prefixes ? "prefixes in registers"
                                                          : "element by element";
    out << "schedule: " << words;
    if (schedule.form != Form::Rows)
      out << "; " << counted(schedule.lanes, "lane");
    out << "; " << counted(schedule.states, "state") << " side by side\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ScanNest nest;
  UnitBlocks blocks;
  ScanSchedule schedule;

private:
  void splitWork();
};

void ScanPlan::splitWork() {
  const AxisLines &lines = nest.lines;
  auto ofLines = [&](int64_t count) {
    return mul(lines.length, DimExpr(count)).value_or(DimExpr(INT64_MAX));
  };
  switch (schedule.form) {
  case Form::Columns: {
    schedule.states = blockVectors(maxUnroll, schedule.lanes, lines.inner);
    int64_t columns = int64_t(schedule.states) * schedule.lanes;
    blocks = {lines.outer, lines.inner, columns};
    return setWork(blocks.units(), ofLines(columns));
  }
  case Form::Prefixes:
    blocks = {lines.outer, DimExpr(1), 1};
    return setWork(blocks.units(), lines.length);
  case Form::Rows:
    schedule.states = blockVectors(maxUnroll, 1, lines.outer);
    blocks = {*ceildiv(lines.outer, DimExpr(int64_t(schedule.states))), DimExpr(1), 1};
    // An element waits for the one before it.
    return setWork(blocks.units(), ofLines(4 * int64_t(schedule.states)));
  }
}

class ScanKernel : SingleOpKernel {
public:
  ScanKernel(CpuKernelBuilder &k, const ScanPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.schedule.lanes), plan(plan), nest(plan.nest),
        lines(nest.lines), type(lines.type.getElementType()) {}

  void emit() {
    switch (plan.schedule.form) {
    case Form::Columns:
      return emitColumns();
    case Form::Prefixes:
      return emitPrefixes();
    case Form::Rows:
      return emitRows();
    }
  }

private:
  void emitColumns();
  void emitPrefixes();
  void emitRows();
  Value prefixes(Value row, Value position, Value mask, Value state);
  Value shifted(Value vector, Value filling, unsigned distance);

  // The i-th place that is walked.
  Value placeOf(Value i) { return nest.reverse ? minus(minus(size(lines.length), i64(1)), i) : i; }
  Value initial() { return nest.buildInitial(emitter); }
  Value step(Value state, ArrayRef<Value> elements) {
    return nest.buildStep(emitter, state, elements);
  }
  // One place further with each of the states side by side.
  SmallVector<Value> advance(ArrayRef<Value> states,
                             llvm::function_ref<Value(Value pointer, unsigned u)> load,
                             llvm::function_ref<void(Value element, unsigned u)> store);

  const ScanPlan &plan;
  const ScanNest &nest;
  const AxisLines &lines;
  Type type;
};

SmallVector<Value> ScanKernel::advance(ArrayRef<Value> states,
                                       llvm::function_ref<Value(Value, unsigned)> load,
                                       llvm::function_ref<void(Value, unsigned)> store) {
  SmallVector<Value> next;
  for (auto [u, state] : llvm::enumerate(states)) {
    SmallVector<Value> elements;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      elements.push_back(load(input(operand), u));
    next.push_back(step(state, elements));
    store(nest.exclusive ? state : next[u], u);
  }
  return next;
}

void ScanKernel::emitColumns() {
  unsigned unroll = plan.schedule.states;
  forEachUnit(plan.blocks, [&](Value row, Value column) {
    Columns columns = columnsFrom(column, lines.inner, unroll);
    SmallVector<Value> states(unroll, emitter.splat(initial()));
    loop(i64(0), size(lines.length), 1, states, [&](Value i, ArrayRef<Value> carried) {
      Value place = placeOf(i);
      return advance(
          carried,
          [&](Value pointer, unsigned u) {
            return loadLanes(pointer, lines.type, {row, place, columns.starts[u]},
                             columns.masks[u]);
          },
          [&](Value element, unsigned u) {
            storeLanes(element, output(), lines.type, {row, place, columns.starts[u]},
                       columns.masks[u]);
          });
    });
  });
}

// The vector moved by lanes in the direction of the walk; what enters is the filling's.
Value ScanKernel::shifted(Value vector, Value filling, unsigned distance) {
  SmallVector<int64_t> from(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (nest.reverse)
      from[lane] = lane + distance; // past the end: of the filling
    else
      from[lane] = lane >= distance ? lane - distance : lanes + lane;
  }
  return b.create<vector::ShuffleOp>(loc, vector, filling, from);
}

// Stores the vector at the position; gives the state behind it.
Value ScanKernel::prefixes(Value row, Value position, Value mask, Value state) {
  auto rowType = ir::getTensorType({lines.outer, lines.length}, type);
  Value neutral = emitter.splat(initial());
  Value sums = loadLanes(input(0), rowType, {row, position}, mask);
  // What lies beyond the line comes first in a reversed walk.
  if (mask)
    sums = b.create<arith::SelectOp>(loc, mask, sums, neutral);
  for (unsigned distance = 1; distance < lanes; distance *= 2)
    sums = step(sums, {shifted(sums, neutral, distance)});
  sums = step(sums, {state});
  storeLanes(nest.exclusive ? shifted(sums, state, 1) : sums, output(), rowType, {row, position},
             mask);
  int64_t last = nest.reverse ? 0 : lanes - 1;
  return emitter.splat(b.create<vector::ExtractOp>(loc, sums, ArrayRef<int64_t>{last}));
}

void ScanKernel::emitPrefixes() {
  forEachUnit(plan.blocks, [&](Value row, Value) {
    Value n = size(lines.length), whole = wholePart(n, lanes);
    SmallVector<Value> state{emitter.splat(initial())};
    auto tail = [&] {
      if (!areFull(lines.length, 1))
        state = loop(whole, n, lanes, state, [&](Value iv, ArrayRef<Value> carried) {
          return SmallVector<Value>{prefixes(row, iv, emitter.maskBelow(iv, n), carried[0])};
        });
    };
    if (nest.reverse)
      tail();
    state = loop(i64(0), whole, lanes, state, [&](Value iv, ArrayRef<Value> carried) {
      Value position = nest.reverse ? minus(minus(whole, i64(lanes)), iv) : iv;
      return SmallVector<Value>{prefixes(row, position, Value(), carried[0])};
    });
    if (!nest.reverse)
      tail();
  });
}

void ScanKernel::emitRows() {
  unsigned unroll = plan.schedule.states;
  forEachUnit(plan.blocks, [&](Value unit, Value) {
    SmallVector<Value> rows;
    Value first = times(unit, i64(unroll)), last = minus(size(lines.outer), i64(1));
    for (unsigned u = 0; u < unroll; ++u) {
      Value row = plus(first, i64(u));
      // Past the end the last line is walked again, with the same results.
      rows.push_back(lines.outer.isConstant() && lines.outer.constantValue() % unroll == 0
                         ? row
                         : b.create<arith::MinSIOp>(loc, row, last).getResult());
    }
    SmallVector<Value> states(unroll, initial());
    loop(i64(0), size(lines.length), 1, states, [&](Value i, ArrayRef<Value> carried) {
      Value place = placeOf(i);
      return advance(
          carried,
          [&](Value pointer, unsigned u) {
            return loadScalar(pointer, lines.type, {rows[u], place, i64(0)});
          },
          [&](Value element, unsigned u) {
            storeScalar(element, output(), lines.type, {rows[u], place, i64(0)});
          });
    });
  });
}

void ScanPlan::emit(CpuKernelBuilder &k) const { ScanKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planScanKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ScanPlan>(kernel, op, target) : nullptr;
}
