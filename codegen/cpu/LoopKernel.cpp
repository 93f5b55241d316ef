// Elementwise chains, moves and reductions as one loop nest.
//
// A unit is one index of the outer kept loops. The innermost loop group is walked in vectors: along
// a reduced group each row ends in one horizontal step; along a kept group every lane has an
// accumulator of its own. Reductions that need the results of others come in later passes over the
// row.
#include "codegen/cpu/ElementEmitter.h"
#include "codegen/cpu/Rounding.h"
#include "codegen/lowering/KernelFunction.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"

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
using keratin::ir::Index;
using keratin::ir::IterationSpace;
using keratin::ir::ReductionOpInterface;

namespace {

// Elements of a chunk: enough to hide the cost of handing it to a thread, few enough to balance
// two.
constexpr int64_t chunkElements = 16384;
// Sums longer than this are made of blocks, whose sums are added with their rounding errors.
constexpr int64_t laneBlock = 4096;
constexpr int64_t rowBlock = 256;

// Lanes of a vector, the same for all vectors of a kernel: as many as a register has of the
// elements that most of the work is done on, but at least of 32 bits. Vectors of wider elements
// take several registers then.
unsigned laneCount(KernelBuilder &k) {
  auto widthOf = [](Value value) -> unsigned {
    bool isScalar = getTensorType(value).getShape().empty();
    return isScalar ? 0 : getElementType(value).getIntOrFloatBitWidth();
  };
  unsigned widest = 32;
  for (BlockArgument argument : k.body().getArguments())
    widest = std::max(widest, widthOf(argument));
  int64_t narrowWork = 0, wideWork = 0;
  for (Operation &op : k.body().without_terminator()) {
    unsigned width = 0;
    for (Value result : op.getResults())
      width = std::max(width, widthOf(result));
    widest = std::max(widest, width);
    for (Value operand : op.getOperands())
      width = std::max(width, widthOf(operand));
    (width > 32 ? wideWork : narrowWork) += ir::instructionsOf(&op);
  }
  return std::max(1u, k.target.lanes(narrowWork > wideWork ? 32 : widest));
}

class LoopKernel {
public:
  LoopKernel(KernelBuilder &k, IterationSpace space)
      : k(k), b(k.b), loc(k.loc), space(std::move(space)), lanes(laneCount(k)),
        emitter(
            k.b, k.loc, k.target, lanes, [&k](const DimExpr &size) { return k.sizeOf(size); },
            k.context) {}

  LogicalResult emit();

private:
  // What is carried of one reduction through outer loops: its value so far, and for compensated
  // ones the lost low part.
  using State = SmallVector<Value>;

