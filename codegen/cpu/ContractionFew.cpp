#include "codegen/cpu/ContractionFew.h"

#include "codegen/cpu/SumsOfVectors.h"
#include "codegen/cpu/UnitOrder.h"
#include "codegen/lowering/Rounding.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Values = LoopEmitter::Values;

template <typename Arithmetic>
typename Arithmetic::Number isFewOf(Arithmetic &emit, const ContractionSpec &spec,
                                    const ContractionFew &plan) {
  using Number = typename Arithmetic::Number;
  const Number m = numberOf(emit, spec.m), n = numberOf(emit, spec.n), k = numberOf(emit, spec.k);
  auto atMost = [&](const Number &number, int64_t most) {
    return emit.less(number, emit.constant(most + 1));
  };
  const Number isNear = atMost(emit.mul(n, emit.add(k, emit.constant(1))), plan.nearElements);
  Number isFew = atMost(m, plan.mostRows);
  // Tiles of two vectors would pack the last of them for what it lacks.
  if (!spec.n.constant) {
    const Number panel = emit.constant(2 * plan.lanes);
    const Number isOneVector = atMost(n, plan.lanes), isMany = atMost(m, plan.mostRowsOfParts);
    const Number isWhole = emit.equal(emit.mul(emit.div(n, panel), panel), n);
    const Number isFewOfVector = atMost(m, plan.mostRowsOfVector);
    isFew = emit.select(isOneVector, isFewOfVector, emit.select(isWhole, isFew, isMany));
  }
  isFew = emit.logicalAnd(isFew, isNear);
  const Number isOneTile = emit.logicalAnd(atMost(m, plan.tileRows), atMost(n, plan.nearColumns));
  isFew = emit.select(isOneTile, isOneTile, isFew);
  const Number streams = atMost(m, plan.streamedRows);
  return emit.select(streams, streams, isFew);
}

template <typename Arithmetic>
typename Arithmetic::Number countPanels(Arithmetic &emit, const ContractionSpec &spec,
                                        const ContractionFew &plan) {
  return emit.ceilDiv(numberOf(emit, spec.n), emit.constant(plan.panelColumns()));
}

template <typename Arithmetic>
typename Arithmetic::Number countUnits(Arithmetic &emit, const ContractionSpec &spec,
                                       const ContractionFew &plan) {
  // None without rows.
  const auto panels =
      emit.mul(emit.min(numberOf(emit, spec.m), emit.constant(1)), countPanels(emit, spec, plan));
  return emit.mul(numberOf(emit, spec.batch), panels);
}

// Widths of tiles, in vectors.
struct Widths {
  bool noPart = false; // all vectors are known to be whole
  // The widest first, each as often as it fits.
  SmallVector<int64_t, 4> whole;
  // What is left has so many vectors, the last of them perhaps in part; in ascending order. The
  // largest as often as it fits, too.
  SmallVector<int64_t, 4> rest;
};

// Those that occur.
Widths widthsOf(const ContractionSpec &spec, const ContractionFew &plan, int64_t rows) {
  const int64_t most = plan.mostVectors(rows);
  Widths widths;
  if (!spec.n.constant) {
    const int64_t mostInRest = std::min<int64_t>(most, 4);
    for (int64_t width = most; width > mostInRest; width /= 2) {
      widths.whole.push_back(width);
      // A second-level cache gives a row of B in parts more slowly.
      if (width == 16)
        widths.whole.push_back(12);
    }
    for (int64_t width = 1; width <= mostInRest; ++width)
      widths.rest.push_back(width);
    return widths;
  }
  widths.noPart = *spec.n.constant % plan.lanes == 0;
  const int64_t vectors = *spec.n.constant / plan.lanes;
  if (vectors >= most)
    widths.whole.push_back(most);
  const int64_t rest = ceilDiv(*spec.n.constant, plan.lanes) - vectors / most * most;
  if (rest > 0)
    widths.rest.push_back(rest);
  return widths;
}

// A function: so many rows, times the columns of a panel, over the whole depth.
class FewTile {
public:
  FewTile(LoopEmitter &emit, const ContractionSpec &spec, const ContractionFew &plan, int64_t rows,
          ValueRange p)
      : emit(emit), spec(spec), plan(plan), rows(rows), type(spec.accumulatorType),
        vectorType(VectorType::get(plan.lanes, type)), zero(emit.constant(0)), a(p[0]),
        aDepth(p[2]), b(p[3]), bDepth(p[4]), depth(p[5]), columns(p[6]), sums(p[7]) {
    for (int64_t r = 0; r < rows; ++r)
      rowOffsets.push_back(emit.mul(p[1], r));
  }

