#include "codegen/cpu/ContractionMicroKernel.h"

using namespace mlir;
using namespace keratin::codegen;

// Each vector of B is loaded once and each element of A broadcast once per step in k. The step is
// not unrolled: the tile has enough independent sums to hide the latency of the multiplier, and a
// short loop compiles fast.
void keratin::codegen::emitContractionTile(LoopEmitter &emit, const ContractionTile &tile) {
  int64_t rows = tile.rowOffsets.size(), count = rows * tile.vectors;
  auto vectorType = VectorType::get(tile.lanes, tile.elementType);
  auto place = [&](int64_t i) { return emit.address(tile.sums, tile.elementType, i * tile.lanes); };

  SmallVector<Type> types(count, vectorType);
  LoopEmitter::Values carried = emit.choose(
      tile.first, types, [&] { return LoopEmitter::Values(count, emit.zero(vectorType)); },
      [&] {
        LoopEmitter::Values partial;
        for (int64_t i = 0; i < count; ++i)
          partial.push_back(emit.load(vectorType, place(i)));
        return partial;
      });
  carried.push_back(tile.a);
  carried.push_back(tile.b);

  Value zero = emit.constant(0);
  carried = emit.loop(zero, tile.depth, 1, carried, [&](Value, ValueRange state) {
    LoopEmitter::Values next(state.take_front(count));
    Value a = state[count], b = state[count + 1];
    LoopEmitter::Values columns;
    for (int64_t v = 0; v < tile.vectors; ++v)
      columns.push_back(emit.load(vectorType, emit.address(b, tile.elementType, v * tile.lanes)));
    for (int64_t r = 0; r < rows; ++r) {
      Value element =
          emit.load(tile.elementType, emit.address(a, tile.elementType, tile.rowOffsets[r]));
      Value row = emit.splat(element, tile.lanes);
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value &sum = next[r * tile.vectors + v];
        sum = emit.multiplyAdd(row, columns[v], sum);
      }
    }
    next.push_back(emit.address(a, tile.elementType, tile.aDepthStride));
    next.push_back(emit.address(b, tile.elementType, tile.bDepthStride));
    return next;
  });
  for (int64_t i = 0; i < count; ++i)
    emit.store(carried[i], place(i));
}
