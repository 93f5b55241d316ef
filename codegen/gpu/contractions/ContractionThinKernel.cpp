// Products of a matrix and a few vectors, after a ContractionThinPlan.
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/contractions/ContractionCode.h"
#include "codegen/gpu/contractions/ContractionThinPlan.h"
#include "codegen/gpu/threads/Meeting.h"
#include "codegen/gpu/threads/Shuffle.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class ContractionThinKernel {
public:
  ContractionThinKernel(DeviceKernelBuilder &k, const ContractionThinPlan &plan)
      : k(k), plan(plan), code(k, plan.nest), emit(code.emit), meeting(k, plan) {}

  void emitUnits();

private:
  using Values = LoopEmitter::Values;

  // An operand, and where its lines are that a thread reads.
  struct Lines {
    StridedSource source;
    SmallVector<Values> lines;
  };
  Lines matrixOf(Value batch, Value firstLine, int64_t lines, Value line);
  Lines vectorsOf(Value batch);
  Values read(Lines &operand, int64_t line, Value depth, int64_t group);
  // The sums of the products of the matrix's line with each vector over the depths from the first
  // on, groups of them, so many apart; some for each place in the group.
  Values sumProducts(Lines &matrix, Lines &vectors, Value first, int64_t distance, int64_t group,
                     Value end);

  void emitLine(Value unit);
  void emitLines(Value unit);
  void store(Value batch, Value line, Value vector, Value sum);

  DeviceKernelBuilder &k;
  const ContractionThinPlan &plan;
  ContractionCode code;
  LoopEmitter &emit;
  Meeting meeting;
};

} // namespace

void ContractionThinKernel::store(Value batch, Value line, Value vector, Value sum) {
  code.store(batch, plan.isMatrixA ? line : vector, plan.isMatrixA ? vector : line, sum);
}

static int64_t groupOf(Type sumType) { return 128 / sumType.getIntOrFloatBitWidth(); }

ContractionThinKernel::Lines ContractionThinKernel::matrixOf(Value batch, Value firstLine,
                                                             int64_t lines, Value line) {
  // Depths are asked for beyond the last.
  ContractionCode::Part part = {batch, firstLine, lines, INT64_MAX};
  int64_t group = groupOf(code.sumType);
  StridedSource source = plan.isMatrixA ? code.a(part, group) : code.b(part, group);
  return {source, {source.line(emit, line)}};
}

ContractionThinKernel::Lines ContractionThinKernel::vectorsOf(Value batch) {
  ContractionCode::Part part = {batch, Value(), std::max<int64_t>(1, plan.vectors), INT64_MAX};
  int64_t group = groupOf(code.sumType);
  Lines result = {plan.isMatrixA ? code.b(part, group) : code.a(part, group), {}};
  for (int64_t vector = 0; vector < plan.vectors; ++vector)
    result.lines.push_back(result.source.line(emit, emit.constant(vector)));
  return result;
}

ContractionThinKernel::Values ContractionThinKernel::read(Lines &operand, int64_t line, Value depth,
                                                          int64_t group) {
  StridedSource &source = operand.source;
  Type type = storageOf(source.elementType);
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  auto get = [&](Value at, Type type, int64_t alignment) -> Value {
    auto [pointer, exists] = source.element(emit, operand.lines[line], source.depth(emit, at));
    auto load = [&, from = pointer] {
      return Values{k.b.create<LLVM::LoadOp>(k.loc, type, from, unsigned(alignment))};
    };
    Value stored = exists ? emit.choose(exists, ArrayRef<Type>(type), load,
                                        [&] { return Values{emit.zero(type)}; })[0]
                          : load()[0];
    return widenToSum(emit, stored, source.elementType, code.sumType);
  };
  Values result;
  if (group > 1 && source.isGrouped && source.neighbours == ContractionSource::Neighbours::Depths) {
    Value numbers = get(depth, VectorType::get(group, type), bytes * group);
    for (int64_t i = 0; i < group; ++i)
      result.push_back(k.b.create<vector::ExtractOp>(k.loc, numbers, ArrayRef<int64_t>{i}));
    return result;
  }
  for (int64_t i = 0; i < group; ++i)
    result.push_back(get(emit.add(depth, i), type, bytes));
  return result;
}

ContractionThinKernel::Values ContractionThinKernel::sumProducts(Lines &matrix, Lines &vectors,
                                                                 Value first, int64_t distance,
                                                                 int64_t group, Value end) {
  Values zeros(plan.vectors * group, emit.zero(code.sumType));
  int64_t atOnce = ContractionThinPlan::depthsAtOnce;
  return emit.loop(first, end, distance * atOnce, zeros, [&](Value depth, ValueRange sums) {
    // All reads before the products: they are on their way together.
    SmallVector<Values> ofMatrix, ofVectors;
    for (int64_t i = 0; i < atOnce; ++i) {
      Value own = emit.add(depth, i * distance);
      ofMatrix.push_back(read(matrix, 0, own, group));
      for (int64_t vector = 0; vector < plan.vectors; ++vector)
        ofVectors.push_back(read(vectors, vector, own, group));
    }
    Values next(sums);
    for (int64_t i = 0; i < atOnce; ++i)
      for (int64_t vector = 0; vector < plan.vectors; ++vector)
        for (int64_t j = 0; j < group; ++j) {
          Value &sum = next[vector * group + j];
          sum = addProduct(emit, ofMatrix[i][j], ofVectors[i * plan.vectors + vector][j], sum);
        }
    return next;
  });
}

