#include "codegen/cpu/ContractionNarrow.h"

#include "codegen/cpu/SumsOfVectors.h"
#include "codegen/cpu/UnitOrder.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

template <typename Arithmetic>
typename Arithmetic::Number countUnits(Arithmetic &emit, const ContractionSpec &spec,
                                       const ContractionNarrow &plan) {
  return emit.mul(numberOf(emit, spec.batch), emit.constant(plan.panels));
}

class Narrow {
public:
  Narrow(LoopEmitter &emit, const ContractionSpec &spec, const ContractionNarrow &plan,
         int64_t panelColumns)
      : emit(emit), spec(spec), plan(plan), panelColumns(panelColumns), type(spec.accumulatorType),
        vectorType(VectorType::get(plan.lanes, type)), zero(emit.constant(0)),
        depth(numberOf(emit, spec.k)) {
    aRow = strideOf(emit, spec.a.rowStride, spec.a.constantRowStride);
    aDepth = strideOf(emit, spec.a.colStride, spec.a.constantColStride);
    bDepth = panelColumns > 0 ? emit.constant(panelColumns)
                              : strideOf(emit, spec.b.rowStride, spec.b.constantRowStride);
  }

  void run(Value unit) {
    batch = emit.div(unit, emit.constant(plan.panels));
    Value panel = emit.sub(unit, emit.mul(batch, plan.panels));
    first = emit.mul(panel, plan.panelColumns());
    a = entryOf(emit, spec.a, batch, zero);
    b = entryOf(emit, spec.b, batch, panelColumns > 0 ? emit.mul(first, depth) : first);
    const int64_t inLast = *spec.n.constant - (plan.panels - 1) * plan.panelColumns();
    if (plan.panels == 1 && plan.rows * plan.vectors <= plan.mostDirect)
      return storeSums(sums(inLast));
    const int64_t width = plan.panelColumns();
    if (inLast == width)
      keep(sums(width));
    else
      emit.branch(
          emit.less(panel, emit.constant(plan.panels - 1)), [&] { keep(sums(width)); },
          [&] { keep(sums(inLast)); });
    finish();
  }

private:
  using Values = LoopEmitter::Values; // stream by stream, row by row, vector by vector

  // Of the panel's sums, where they wait.
  Value place(Value row, Value column) {
    Value offset = emit.add(emit.mul(row, plan.panelColumns()), column);
    return emit.address(spec.scratch, type, offset);
  }

  // Of a column of the row of B.
  Value offsetOf(int64_t column) {
    if (panelColumns == 0)
      return emit.constant(column);
    Value panel = emit.mul(depth, column / panelColumns * panelColumns);
    return emit.add(panel, column % panelColumns);
  }

  // Null where a vector is full.
  Value maskOf(int64_t columns) {
    return columns < plan.lanes ? emit.firstLanes(plan.lanes, emit.constant(columns)) : Value();
  }

  // All rows times so many columns of the panel, row by row.
  Values sums(int64_t columns) {
    SmallVector<Value> masks;
    for (int64_t at = 0; at < columns; at += plan.lanes)
      masks.push_back(maskOf(columns - at));
    const int64_t count = plan.rows * masks.size();
    Values carried(plan.streams * count, emit.zero(vectorType));
    // A few steps need no loop.
    constexpr int64_t mostUnrolled = 8;
    if (const std::optional<int64_t> steps = spec.k.constant; steps && *steps <= mostUnrolled) {
      for (int64_t k = 0; k < *steps; ++k)
        advance(carried, masks, emit.constant(k), k % plan.streams);
      return together(std::move(carried), count);
    }
    Value whole = emit.mul(emit.div(depth, emit.constant(plan.streams)), plan.streams);
    carried = emit.loop(zero, whole, plan.streams, carried, [&](Value k, ValueRange state) {
      Values next(state);
      for (int64_t stream = 0; stream < plan.streams; ++stream)
        advance(next, masks, emit.add(k, stream), stream);
      return next;
    });
    carried = emit.loop(whole, depth, 1, carried, [&](Value k, ValueRange state) {
      Values next(state);
      advance(next, masks, k, 0);
      return next;
    });
    return together(std::move(carried), count);
  }

