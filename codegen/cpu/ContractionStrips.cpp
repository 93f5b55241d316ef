#include "codegen/cpu/ContractionStrips.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

template <typename Arithmetic>
typename Arithmetic::Number countUnits(Arithmetic &emit, const ContractionSpec &spec,
                                       const ContractionStrips &plan) {
  return emit.ceilDiv(numberOf(emit, spec.m), emit.constant(plan.unitRows));
}

class Strips {
public:
  Strips(LoopEmitter &emit, const ContractionSpec &spec, const ContractionStrips &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType),
        vectorType(VectorType::get(plan.lanes, type)), zero(emit.constant(0)),
        rowsOfAll(numberOf(emit, spec.m)), depth(numberOf(emit, spec.k)) {
    aRow = strideOf(emit, spec.a.rowStride, spec.a.constantRowStride);
    bDepth = strideOf(emit, spec.b.rowStride, spec.b.constantRowStride);
  }

  void run(Value unit) {
    Value begin = emit.mul(unit, plan.unitRows);
    Value end = emit.min(emit.add(begin, plan.unitRows), rowsOfAll);
    Value count = emit.div(emit.sub(end, begin), emit.constant(plan.rows));
    Value whole = emit.add(begin, emit.mul(count, plan.rows));
    emit.loop(begin, whole, plan.rows, [&](Value row) { strip(row, Value()); });
    if (!spec.m.isMultipleOf(plan.rows))
      emit.loop(whole, end, plan.rows, [&](Value row) { strip(row, emit.sub(end, row)); });
  }

private:
  using Values = LoopEmitter::Values; // row by row, vector by vector

  // From a row on: as many as a tile has, or fewer, `left`.
  void strip(Value row, Value left) {
    const int64_t width = plan.vectors * plan.lanes, columns = *spec.n.constant,
                  whole = columns / width * width;
    emit.loop(zero, emit.constant(whole), width,
              [&](Value column) { tile(row, left, column, plan.vectors); });
    if (whole < columns)
      tile(row, left, emit.constant(whole), (columns - whole) / plan.lanes);
  }

  void tile(Value row, Value left, Value column, int64_t vectors) {
    Values found = sums(row, left, column, vectors);
    if (!left && plan.storesSums) {
      for (auto [i, vector] : llvm::enumerate(found))
        store(emit.add(row, i / vectors), emit.add(column, i % vectors * plan.lanes), vector);
      return;
    }
    auto place = [&](Value row, int64_t vector) {
      Value offset = emit.add(emit.mul(row, vectors), vector);
      return emit.address(spec.scratch, type, emit.mul(offset, plan.lanes));
    };
    for (auto [i, vector] : llvm::enumerate(found))
      emit.store(vector, place(emit.constant(i / vectors), i % vectors));
    emit.loop(zero, left ? left : emit.constant(plan.rows), 1, [&](Value r) {
      for (int64_t v = 0; v < vectors; ++v)
        store(emit.add(row, r), emit.add(column, v * plan.lanes),
              emit.load(vectorType, place(r, v)));
    });
  }

  // Rows that do not exist are the last one again.
  Values sums(Value row, Value left, Value column, int64_t vectors) {
    Values offsets;
    for (int64_t r = 0; r < plan.rows; ++r) {
      Value there = emit.constant(r);
      offsets.push_back(
          emit.mul(left ? emit.min(there, emit.sub(left, emit.constant(1))) : there, aRow));
    }
    const int64_t count = plan.rows * vectors;
    Values carried(count, emit.zero(vectorType));
    carried.push_back(emit.address(spec.a.base, type, emit.mul(row, aRow)));
    carried.push_back(emit.address(spec.b.base, type, column));
    carried = emit.loop(zero, depth, 1, carried, [&](Value, ValueRange state) {
      Value a = state[count], b = state[count + 1];
      Values next(state), columns;
      for (int64_t v = 0; v < vectors; ++v)
        columns.push_back(emit.load(vectorType, emit.address(b, type, v * plan.lanes)));
      for (int64_t r = 0; r < plan.rows; ++r) {
        Value factor = emit.splat(emit.load(type, emit.address(a, type, offsets[r])), plan.lanes);
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = next[r * vectors + v];
          sum = emit.multiplyAdd(factor, columns[v], sum);
        }
      }
      next[count] = emit.address(a, type, 1);
      next[count + 1] = emit.address(b, type, bDepth);
      return next;
    });
    carried.truncate(count);
    return carried;
  }

  void store(Value row, Value column, Value found) {
    spec.store(emit.builder, emit.loc, emit.toIndex(zero), emit.toIndex(row), emit.toIndex(column),
               found, Value());
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionStrips &plan;
  Type type;
  VectorType vectorType;
  Value zero, rowsOfAll, depth, aRow, bDepth;
};

} // namespace

Value keratin::codegen::emitStripUnits(LoopEmitter &emit, const ContractionSpec &spec,
                                       const ContractionStrips &plan) {
  return countUnits(emit, spec, plan);
}

SizeCases keratin::codegen::stripUnits(const ContractionSpec &spec, const ContractionStrips &plan) {
  SizeArithmetic arithmetic;
  return countUnits(arithmetic, spec, plan);
}

void keratin::codegen::emitStrips(LoopEmitter &emit, const ContractionSpec &spec,
                                  const ContractionStrips &plan, Value begin, Value end) {
  Strips strips(emit, spec, plan);
  emit.loop(begin, end, 1, [&](Value unit) { strips.run(unit); });
}
