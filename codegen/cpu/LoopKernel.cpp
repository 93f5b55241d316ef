// Elementwise chains, moves and reductions as one loop nest, after a LoopSchedule.
#include "codegen/cpu/LoopSchedule.h"
#include "codegen/elements/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::Domain;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::getTensorType;
using Index = LaneIndex;
using keratin::ir::IterationSpace;
using keratin::ir::ReductionOpInterface;
using Form = LoopSchedule::Form;

namespace {

class LoopKernel {
public:
  LoopKernel(CpuKernelBuilder &k, const LoopPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), space(plan.space), schedule(plan.schedule),
        lanes(schedule.lanes), emitter(k, k.loc, k.target, lanes) {}

  void emit();

private:
  // What is carried of one reduction through outer loops: its value so far, and for compensated
  // ones the lost low part.
  using State = SmallVector<Value>;

  void emitUnits();
  void emitRowUnit();
  void emitColumnUnit(Value block);
  void selectColumn(unsigned column, Value laneStart, Value mask);
  State emitPass(unsigned stage, ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  State reduceLoops(unsigned stage, ArrayRef<unsigned> loops, State state,
                    ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  State innermost(unsigned stage, State state, ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  SmallVector<Value> laneLoop(unsigned stage, Value from, Value to, std::optional<int64_t> extent);
  void laneBody(unsigned stage, MutableArrayRef<Value> accumulators);
  void storeRows(unsigned stage);

  ArrayRef<ReductionOpInterface> reductions(unsigned stage) { return plan.reductions(stage); }

  SmallVector<Index> squeezedIndex(bool rowOnly);
  SmallVector<Index> indexFor(Value value, bool row) {
    return emitter.unsqueeze(getTensorType(value), squeezedIndex(row));
  }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value identity(ReductionOpInterface op, bool vector);
  void absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value partial);
  Value settle(ReductionOpInterface op, ArrayRef<Value> state);
  Value horizontal(ReductionOpInterface op, Value vector);
  unsigned stateSize(ReductionOpInterface op) {
    return schedule.isBlocked() && op.isCompensated() ? 2 : 1;
  }
  SmallVector<Value> loop(Value from, Value to, int64_t step, ArrayRef<Value> init,
                          llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body);

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const LoopPlan &plan;
  const IterationSpace &space;
  const LoopSchedule &schedule;
  unsigned lanes;
  ElementEmitter emitter;

  // What the reductions of earlier passes gave, column by column.
  SmallVector<SmallVector<std::pair<Value, Value>>> columnRegisters;
  SmallVector<Index> current; // index of each group
};

SmallVector<Value>
LoopKernel::loop(Value from, Value to, int64_t step, ArrayRef<Value> init,
                 llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  return k.forLoop(from, to, emitter.i64(step), init,
                   [&](Operation *op, Value iv, ArrayRef<Value> carried) {
                     emitter.enter(op);
                     SmallVector<Value> next = body(iv, carried);
                     emitter.leave();
                     return next;
                   });
}

SmallVector<Index> LoopKernel::squeezedIndex(bool rowOnly) {
  SmallVector<Index> result;
  for (auto [group, index] : llvm::zip(space.groups, current)) {
    if (rowOnly && group.reduced)
      continue;
    // The position inside a group stands at its last dimension; rows before it are counted by the
    // carry alone.
    for (unsigned dim = group.first; dim < group.last; ++dim)
      result.push_back(emitter.scalarIndex(emitter.i64(0)));
    result.push_back(index);
  }
  return result;
}

//===-- Reductions ----------------------------------------------------------------------------===//

Value LoopKernel::identity(ReductionOpInterface op, bool vector) {
  Value scalar = op.buildIdentity(emitter);
  return vector ? emitter.splat(scalar) : scalar;
}

// Adds the sum of a block. Compensated: s = a + b exactly as s + error (Knuth's TwoSum).
void LoopKernel::absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value partial) {
  if (state.size() == 1) {
    state[0] = op.buildCombine(emitter, state[0], partial);
    return;
  }
  auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };
  auto minus = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(loc, x, y); };
  Value sum = plus(state[0], partial);
  Value virtualPartial = minus(sum, state[0]);
  Value error = plus(minus(state[0], minus(sum, virtualPartial)), minus(partial, virtualPartial));
  state[0] = sum;
  state[1] = plus(state[1], error);
}

Value LoopKernel::settle(ReductionOpInterface op, ArrayRef<Value> state) {
  if (state.size() == 1)
    return state[0];
  // After an overflow the error is NaN while the sum is a good infinity.
  Value corrected = b.create<arith::AddFOp>(loc, state[0], state[1]);
  Value usable = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, state[1], state[1]);
  return b.create<arith::SelectOp>(loc, usable, corrected, state[0]);
}

