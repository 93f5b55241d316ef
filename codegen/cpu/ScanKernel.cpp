// cumsum, cumprod and linear_recurrence: a state that walks along the axis.
//
// Where the axis is not innermost, a unit is a block of neighbouring lines with a lane for each.
// Where it is, sums (and integer products) are prefix sums in a register, log2(lanes) steps for a
// vector, with the state added to all of it. Products and recurrences of floats are walked element
// by element, several lines at once: a partial product may overflow where the running one is zero.
#include "codegen/cpu/SingleOpKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

namespace {

// States side by side, so that one does not wait for another.
constexpr unsigned maxUnroll = 4;

struct ScanDescription {
  int64_t axis;
  bool exclusive, reverse;
  int64_t initial;
  bool isAssociative; // in machine arithmetic, or near enough: see above
  // The state after the elements of the operands at one place.
  Value (*step)(ElementEmitter &emitter, Value state, ArrayRef<Value> elements);
};

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
  ScanPlan(ir::KernelOp kernel, Operation *op, const ScanDescription &scan,
           const MachineTarget &target)
      : CpuKernelPlan(kernel), op(op), scan(scan), lines(op->getResult(0), scan.axis) {
    schedule.lanes = lanesFor(target, lines.type.getElementTypeBitWidth());
    if (lines.isInnermost())
      schedule.form = scan.isAssociative ? Form::Prefixes : Form::Rows;
    splitWork();
  }

  void printNest(llvm::raw_ostream &out) const override { lines.print(out); }
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

  Operation *op;
  ScanDescription scan;
  AxisLines lines;
  UnitBlocks blocks;
  ScanSchedule schedule;

private:
  void splitWork();
};

void ScanPlan::splitWork() {
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
      : SingleOpKernel(k, plan.op, plan.schedule.lanes), plan(plan), scan(plan.scan),
        lines(plan.lines), type(lines.type.getElementType()) {}

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
  Value placeOf(Value i) { return scan.reverse ? minus(minus(size(lines.length), i64(1)), i) : i; }
  Value initial() {
    emitter.setElementType(type);
    return isa<FloatType>(type) ? emitter.constant(scan.initial)
                                : emitter.integerConstant(scan.initial);
  }
  Value step(Value state, ArrayRef<Value> elements) {
    emitter.setElementType(type);
    return scan.step(emitter, state, elements);
  }

  const ScanPlan &plan;
  const ScanDescription &scan;
  const AxisLines &lines;
  Type type;
};

void ScanKernel::emitColumns() {
  unsigned unroll = plan.schedule.states;
  forEachUnit(plan.blocks, [&](Value row, Value column) {
    auto [starts, masks] = columnsFrom(column, lines.inner, unroll);
    SmallVector<Value> states(unroll, emitter.splat(initial()));
    loop(i64(0), size(lines.length), 1, states, [&](Value i, ArrayRef<Value> carried) {
      SmallVector<Value> next;
      Value place = placeOf(i);
      for (unsigned u = 0; u < unroll; ++u) {
        SmallVector<Value> elements;
        for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
          elements.push_back(
              loadLanes(input(operand), lines.type, {row, place, starts[u]}, masks[u]));
        next.push_back(step(carried[u], elements));
        storeLanes(scan.exclusive ? carried[u] : next[u], output(), lines.type,
                   {row, place, starts[u]}, masks[u]);
      }
      return next;
    });
  });
}

// The vector moved by lanes in the direction of the walk; what enters is the filling's.
Value ScanKernel::shifted(Value vector, Value filling, unsigned distance) {
  SmallVector<int64_t> from(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (scan.reverse)
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
  storeLanes(scan.exclusive ? shifted(sums, state, 1) : sums, output(), rowType, {row, position},
             mask);
  int64_t last = scan.reverse ? 0 : lanes - 1;
  return emitter.splat(b.create<vector::ExtractOp>(loc, sums, ArrayRef<int64_t>{last}));
}

void ScanKernel::emitPrefixes() {
  forEachUnit(plan.blocks, [&](Value row, Value) {
    Value n = size(lines.length), whole = wholePart(n, lanes);
    SmallVector<Value> state{emitter.splat(initial())};
    auto tail = [&] {
      if (!isWhole(lines.length, 1))
        state = loop(whole, n, lanes, state, [&](Value iv, ArrayRef<Value> carried) {
          return SmallVector<Value>{prefixes(row, iv, emitter.maskBelow(iv, n), carried[0])};
        });
    };
    if (scan.reverse)
      tail();
    state = loop(i64(0), whole, lanes, state, [&](Value iv, ArrayRef<Value> carried) {
      Value position = scan.reverse ? minus(minus(whole, i64(lanes)), iv) : iv;
      return SmallVector<Value>{prefixes(row, position, Value(), carried[0])};
    });
    if (!scan.reverse)
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
      SmallVector<Value> next;
      Value place = placeOf(i);
      for (unsigned u = 0; u < unroll; ++u) {
        SmallVector<Value> elements;
        for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
          elements.push_back(loadScalar(input(operand), lines.type, {rows[u], place, i64(0)}));
        next.push_back(step(carried[u], elements));
        storeScalar(scan.exclusive ? carried[u] : next[u], output(), lines.type,
                    {rows[u], place, i64(0)});
      }
      return next;
    });
  });
}

void ScanPlan::emit(CpuKernelBuilder &k) const { ScanKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planScanKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  ScanDescription scan;
  if (auto sum = dyn_cast<ir::CumsumOp>(op)) {
    scan = {int64_t(sum.getAxis()),
            sum.getExclusive(),
            sum.getReverse(),
            0,
            true,
            [](ElementEmitter &e, Value state, ArrayRef<Value> x) { return e.add(state, x[0]); }};
  } else if (auto prod = dyn_cast<ir::CumprodOp>(op)) {
    scan = {int64_t(prod.getAxis()),
            prod.getExclusive(),
            prod.getReverse(),
            1,
            isa<IntegerType>(getElementType(prod.getX())),
            [](ElementEmitter &e, Value state, ArrayRef<Value> x) { return e.mul(state, x[0]); }};
  } else {
    auto recurrence = cast<ir::LinearRecurrenceOp>(op);
    scan = {int64_t(recurrence.getAxis()),
            /*exclusive=*/false,
            recurrence.getReverse(),
            0,
            /*isAssociative=*/false,
            [](ElementEmitter &e, Value state, ArrayRef<Value> x) {
              return e.add(e.mul(x[0], state), x[1]);
            }};
  }
  return std::make_shared<ScanPlan>(kernel, op, scan, target);
}