  void run(const Widths &widths) {
    Value at = zero;
    for (int64_t width : widths.whole) {
      const int64_t step = width * plan.lanes;
      Value end =
          emit.add(at, emit.mul(emit.div(emit.sub(columns, at), emit.constant(step)), step));
      emit.loop(at, end, step, [&](Value at) { strip(width, at, nullptr); });
      at = end;
    }
    if (!widths.rest.empty())
      emit.loop(at, columns, widths.rest.back() * plan.lanes,
                [&](Value at) { pick(widths, widths.rest, at, emit.sub(columns, at)); });
  }

private:
  // The first width that is enough, else the last one.
  void pick(const Widths &widths, ArrayRef<int64_t> among, Value at, Value left) {
    if (among.size() == 1) {
      const int64_t before = (among.front() - 1) * plan.lanes;
      Value mask;
      if (!widths.noPart)
        mask = emit.firstLanes(plan.lanes, emit.sub(left, emit.constant(before)));
      return strip(among.front(), at, mask);
    }
    const size_t half = among.size() / 2;
    emit.branch(
        emit.less(left, emit.constant(among[half - 1] * plan.lanes + 1)),
        [&] { pick(widths, among.take_front(half), at, left); },
        [&] { pick(widths, among.drop_front(half), at, left); });
  }

  // So many vectors from a column on, the last one with a mask.
  void strip(int64_t vectors, Value at, Value mask) {
    const int64_t count = rows * vectors;
    int64_t streams = 1;
    while (streams * count < plan.inFlight)
      streams *= 2;
    Value start = emit.address(b, spec.b.elementType, at);
    Values carried(streams * count, emit.zero(vectorType));
    carried.append({a, start});
    auto steps = [&](int64_t number) {
      return [&, number](Value, ValueRange state) {
        Values next(state);
        for (int64_t stream = 0; stream < number; ++stream)
          advance(next, vectors, mask, stream);
        return next;
      };
    };
    Value together = emit.mul(emit.div(depth, emit.constant(streams)), streams);
    carried = emit.loop(zero, together, streams, carried, steps(streams));
    if (streams > 1)
      carried = emit.loop(together, depth, 1, carried, steps(1));
    for (; streams > 1; streams /= 2)
      for (int64_t i = 0; i < streams / 2 * count; ++i)
        carried[i] = plus(emit, carried[i], carried[streams / 2 * count + i]);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t offset = i / vectors * plan.panelColumns() + i % vectors * plan.lanes;
      emit.store(carried[i], emit.address(emit.address(sums, type, at), type, offset));
    }
  }

  // The next products, added to the sums of a stream; what is carried ends with the places in A
  // and B.
  void advance(Values &carried, int64_t vectors, Value mask, int64_t stream) {
    Value &from = carried[carried.size() - 2], &row = carried.back();
    Values columns;
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(emit.loadAs(type, spec.b.elementType, plan.lanes,
                                    emit.address(row, spec.b.elementType, v * plan.lanes),
                                    v + 1 < vectors ? Value() : mask));
    for (int64_t r = 0; r < rows; ++r) {
      Value element = emit.loadAs(type, spec.a.elementType,
                                  emit.address(from, spec.a.elementType, rowOffsets[r]));
      Value factor = emit.splat(element, plan.lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = carried[(stream * rows + r) * vectors + v];
        sum = emit.multiplyAdd(factor, columns[v], sum);
      }
    }
    from = emit.address(from, spec.a.elementType, aDepth);
    row = emit.address(row, spec.b.elementType, bDepth);
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionFew &plan;
  const int64_t rows;
  Type type;
  VectorType vectorType;
  Value zero, a, aDepth, b, bDepth, depth, columns, sums;
  Values rowOffsets;
};

class FewRows {
public:
  FewRows(LoopEmitter &emit, const ContractionSpec &spec, const ContractionFew &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType), zero(emit.constant(0)),
        m(numberOf(emit, spec.m)), n(numberOf(emit, spec.n)), k(numberOf(emit, spec.k)),
        panels(countPanels(emit, spec, plan)) {
    aRow = strideOf(emit, spec.a.rowStride, spec.a.constantRowStride);
    aDepth = strideOf(emit, spec.a.colStride, spec.a.constantColStride);
    bDepth = strideOf(emit, spec.b.rowStride, spec.b.constantRowStride);
  }

