#include "codegen/cpu/DepthwiseTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

// An element of x is read once for each tap that meets it: there are two loads for two products a
// cycle, and neighbouring outputs find it in the first-level cache. A row of outputs has a pointer
// of its own and shares the offsets of its columns with the others, so that all addresses stay in
// registers although the strides are known at run time only.
static void emitBody(LoopEmitter &emit, const DepthwiseTile &tile, Type xType, Type filterType,
                     Type sumType, const DepthwisePart &part) {
  int64_t rows = part.allRows ? tile.rows : 1, columns = part.allColumns ? tile.columns : 1;
  int64_t vectors = tile.vectors, count = rows * columns * vectors;
  auto vectorType = VectorType::get(tile.lanes, sumType);
  SmallVector<Value> masks(vectors);
  if (part.channels)
    for (int64_t v = 0; v < vectors; ++v)
      masks[v] =
          emit.firstLanes(tile.lanes, emit.sub(part.channels, emit.constant(v * tile.lanes)));

  auto place = [&](int64_t i) {
    int64_t v = i % vectors, column = i / vectors % columns, row = i / vectors / columns;
    int64_t at = ((row * tile.columns + column) * vectors + v) * tile.lanes;
    return emit.address(part.sums, sumType, at);
  };
  SmallVector<Type> types(count, vectorType);
  LoopEmitter::Values sums = emit.choose(
      part.first, types, [&] { return LoopEmitter::Values(count, emit.zero(vectorType)); },
      [&] {
        LoopEmitter::Values partial;
        for (int64_t i = 0; i < count; ++i)
          partial.push_back(emit.load(vectorType, place(i)));
        return partial;
      });
  SmallVector<Value> offsets;
  for (int64_t column = 0; column < columns; ++column)
    offsets.push_back(emit.mul(part.outputColumn, column));

  Value zero = emit.constant(0);
  // Carried are the sums, then the first row's pointer into x, and the pointer into the filter.
  LoopEmitter::Values carried = sums;
  carried.append({part.x, part.filter});
  carried = emit.loop(zero, part.rowTaps, 1, carried, [&](Value, ValueRange outer) {
    LoopEmitter::Values inner(outer.take_front(count));
    Value x = outer[count], filter = outer[count + 1];
    for (int64_t row = 0; row < rows; ++row)
      inner.push_back(emit.address(x, xType, emit.mul(part.outputRow, row)));
    inner.push_back(filter);
    inner = emit.loop(zero, part.columnTaps, 1, inner, [&](Value, ValueRange state) {
      LoopEmitter::Values next(state.take_front(count));
      ValueRange starts = state.slice(count, rows);
      Value factor = state.back();
      SmallVector<Value> factors;
      for (int64_t v = 0; v < vectors; ++v)
        factors.push_back(emit.loadAs(sumType, filterType, tile.lanes,
                                      emit.address(factor, filterType, v * tile.lanes), masks[v]));
      for (int64_t i = 0; i < count; ++i) {
        int64_t v = i % vectors, column = i / vectors % columns, row = i / vectors / columns;
        Value output = emit.address(starts[row], xType, offsets[column]);
        Value loaded = emit.loadAs(sumType, xType, tile.lanes,
                                   emit.address(output, xType, v * tile.lanes), masks[v]);
        next[i] = emit.multiplyAdd(loaded, factors[v], next[i]);
      }
      for (Value start : starts)
        next.push_back(emit.address(start, xType, part.tapColumn));
      next.push_back(emit.address(factor, filterType, part.filterColumn));
      return next;
    });
    LoopEmitter::Values next(ValueRange(inner).take_front(count));
    next.push_back(emit.address(x, xType, part.tapRow));
    next.push_back(emit.address(filter, filterType, part.filterRow));
    return next;
  });
  for (int64_t i = 0; i < count; ++i)
    emit.store(carried[i], place(i));
}

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
    emitBody(inner, tile, xType, filterType, sumType, inside);
  });
}