Value LoopKernel::horizontal(ReductionOpInterface op, Value vector) {
  unsigned width = lanes;
  while (width > 1) {
    width /= 2;
    Value low = b.create<vector::ExtractStridedSliceOp>(
        loc, vector, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
    Value high = b.create<vector::ExtractStridedSliceOp>(
        loc, vector, ArrayRef<int64_t>{width}, ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
    vector = op.buildCombine(emitter, low, high);
  }
  return b.create<vector::ExtractOp>(loc, vector, 0);
}

// One vector of every reduction and output of the stage at the current index.
void LoopKernel::laneBody(unsigned stage, MutableArrayRef<Value> accumulators) {
  for (auto [reduction, accumulator] : llvm::zip(reductions(stage), accumulators)) {
    ReductionOpInterface op = reduction;
    Value operand = op->getOperand(0);
    Value element = emitter.emit(operand, indexFor(operand, false));
    if (isa<VectorType>(accumulator.getType()))
      element = emitter.splat(element);
    // The largest of some elements hides the others.
    if (cast<ir::DifferentiableOpInterface>(op.getOperation()).choosesElements())
      emitter.watch(operand, element);
    Value next = op.buildCombine(emitter, accumulator, element);
    if (emitter.mask() && space.isInnermostReduced())
      next = b.create<arith::SelectOp>(loc, emitter.mask(), next, accumulator);
    accumulator = next;
  }
  // All loads before the first store: an output may lie where an operand does that another output
  // needs (`over` of #keratin.place).
  SmallVector<std::pair<unsigned, Value>> outputs = plan.fullOutputs(stage);
  SmallVector<Value> elements;
  for (auto [number, value] : outputs)
    elements.push_back(emitter.emit(value, indexFor(value, false)));
  for (auto [output, element] : llvm::zip(outputs, elements))
    emitter.watch(output.second, element);
  for (auto [output, element] : llvm::zip(outputs, elements))
    emitter.store(element, k.outputs[output.first], getTensorType(output.second),
                  indexFor(output.second, false));
}

// Walks [from, to) of the lane group in vectors; gives the stage's partial results as vectors.
SmallVector<Value> LoopKernel::laneLoop(unsigned stage, Value from, Value to,
                                        std::optional<int64_t> extent) {
  auto ops = reductions(stage);
  unsigned unroll = schedule.unroll[stage];
  SmallVector<Value> sets;
  for (unsigned u = 0; u < unroll; ++u)
    for (ReductionOpInterface op : ops)
      sets.push_back(identity(op, true));
  int64_t step = int64_t(lanes) * unroll;
  auto body = [&](Value position, MutableArrayRef<Value> set) {
    current[*plan.laneGroup] = emitter.laneIndex(position);
    laneBody(stage, set);
  };
  Value tail = from;
  if (!extent || *extent >= step) {
    Value length = b.create<arith::SubIOp>(loc, to, from);
    Value whole = b.create<arith::MulIOp>(
        loc, b.create<arith::DivUIOp>(loc, length, emitter.i64(step)), emitter.i64(step));
    tail = extent ? add(from, emitter.i64(*extent / step * step)) : add(from, whole);
    sets = loop(from, tail, step, sets, [&](Value iv, ArrayRef<Value> carried) {
      SmallVector<Value> next(carried);
      for (unsigned u = 0; u < unroll; ++u)
        body(u ? add(iv, emitter.i64(u * lanes)) : iv,
             MutableArrayRef<Value>(next).slice(u * ops.size(), ops.size()));
      return next;
    });
  }
  if (!extent || *extent % step != 0) {
    SmallVector<Value> first(ArrayRef<Value>(sets).take_front(ops.size()));
    bool masked = !extent || *extent % lanes != 0;
    auto finish = [&](Value iv, ArrayRef<Value> carried) {
      SmallVector<Value> next(carried);
      emitter.setMask(masked ? emitter.maskBelow(iv, to) : Value());
      body(iv, next);
      emitter.setMask(Value());
      return next;
    };
    if (extent && *extent <= lanes)
      first = finish(tail, first);
    else
      first = loop(tail, to, lanes, first, finish);
    std::copy(first.begin(), first.end(), sets.begin());
  }
  // The unrolled accumulators become one, in a fixed order.
  SmallVector<Value> merged(ArrayRef<Value>(sets).take_front(ops.size()));
  for (unsigned u = 1; u < unroll; ++u)
    for (auto [i, op] : llvm::enumerate(ops))
      merged[i] =
          ReductionOpInterface(op).buildCombine(emitter, merged[i], sets[u * ops.size() + i]);
  return merged;
}

// The innermost reduced loop: along lanes, or over rows with a vector for each column.
LoopKernel::State LoopKernel::innermost(unsigned stage, State state, ArrayRef<Value> laneStarts,
                                        ArrayRef<Value> masks) {
  auto ops = reductions(stage);
  auto absorbAll = [&](State &into, ArrayRef<Value> partials) {
    // State is laid out reduction by reduction inside each column.
    size_t at = 0, p = 0;
    while (p < partials.size())
      for (ReductionOpInterface op : ops) {
        absorb(op, MutableArrayRef<Value>(into).slice(at, stateSize(op)), partials[p++]);
        at += stateSize(op);
      }
  };
  if (space.isInnermostReduced()) {
    const DimExpr &extent = plan.innermost().extent;
    std::optional<int64_t> constant;
    if (extent.isConstant())
      constant = extent.constantValue();
    Value zero = emitter.i64(0), n = emitter.extent(extent);
    if (!schedule.isBlocked()) {
      SmallVector<Value> partials = laneLoop(stage, zero, n, constant);
      absorbAll(state, partials);
      return state;
    }
    return loop(zero, n, schedule.block, state, [&](Value start, ArrayRef<Value> carried) {
      State next(carried);
      Value stop = b.create<arith::MinSIOp>(loc, add(start, emitter.i64(schedule.block)), n);
      absorbAll(next, laneLoop(stage, start, stop, std::nullopt));
      return next;
    });
  }

  // Columns: the last reduced loop is walked row by row.
  unsigned group = plan.reducedLoops.back();
  Value n = emitter.extent(space.groups[group].extent);
  auto rows = [&](Value from, Value to) {
    SmallVector<Value> init;
    for (size_t c = 0; c < laneStarts.size(); ++c)
      for (ReductionOpInterface op : ops)
        init.push_back(identity(op, plan.laneGroup.has_value()));
    return loop(from, to, 1, init, [&](Value iv, ArrayRef<Value> carried) {
      SmallVector<Value> next(carried);
      current[group] = emitter.scalarIndex(iv);
      for (size_t c = 0; c < laneStarts.size(); ++c) {
        selectColumn(c, laneStarts[c], masks[c]);
        laneBody(stage, MutableArrayRef<Value>(next).slice(c * ops.size(), ops.size()));
      }
      emitter.setMask(Value());
      return next;
    });
  };
  if (!schedule.isBlocked()) {
    absorbAll(state, rows(emitter.i64(0), n));
    return state;
  }
  return loop(emitter.i64(0), n, schedule.block, state, [&](Value start, ArrayRef<Value> carried) {
    State next(carried);
    Value stop = b.create<arith::MinSIOp>(loc, add(start, emitter.i64(schedule.block)), n);
    absorbAll(next, rows(start, stop));
    return next;
  });
}

LoopKernel::State LoopKernel::reduceLoops(unsigned stage, ArrayRef<unsigned> loops, State state,
                                          ArrayRef<Value> laneStarts, ArrayRef<Value> masks) {
  if (loops.empty())
    return innermost(stage, std::move(state), laneStarts, masks);
  unsigned group = loops.front();
  return loop(emitter.i64(0), emitter.extent(space.groups[group].extent), 1, state,
              [&](Value iv, ArrayRef<Value> carried) {
                current[group] = emitter.scalarIndex(iv);
                return reduceLoops(stage, loops.drop_front(), State(carried), laneStarts, masks);
              });
}

// One pass over everything that is reduced, for the rows at the current kept index; gives the
// settled results, column by column.
LoopKernel::State LoopKernel::emitPass(unsigned stage, ArrayRef<Value> laneStarts,
                                       ArrayRef<Value> masks) {
  auto ops = reductions(stage);
  State state;
  for (size_t c = 0; c < laneStarts.size(); ++c)
    for (ReductionOpInterface op : ops) {
      state.push_back(identity(op, true));
      if (stateSize(op) == 2)
        state.push_back(emitter.splat(op.buildIdentity(emitter)));
    }
  ArrayRef<unsigned> outer = plan.reducedLoops;
  if (!space.isInnermostReduced())
    outer = outer.drop_back(); // the innermost handles it
  state = reduceLoops(stage, outer, std::move(state), laneStarts, masks);
  State results;
  size_t at = 0;
  for (size_t c = 0; c < laneStarts.size(); ++c)
    for (ReductionOpInterface op : ops) {
      Value settled = settle(op, ArrayRef<Value>(state).slice(at, stateSize(op)));
      at += stateSize(op);
      results.push_back(space.isInnermostReduced() ? horizontal(op, settled) : settled);
    }
  return results;
}

// Row outputs that became known with the reductions of the stage.
void LoopKernel::storeRows(unsigned stage) {
  for (auto [i, value] : llvm::enumerate(k.body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) == Domain::Row && space.stageOf.lookup(value) == stage + 1) {
      SmallVector<Index> index = indexFor(value, true);
      Value registers = emitter.emit(value, index);
      emitter.watch(value, registers);
      emitter.store(registers, k.outputs[i], getTensorType(value), index);
    }
}

void LoopKernel::emitRowUnit() {
  Value none;
  for (unsigned stage = 0; stage <= space.stages.size(); ++stage) {
    if (!plan.isStagePresent(stage))
      continue;
    State results = emitPass(stage, {emitter.i64(0)}, {none});
    for (auto [op, value] : llvm::zip(reductions(stage), results))
      emitter.bindRegister(op->getResult(0), value);
    storeRows(stage);
  }
}

void LoopKernel::emitColumnUnit(Value block) {
  const DimExpr &extent = plan.innermost().extent;
  Value n = emitter.extent(extent);
  bool whole = extent.isConstant() &&
               extent.constantValue() % (int64_t(lanes) * schedule.columnVectors) == 0;
  SmallVector<Value> starts, masks;
  Value first =
      b.create<arith::MulIOp>(loc, block, emitter.i64(int64_t(lanes) * schedule.columnVectors));
  for (unsigned u = 0; u < schedule.columnVectors; ++u) {
    starts.push_back(u ? add(first, emitter.i64(u * lanes)) : first);
    masks.push_back(whole ? Value() : emitter.maskBelow(starts.back(), n));
  }
  columnRegisters.assign(schedule.columnVectors, {});
  for (unsigned stage = 0; stage <= space.stages.size(); ++stage) {
    if (!plan.isStagePresent(stage))
      continue;
    auto ops = reductions(stage);
    State results = emitPass(stage, starts, masks);
    for (unsigned u = 0; u < schedule.columnVectors; ++u) {
      for (auto [i, op] : llvm::enumerate(ops))
        columnRegisters[u].push_back({op->getResult(0), results[u * ops.size() + i]});
      selectColumn(u, starts[u], masks[u]);
      storeRows(stage);
      emitter.setMask(Value());
    }
  }
}

// What is emitted next is for this column: its lanes, and what earlier passes found for it.
void LoopKernel::selectColumn(unsigned column, Value laneStart, Value mask) {
  current[*plan.laneGroup] = emitter.laneIndex(laneStart);
  emitter.setMask(mask);
  for (auto [value, registers] : columnRegisters[column])
    emitter.bindRegister(value, registers);
}

//===-- The unit loop -------------------------------------------------------------------------===//

void LoopKernel::emit() {
  current.resize(space.groups.size());
  // From here on everything is emitted before the return.
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  if (schedule.form == Form::Scalar)
    laneBody(0, {});
  else if (schedule.form == Form::Flat)
    laneLoop(0, k.begin, k.end, std::nullopt);
  else
    emitUnits();
}

void LoopKernel::emitUnits() {
  loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) -> SmallVector<Value> {
    Value rest = unit, block;
    if (schedule.form == Form::Columns) {
      Value count = emitter.extent(plan.columnBlocks());
      block = b.create<arith::RemUIOp>(loc, rest, count);
      rest = b.create<arith::DivUIOp>(loc, rest, count);
    }
    SmallVector<Index> kept(plan.keptGroups.size());
    for (size_t i = plan.keptGroups.size(); i-- > 0;) {
      if (i == 0) {
        kept[i] = emitter.scalarIndex(rest);
        break;
      }
      Value extent = emitter.extent(space.groups[plan.keptGroups[i]].extent);
      kept[i] = emitter.scalarIndex(b.create<arith::RemUIOp>(loc, rest, extent));
      rest = b.create<arith::DivUIOp>(loc, rest, extent);
    }
    for (auto [group, index] : llvm::zip(plan.keptGroups, kept))
      current[group] = index;
    if (schedule.form == Form::Columns) {
      emitColumnUnit(block);
    } else if (schedule.form == Form::Rows) {
      emitRowUnit();
    } else {
      const DimExpr &extent = plan.innermost().extent;
      laneLoop(0, emitter.i64(0), emitter.extent(extent),
               extent.isConstant() ? std::optional(extent.constantValue()) : std::nullopt);
    }
    return {};
  });
}

} // namespace

void LoopPlan::emit(CpuKernelBuilder &k) const { LoopKernel(k, *this).emit(); }