  void run(Value unit) {
    batch = spec.batch.constant == 1 ? zero : emit.div(unit, panels);
    first = emit.mul(emit.sub(unit, emit.mul(batch, panels)), plan.panelColumns());
    columns = emit.min(emit.constant(plan.panelColumns()), emit.sub(n, first));
    a = entryOf(emit, spec.a, batch, zero);
    b = entryOf(emit, spec.b, batch, first);
    Value whole = emit.mul(emit.div(m, emit.constant(plan.tileRows)), plan.tileRows);
    emit.loop(zero, whole, plan.tileRows, [&](Value row) { tile(plan.tileRows, row); });
    rest(1, plan.tileRows - 1, whole, emit.sub(m, whole));
    emit.loop(zero, m, 1, [&](Value row) {
      emit.loop(zero, columns, plan.lanes, [&](Value column) { finish(row, column); });
    });
  }

private:
  Value place(Value row, Value column) {
    return emit.address(spec.scratch, type, emit.add(emit.mul(row, plan.panelColumns()), column));
  }

  // From least to most rows that are left, or none.
  void rest(int64_t least, int64_t most, Value row, Value left) {
    if (most < least)
      return;
    if (std::optional<int64_t> known = emit.constantOf(left)) {
      if (*known > 0)
        tile(*known, row);
      return;
    }
    emit.branch(
        emit.equal(left, emit.constant(least)), [&] { tile(least, row); },
        [&] { rest(least + 1, most, row, left); });
  }

  void tile(int64_t rows, Value row) {
    const Widths widths = widthsOf(spec, plan, rows);
    std::string name = llvm::formatv("keratin_few_rows_{0}_{1}_{2}_{3}x{4}", type,
                                     spec.a.elementType, spec.b.elementType, rows, plan.lanes);
    if (widths.noPart)
      name += "_whole";
    for (int64_t width : llvm::concat<const int64_t>(widths.whole, widths.rest))
      name += "_" + std::to_string(width);
    emit.callShared(
        name,
        {emit.address(a, spec.a.elementType, emit.mul(row, aRow)), aRow, aDepth, b, bDepth, k,
         columns, place(row, zero)},
        [&](LoopEmitter &inner, ValueRange p) { FewTile(inner, spec, plan, rows, p).run(widths); });
  }

  void finish(Value row, Value column) {
    Value mask;
    if (!spec.n.isMultipleOf(plan.lanes))
      mask = emit.firstLanes(plan.lanes, emit.sub(columns, column));
    Value sums = emit.load(VectorType::get(plan.lanes, type), place(row, column));
    spec.store(emit.builder, emit.loc, emit.toIndex(batch), emit.toIndex(row),
               emit.toIndex(emit.add(first, column)), sums, mask);
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionFew &plan;
  Type type;
  Value zero, m, n, k, panels, aRow, aDepth, bDepth;
  Value batch, first, columns, a, b; // of the unit
};

} // namespace

Value keratin::codegen::isFew(LoopEmitter &emit, const ContractionSpec &spec,
                              const ContractionFew &plan) {
  return isFewOf(emit, spec, plan);
}

SizeCases keratin::codegen::isFew(SizeArithmetic &arithmetic, const ContractionSpec &spec,
                                  const ContractionFew &plan) {
  return isFewOf(arithmetic, spec, plan);
}

Value keratin::codegen::emitFewUnits(LoopEmitter &emit, const ContractionSpec &spec,
                                     const ContractionFew &plan) {
  return countUnits(emit, spec, plan);
}

SizeCases keratin::codegen::fewUnits(const ContractionSpec &spec, const ContractionFew &plan) {
  SizeArithmetic arithmetic;
  return countUnits(arithmetic, spec, plan);
}

void keratin::codegen::emitFew(LoopEmitter &emit, const ContractionSpec &spec,
                               const ContractionFew &plan, Value begin, Value end) {
  FewRows rows(emit, spec, plan);
  emit.loop(begin, end, 1, [&](Value place) { rows.run(unitAt(emit, spec, begin, end, place)); });
}