  void choose();
  int64_t instructionsOfStage(unsigned stage);
  unsigned unrollFor(int64_t instructions);
  void emitRowUnit(ArrayRef<Index> kept);
  void emitColumnUnit(ArrayRef<Index> kept, Value block);
  void selectColumn(unsigned column, Value laneStart, Value mask);
  State emitPass(unsigned stage, ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  State reduceLoops(unsigned stage, ArrayRef<unsigned> loops, State state,
                    ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  State innermost(unsigned stage, State state, ArrayRef<Value> laneStarts, ArrayRef<Value> masks);
  SmallVector<Value> laneLoop(unsigned stage, Value from, Value to, std::optional<int64_t> extent);
  void laneBody(unsigned stage, MutableArrayRef<Value> accumulators);
  void storeRows(unsigned stage);

  ArrayRef<ReductionOpInterface> reductions(unsigned stage) {
    return stage < space.stages.size() ? ArrayRef<ReductionOpInterface>(space.stages[stage])
                                       : ArrayRef<ReductionOpInterface>();
  }
  SmallVector<std::pair<unsigned, Value>> fullOutputs(unsigned stage);
  bool isStagePresent(unsigned stage) {
    return !reductions(stage).empty() || !fullOutputs(stage).empty();
  }

  SmallVector<Index> squeezedIndex(bool rowOnly);
  SmallVector<Index> indexFor(Value value, bool row) {
    return emitter.unsqueeze(getTensorType(value), squeezedIndex(row));
  }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value identity(ReductionOpInterface op, bool vector);
  void absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value partial);
  Value settle(ReductionOpInterface op, ArrayRef<Value> state);
  Value horizontal(ReductionOpInterface op, Value vector);
  unsigned stateSize(ReductionOpInterface op) { return blocked && op.isCompensated() ? 2 : 1; }
  SmallVector<Value> loop(Value from, Value to, int64_t step, ArrayRef<Value> init,
                          llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body);

  KernelBuilder &k;
  OpBuilder &b;
  Location loc;
  IterationSpace space;
  unsigned lanes;
  ElementEmitter emitter;

  SmallVector<unsigned> keptGroups, reducedLoops; // without the lane group
  std::optional<unsigned> laneGroup;
  unsigned columnVectors = 1; // side by side where every lane has an accumulator
  bool blocked = false;       // sums are long enough to be made of blocks
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

SmallVector<std::pair<unsigned, Value>> LoopKernel::fullOutputs(unsigned stage) {
  SmallVector<std::pair<unsigned, Value>> outputs;
  for (auto [i, value] : llvm::enumerate(k.body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) != Domain::Row && space.stageOf.lookup(value) == stage)
      outputs.push_back({unsigned(i), value});
  return outputs;
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
    if (emitter.mask() && space.lanesReduced())
      next = b.create<arith::SelectOp>(loc, emitter.mask(), next, accumulator);
    accumulator = next;
  }
  // All loads before the first store: an output may lie where an operand does that another output
  // needs (`over` of #keratin.place).
  SmallVector<std::pair<unsigned, Value>> outputs = fullOutputs(stage);
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
  unsigned unroll = unrollFor(instructionsOfStage(stage));
  SmallVector<Value> sets;
  for (unsigned u = 0; u < unroll; ++u)
    for (ReductionOpInterface op : ops)
      sets.push_back(identity(op, true));
  int64_t step = int64_t(lanes) * unroll;
  auto body = [&](Value position, MutableArrayRef<Value> set) {
    current[*laneGroup] = emitter.laneIndex(position);
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
  if (space.lanesReduced()) {
    const DimExpr &extent = space.groups[*laneGroup].extent;
    std::optional<int64_t> constant;
    if (extent.isConstant())
      constant = extent.constantValue();
    Value zero = emitter.i64(0), n = emitter.index(extent).base;
    if (!blocked) {
      SmallVector<Value> partials = laneLoop(stage, zero, n, constant);
      absorbAll(state, partials);
      return state;
    }
    return loop(zero, n, laneBlock, state, [&](Value start, ArrayRef<Value> carried) {
      State next(carried);
      Value stop = b.create<arith::MinSIOp>(loc, add(start, emitter.i64(laneBlock)), n);
      absorbAll(next, laneLoop(stage, start, stop, std::nullopt));
      return next;
    });
  }

  // Columns: the last reduced loop is walked row by row.
  unsigned group = reducedLoops.back();
  Value n = emitter.index(space.groups[group].extent).base;
  auto rows = [&](Value from, Value to) {
    SmallVector<Value> init;
    for (size_t c = 0; c < laneStarts.size(); ++c)
      for (ReductionOpInterface op : ops)
        init.push_back(identity(op, laneGroup.has_value()));
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
  if (!blocked) {
    absorbAll(state, rows(emitter.i64(0), n));
    return state;
  }
  return loop(emitter.i64(0), n, rowBlock, state, [&](Value start, ArrayRef<Value> carried) {
    State next(carried);
    Value stop = b.create<arith::MinSIOp>(loc, add(start, emitter.i64(rowBlock)), n);
    absorbAll(next, rows(start, stop));
    return next;
  });
}

LoopKernel::State LoopKernel::reduceLoops(unsigned stage, ArrayRef<unsigned> loops, State state,
                                          ArrayRef<Value> laneStarts, ArrayRef<Value> masks) {
  if (loops.empty())
    return innermost(stage, std::move(state), laneStarts, masks);
  unsigned group = loops.front();
  return loop(emitter.i64(0), emitter.index(space.groups[group].extent).base, 1, state,
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
  ArrayRef<unsigned> outer = reducedLoops;
  if (!space.lanesReduced())
    outer = outer.drop_back(); // the innermost handles it
  state = reduceLoops(stage, outer, std::move(state), laneStarts, masks);
  State results;
  size_t at = 0;
  for (size_t c = 0; c < laneStarts.size(); ++c)
    for (ReductionOpInterface op : ops) {
      Value settled = settle(op, ArrayRef<Value>(state).slice(at, stateSize(op)));
      at += stateSize(op);
      results.push_back(space.lanesReduced() ? horizontal(op, settled) : settled);
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

void LoopKernel::emitRowUnit(ArrayRef<Index> kept) {
  for (auto [group, index] : llvm::zip(keptGroups, kept))
    current[group] = index;
  Value none;
  for (unsigned stage = 0; stage <= space.stages.size(); ++stage) {
    if (!isStagePresent(stage))
      continue;
    State results = emitPass(stage, {emitter.i64(0)}, {none});
    for (auto [op, value] : llvm::zip(reductions(stage), results))
      emitter.bindRegister(op->getResult(0), value);
    storeRows(stage);
  }
}

void LoopKernel::emitColumnUnit(ArrayRef<Index> kept, Value block) {
  for (auto [group, index] : llvm::zip(keptGroups, kept))
    current[group] = index;
  const DimExpr &extent = space.groups[*laneGroup].extent;
  Value n = emitter.index(extent).base;
  bool whole =
      extent.isConstant() && extent.constantValue() % (int64_t(lanes) * columnVectors) == 0;
  SmallVector<Value> starts, masks;
  Value first = b.create<arith::MulIOp>(loc, block, emitter.i64(int64_t(lanes) * columnVectors));
  for (unsigned u = 0; u < columnVectors; ++u) {
    starts.push_back(u ? add(first, emitter.i64(u * lanes)) : first);
    masks.push_back(whole ? Value() : emitter.maskBelow(starts.back(), n));
  }
  columnRegisters.assign(columnVectors, {});
  for (unsigned stage = 0; stage <= space.stages.size(); ++stage) {
    if (!isStagePresent(stage))
      continue;
    auto ops = reductions(stage);
    State results = emitPass(stage, starts, masks);
    for (unsigned u = 0; u < columnVectors; ++u) {
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
  current[*laneGroup] = emitter.laneIndex(laneStart);
  emitter.setMask(mask);
  for (auto [value, registers] : columnRegisters[column])
    emitter.bindRegister(value, registers);
}

//===-- The unit loop -------------------------------------------------------------------------===//

// What one vector of the stage takes.
int64_t LoopKernel::instructionsOfStage(unsigned stage) {
  SmallVector<Value> wanted;
  for (ReductionOpInterface op : reductions(stage))
    wanted.push_back(op->getOperand(0));
  for (auto [number, value] : fullOutputs(stage))
    wanted.push_back(value);
  int64_t instructions = wanted.size();
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!wanted.empty()) {
    Operation *op = wanted.pop_back_val().getDefiningOp();
    // What earlier stages have found is in registers.
    if (!op || isa<ReductionOpInterface>(op) || !seen.insert(op).second)
      continue;
    instructions += ir::instructionsOf(op);
    wanted.append(op->operand_begin(), op->operand_end());
  }
  return instructions;
}

// Short bodies are put side by side to hide latencies and the cost of the loop; long ones have
// enough independent work in neighbouring iterations, and would only take longer to compile.
unsigned LoopKernel::unrollFor(int64_t instructions) {
  unsigned unroll = instructions <= 6 ? 4 : instructions <= 14 ? 2 : 1;
  if (laneGroup && space.groups[*laneGroup].extent.isConstant()) {
    int64_t vectors = ceilDiv(space.groups[*laneGroup].extent.constantValue(), lanes);
    while (unroll > 1 && int64_t(unroll) > vectors)
      unroll /= 2;
  }
  return unroll;
}

void LoopKernel::choose() {
  current.resize(space.groups.size());
  if (!space.groups.empty())
    laneGroup = space.groups.size() - 1;
  for (unsigned i = 0; i + 1 < space.groups.size(); ++i)
    (space.groups[i].reduced ? reducedLoops : keptGroups).push_back(i);

  int64_t most = 0;
  for (unsigned stage = 0; stage <= space.stages.size(); ++stage)
    most = std::max(most, instructionsOfStage(stage));
  columnVectors = unrollFor(most);
  // A sum is blocked unless it is known to be short.
  DimExpr reducedElements(1);
  for (const IterationSpace::Group &group : space.groups)
    if (group.reduced)
      reducedElements = mul(reducedElements, group.extent).value_or(DimExpr(INT64_MAX));
  int64_t shortRun = space.lanesReduced() ? laneBlock : rowBlock;
  blocked = space.hasReductions() &&
            !(reducedElements.isConstant() && reducedElements.constantValue() <= shortRun);
  // Passes over more rows than caches hold read memory, which wants long pieces of them however
  // long the body is: a normalisation over 100,352 rows of 64, one vector of a row at a time, took
  // four times as long as one with four.
  if (blocked && !space.lanesReduced())
    columnVectors = std::max(columnVectors, unrollFor(0));
}

LogicalResult LoopKernel::emit() {
  choose();
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    emitter.bindBuffer(argument, pointer);
  if (k.watchesNumbers)
    emitter.setWatch([this](Type type) { return k.notes(type); });
  emitter.setSites([this](Operation *op, StringRef message) { return k.site(op, message); });
  // From here on everything is emitted before the return.
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());

  size_t ops = std::distance(k.body().begin(), k.body().end());
  DimExpr elements = product(space.shape).value_or(DimExpr(INT64_MAX));
  k.result.work = mul(elements, DimExpr(int64_t(ops))).value_or(elements);

  if (!space.hasReductions() && space.groups.empty()) {
    laneBody(0, {}); // a scalar
    return success();
  }
  if (!space.hasReductions() && space.groups.size() == 1) {
    // One flat run: units are elements.
    k.result.units = space.groups[0].extent;
    k.result.grain = chunkElements;
    laneLoop(0, k.begin, k.end, std::nullopt);
    return success();
  }
  DimExpr units(1);
  for (unsigned group : keptGroups)
    units = mul(units, space.groups[group].extent).value_or(DimExpr(INT64_MAX));
  DimExpr perUnit(1);
  for (unsigned group : reducedLoops)
    perUnit = mul(perUnit, space.groups[group].extent).value_or(DimExpr(INT64_MAX));
  bool columns = space.hasReductions() && !space.lanesReduced();
  DimExpr blocks(1);
  if (columns) {
    blocks = *ceildiv(space.groups[*laneGroup].extent, DimExpr(int64_t(lanes) * columnVectors));
    perUnit = mul(perUnit, DimExpr(int64_t(lanes) * columnVectors)).value_or(DimExpr(INT64_MAX));
  } else {
    perUnit = mul(perUnit, space.groups[*laneGroup].extent).value_or(DimExpr(INT64_MAX));
  }
  k.result.units = mul(units, blocks).value_or(DimExpr(INT64_MAX));
  k.result.grain = *max(DimExpr(1), *floordiv(DimExpr(chunkElements), *max(perUnit, DimExpr(1))));

  loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) -> SmallVector<Value> {
    Value rest = unit, block;
    if (columns) {
      Value count = emitter.index(blocks).base;
      block = b.create<arith::RemUIOp>(loc, rest, count);
      rest = b.create<arith::DivUIOp>(loc, rest, count);
    }
    SmallVector<Index> kept(keptGroups.size());
    for (size_t i = keptGroups.size(); i-- > 0;) {
      if (i == 0) {
        kept[i] = emitter.scalarIndex(rest);
        break;
      }
      Value extent = emitter.index(space.groups[keptGroups[i]].extent).base;
      kept[i] = emitter.scalarIndex(b.create<arith::RemUIOp>(loc, rest, extent));
      rest = b.create<arith::DivUIOp>(loc, rest, extent);
    }
    if (columns) {
      emitColumnUnit(kept, block);
    } else if (space.hasReductions()) {
      emitRowUnit(kept);
    } else {
      for (auto [group, index] : llvm::zip(keptGroups, kept))
        current[group] = index;
      const DimExpr &extent = space.groups[*laneGroup].extent;
      laneLoop(0, emitter.i64(0), emitter.index(extent).base,
               extent.isConstant() ? std::optional(extent.constantValue()) : std::nullopt);
    }
    return {};
  });
  return success();
}

} // namespace

LogicalResult keratin::codegen::emitLoopKernel(KernelBuilder &k) {
  std::string why;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(k.kernel, &why);
  if (!space)
    return k.kernel.emitError("not implemented: a kernel with ") << why;
  return LoopKernel(k, std::move(*space)).emit();
}