  // The products at k, added to the sums of a stream.
  void advance(Values &sums, ArrayRef<Value> masks, Value k, int64_t stream) {
    const int64_t vectors = masks.size();
    Values columns;
    Value row = emit.address(b, spec.b.elementType, emit.mul(k, bDepth));
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(emit.loadAs(type, spec.b.elementType, plan.lanes,
                                    emit.address(row, spec.b.elementType, offsetOf(v * plan.lanes)),
                                    masks[v]));
    for (int64_t r = 0; r < plan.rows; ++r) {
      Value at = emit.add(emit.mul(aRow, r), emit.mul(k, aDepth));
      Value element =
          emit.loadAs(type, spec.a.elementType, emit.address(a, spec.a.elementType, at));
      Value factor = emit.splat(element, plan.lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[(stream * plan.rows + r) * vectors + v];
        sum = emit.multiplyAdd(factor, columns[v], sum);
      }
    }
  }

  // The sums of the streams; there are a power of two.
  Values together(Values carried, int64_t count) {
    for (int64_t streams = plan.streams / 2; streams > 0; streams /= 2)
      for (int64_t i = 0; i < streams * count; ++i)
        carried[i] = plus(emit, carried[i], carried[streams * count + i]);
    carried.truncate(count);
    return carried;
  }

  // In memory.
  void keep(const Values &sums) {
    const int64_t vectors = sums.size() / plan.rows;
    for (auto [i, found] : llvm::enumerate(sums))
      emit.store(found, place(emit.constant(i / vectors), emit.constant(i % vectors * plan.lanes)));
  }

  // One loop finishes the rows of all panels.
  void finish() {
    const int64_t width = plan.panelColumns(), columns = *spec.n.constant;
    Value left = emit.sub(emit.constant(columns), first);
    auto finishVector = [&](Value row, Value column, Value mask) {
      store(row, column, emit.load(vectorType, place(row, column)), mask);
    };
    constexpr int64_t mostSideBySide = 4;
    if (plan.vectors > mostSideBySide) {
      emit.loop(zero, emit.constant(plan.rows), 1, [&](Value row) {
        emit.loop(zero, emit.min(emit.constant(width), left), plan.lanes, [&](Value column) {
          Value mask;
          if (columns % plan.lanes != 0)
            mask = emit.firstLanes(plan.lanes, emit.sub(left, column));
          finishVector(row, column, mask);
        });
      });
      return;
    }
    SmallVector<Value> masks;
    for (int64_t at = 0; at < width; at += plan.lanes) {
      if (columns % width == 0)
        masks.push_back(Value());
      else if (plan.panels == 1)
        masks.push_back(maskOf(columns - at));
      else
        masks.push_back(emit.firstLanes(plan.lanes, emit.sub(left, emit.constant(at))));
    }
    emit.loop(zero, emit.constant(plan.rows), 1, [&](Value row) {
      for (auto [v, mask] : llvm::enumerate(masks))
        finishVector(row, emit.constant(v * plan.lanes), mask);
    });
  }

  // Out of registers.
  void storeSums(const Values &sums) {
    for (auto [i, found] : llvm::enumerate(sums)) {
      const int64_t column = i % plan.vectors * plan.lanes;
      store(emit.constant(i / plan.vectors), emit.constant(column), found,
            maskOf(*spec.n.constant - column));
    }
  }

  void store(Value row, Value column, Value found, Value mask) {
    spec.store(emit.builder, emit.loc, emit.toIndex(batch), emit.toIndex(row),
               emit.toIndex(emit.add(first, column)), found, mask);
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionNarrow &plan;
  const int64_t panelColumns; // of B's; 0: it is where it was
  Type type;
  VectorType vectorType;
  Value zero, depth, aRow, aDepth, bDepth;
  Value batch, first, a, b; // of the unit; first: the panel's first column
};

} // namespace

Value keratin::codegen::emitNarrowUnits(LoopEmitter &emit, const ContractionSpec &spec,
                                        const ContractionNarrow &plan) {
  return countUnits(emit, spec, plan);
}

SizeCases keratin::codegen::narrowUnits(const ContractionSpec &spec,
                                        const ContractionNarrow &plan) {
  SizeArithmetic arithmetic;
  return countUnits(arithmetic, spec, plan);
}

void keratin::codegen::emitNarrow(LoopEmitter &emit, const ContractionSpec &spec,
                                  const ContractionNarrow &plan, int64_t panelColumns, Value begin,
                                  Value end) {
  Narrow narrow(emit, spec, plan, panelColumns);
  emit.loop(begin, end, 1, [&](Value place) { narrow.run(unitAt(emit, spec, begin, end, place)); });
}