//===-- A warp a line -------------------------------------------------------------------------===//

void ContractionThinKernel::emitLine(Value unit) {
  Warp warp(k.b, k.loc);
  Value lane = warp.lane(), batch = unit;
  Value line = emit.popCounter(batch, k.sizeOf(plan.lines()));
  Lines matrix = matrixOf(batch, line, 1, emit.constant(0)), vectors = vectorsOf(batch);
  auto sum = [&](int64_t group) {
    Values sums =
        sumProducts(matrix, vectors, emit.mul(lane, group), warpThreads * group, group, code.depth);
    Values result;
    for (int64_t vector = 0; vector < plan.vectors; ++vector) {
      Value total = sums[vector * group];
      for (int64_t i = 1; i < group; ++i)
        total = addSums(emit, total, sums[vector * group + i]);
      result.push_back(total);
    }
    return result;
  };
  Value isGrouped = matrix.source.isGrouped;
  if (isGrouped && vectors.source.neighbours == ContractionSource::Neighbours::Depths)
    isGrouped =
        vectors.source.isGrouped ? emit.logicalAnd(isGrouped, vectors.source.isGrouped) : Value();
  SmallVector<Type> types(plan.vectors, code.sumType);
  Values sums = isGrouped ? emit.choose(
                                isGrouped, types, [&] { return sum(groupOf(code.sumType)); },
                                [&] { return sum(1); })
                          : sum(1);
  Value own = emit.zero(code.sumType);
  for (int64_t vector = 0; vector < plan.vectors; ++vector) {
    Value total = sums[vector];
    for (unsigned distance = 1; distance < warpThreads; distance *= 2)
      total = addSums(emit, total, warp.fromFurther(total, distance));
    own = emit.select(emit.equal(lane, emit.constant(vector)), warp.fromFirst(total), own);
  }
  // The first threads have a vector each.
  emit.branch(emit.less(lane, emit.constant(plan.vectors)), [&] { store(batch, line, lane, own); });
}

//===-- Warps that share the depth ------------------------------------------------------------===//

void ContractionThinKernel::emitLines(Value unit) {
  constexpr int64_t lines = ContractionThinPlan::blockLines, warps = ContractionThinPlan::warps;
  ThreadBlock block(k.b, k.loc);
  Value warp = block.thread(), own = unit, part = emit.constant(0);
  Value lane = emit.popCounter(warp, emit.constant(lines)), parts = k.sizeOf(plan.depthParts());
  if (plan.mostParts > 1)
    part = emit.popCounter(unit, parts);
  Value number = unit, ofMatrix = plan.isMatrixA ? code.m : code.n;
  Value first =
      emit.mul(emit.popCounter(unit, emit.ceilDiv(ofMatrix, emit.constant(lines))), lines);
  Value batch = unit;
  Lines matrix = matrixOf(batch, first, lines, lane), vectors = vectorsOf(batch);
  // Whole steps: what is read at once ends with the part.
  Value ofPart =
      emit.roundUp(emit.ceilDiv(code.depth, parts), warps * ContractionThinPlan::depthsAtOnce);
  Value begin = emit.mul(part, ofPart);
  Values sums = sumProducts(matrix, vectors, emit.add(begin, warp), warps, 1,
                            emit.min(emit.add(begin, ofPart), code.depth));
  // Of a warp and a vector, a number for each line.
  auto place = [&](Value memory, Value warp, Value vector) {
    Value row = emit.add(emit.mul(warp, plan.vectors), vector);
    return emit.address(memory, code.sumType, emit.add(emit.mul(row, lines), lane));
  };
  Value memory = block.memory(), none = emit.constant(0);
  for (int64_t vector = 0; vector < plan.vectors; ++vector)
    emit.store(sums[vector], place(memory, warp, emit.constant(vector)));
  block.barrier();
  // The first warps have a vector each.
  Value line = emit.add(first, lane), isOwn = emit.less(warp, emit.constant(plan.vectors));
  auto storeOwn = [&](Value total) {
    emit.branch(emit.less(line, ofMatrix), [&] { store(batch, line, warp, total); });
  };
  emit.branch(isOwn, [&] {
    Value total = emit.load(code.sumType, place(memory, none, warp));
    for (int64_t number = 1; number < warps; ++number)
      total =
          addSums(emit, total, emit.load(code.sumType, place(memory, emit.constant(number), warp)));
    if (plan.mostParts == 1)
      storeOwn(total);
    else
      emit.store(total, place(meeting.part(own), none, warp));
  });
  if (plan.mostParts == 1) {
    block.barrier();
    return;
  }
  // The last block to come adds what all have left, in order.
  Value adds = emit.logicalAnd(meeting.isLast(number, parts), isOwn);
  emit.branch(adds, [&] {
    auto load = [&](Value part) {
      Value left = meeting.part(emit.add(emit.mul(number, parts), part));
      return emit.load(code.sumType, place(left, none, warp));
    };
    storeOwn(emit.loop(emit.constant(1), parts, 1, load(none), [&](Value part, ValueRange sum) {
      return Values{addSums(emit, sum[0], load(part))};
    })[0]);
  });
}

void ContractionThinKernel::emitUnits() {
  emit.loop(k.begin, k.end, 1,
            [&](Value unit) { plan.isAlongDepth ? emitLine(unit) : emitLines(unit); });
}

void ContractionThinPlan::emit(DeviceKernelBuilder &k) const {
  ContractionThinKernel(k, *this).emitUnits();
}
