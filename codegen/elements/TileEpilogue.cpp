#include "codegen/elements/TileEpilogue.h"

#include "ir/interfaces/IterationSpace.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

SmallVector<std::pair<Value, Value>> TileEpilogue::results() const {
  SmallVector<std::pair<Value, Value>> results;
  for (auto [result, output] : llvm::zip(ir::valuesOf(k.kernel), k.outputs))
    if (!llvm::is_contained(others, result))
      results.push_back({result, output});
  return results;
}

void TileEpilogue::askForResults(
    OpBuilder &builder, Location loc, unsigned lanes, int64_t bytes,
    llvm::function_ref<SmallVector<LaneIndex>(ElementEmitter &)> position) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  ElementEmitter emitter(k, loc, target, lanes);
  SmallVector<LaneIndex> squeezed = position(emitter);
  for (auto [result, output] : results()) {
    auto type = ir::getTensorType(result);
    const int64_t elements = bytes / ir::dtypeBytes(ir::dtypeOf(type.getElementType()));
    emitter.prefetch(output, type, emitter.unsqueeze(type, squeezed), emitter.i64(elements),
                     /*willStore=*/true);
  }
}

void TileEpilogue::emit(OpBuilder &builder, Location loc, Value sums, Value mask,
                        llvm::function_ref<SmallVector<LaneIndex>(ElementEmitter &)> position) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  auto vector = dyn_cast<VectorType>(sums.getType());
  ElementEmitter emitter(k, loc, target, vector ? vector.getNumElements() : 1);
  emitter.bindRegister(tile, sums);
  emitter.setMask(mask);
  SmallVector<LaneIndex> squeezed = position(emitter);
  const SmallVector<std::pair<Value, Value>> results = this->results();
  // All values before any store: an output may take the place of an input.
  SmallVector<Value> values;
  for (auto [result, output] : results)
    values.push_back(emitter.emit(result, emitter.unsqueeze(ir::getTensorType(result), squeezed)));
  for (auto [result, value] : llvm::zip(results, values))
    emitter.watch(result.first, value);
  for (auto [result, value] : llvm::zip(results, values)) {
    auto type = ir::getTensorType(result.first);
    emitter.store(value, result.second, type, emitter.unsqueeze(type, squeezed));
  }
}
