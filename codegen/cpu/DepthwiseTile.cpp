#include "codegen/cpu/DepthwiseTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

// An element of x is read once for each tap that meets it: there are two loads for two products a
// cycle, and neighbouring outputs find it in the first-level cache. A row of outputs has a pointer
// of its own and shares the offsets of its columns with the others, so that all addresses stay in
// registers although the strides are known at run time only.
class PartLoops {
public:
  PartLoops(LoopEmitter &emit, const DepthwiseTile &tile, Type xType, Type filterType, Type sumType,
            const DepthwisePart &part)
      : emit(emit), tile(tile), xType(xType), filterType(filterType), sumType(sumType), part(part),
        rows(part.allRows ? tile.rows : 1), columns(part.allColumns ? tile.columns : 1),
        vectors(tile.vectors), count(rows * columns * vectors),
        vectorType(VectorType::get(tile.lanes, sumType)), masks(vectors) {
    if (part.channels)
      for (int64_t v = 0; v < vectors; ++v)
        masks[v] =
            emit.firstLanes(tile.lanes, emit.sub(part.channels, emit.constant(v * tile.lanes)));
  }

  void run();

private:
  using Values = LoopEmitter::Values;

  // Which sum the i-th is.
  int64_t vectorOf(int64_t i) const { return i % vectors; }
  int64_t columnOf(int64_t i) const { return i / vectors % columns; }
  int64_t rowOf(int64_t i) const { return i / vectors / columns; }
  Value place(int64_t i);
  Values firstSums();
  // Carried are the sums; then the rows' pointers into x, and the pointer into the filter.
  Values columnTap(ValueRange state);
  // Carried are the sums; then the first row's pointer into x, and the pointer into the filter.
  Values rowTap(ValueRange state);
  Value loadLanes(Type type, Value from, int64_t vector);

  LoopEmitter &emit;
  const DepthwiseTile &tile;
  Type xType, filterType, sumType;
  const DepthwisePart &part;
  int64_t rows, columns, vectors, count;
  VectorType vectorType;
  SmallVector<Value> masks, offsets;
};

Value PartLoops::place(int64_t i) {
  int64_t at = ((rowOf(i) * tile.columns + columnOf(i)) * vectors + vectorOf(i)) * tile.lanes;
  return emit.address(part.sums, sumType, at);
}

PartLoops::Values PartLoops::firstSums() {
  SmallVector<Type> types(count, vectorType);
  return emit.choose(
      part.first, types, [&] { return Values(count, emit.zero(vectorType)); },
      [&] {
        Values partial;
        for (int64_t i = 0; i < count; ++i)
          partial.push_back(emit.load(vectorType, place(i)));
        return partial;
      });
}

Value PartLoops::loadLanes(Type type, Value from, int64_t vector) {
  return emit.loadAs(sumType, type, tile.lanes, emit.address(from, type, vector * tile.lanes),
                     masks[vector]);
}

PartLoops::Values PartLoops::columnTap(ValueRange state) {
  Values next(state.take_front(count));
  ValueRange starts = state.slice(count, rows);
  Value factor = state.back();
  SmallVector<Value> factors;
  for (int64_t v = 0; v < vectors; ++v)
    factors.push_back(loadLanes(filterType, factor, v));
  for (int64_t i = 0; i < count; ++i) {
    Value output = emit.address(starts[rowOf(i)], xType, offsets[columnOf(i)]);
    next[i] =
        emit.multiplyAdd(loadLanes(xType, output, vectorOf(i)), factors[vectorOf(i)], next[i]);
  }
  for (Value start : starts)
    next.push_back(emit.address(start, xType, part.tapColumn));
  next.push_back(emit.address(factor, filterType, part.filterColumn));
  return next;
}

PartLoops::Values PartLoops::rowTap(ValueRange state) {
  Values inner(state.take_front(count));
  Value x = state[count], filter = state[count + 1];
  for (int64_t row = 0; row < rows; ++row)
    inner.push_back(emit.address(x, xType, emit.mul(part.outputRow, row)));
  inner.push_back(filter);
  inner = emit.loop(emit.constant(0), part.columnTaps, 1, inner,
                    [&](Value, ValueRange columnState) { return columnTap(columnState); });
  Values next(ValueRange(inner).take_front(count));
  next.push_back(emit.address(x, xType, part.tapRow));
  next.push_back(emit.address(filter, filterType, part.filterRow));
  return next;
}

void PartLoops::run() {
  Values carried = firstSums();
  for (int64_t column = 0; column < columns; ++column)
    offsets.push_back(emit.mul(part.outputColumn, column));
  carried.append({part.x, part.filter});
  carried = emit.loop(emit.constant(0), part.rowTaps, 1, carried,
                      [&](Value, ValueRange state) { return rowTap(state); });
  for (int64_t i = 0; i < count; ++i)
    emit.store(carried[i], place(i));
}

} // namespace

void keratin::codegen::emitDepthwisePart(LoopEmitter &emit, const DepthwiseTile &tile, Type xType,
                                         Type filterType, Type sumType, const DepthwisePart &part) {
  std::string name = llvm::formatv(
      "keratin_depthwise_{0}{1}{2}_{3}_{4}_{5}_{6}x{7}x{8}x{9}", part.allRows ? "rows" : "row",
      part.allColumns ? "_columns" : "_column", part.channels ? "_masked" : "", xType, filterType,
      sumType, tile.rows, tile.columns, tile.vectors, tile.lanes);
  SmallVector<Value> arguments{part.x,          part.outputRow,    part.outputColumn,
                               part.tapRow,     part.tapColumn,    part.filter,
                               part.filterRow,  part.filterColumn, part.rowTaps,
                               part.columnTaps, part.sums,         part.first};
  if (part.channels)
    arguments.push_back(part.channels);
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    DepthwisePart inside{
        part.allRows, part.allColumns, p[0],  p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
        p[9],         p[10],           p[11], {}};
    if (part.channels)
      inside.channels = p[12];
    PartLoops(inner, tile, xType, filterType, sumType, inside).run();
  });
}
