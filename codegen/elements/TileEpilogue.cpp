#include "codegen/elements/TileEpilogue.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

void TileEpilogue::emit(OpBuilder &builder, Location loc, Value sums, Value mask,
                        llvm::function_ref<SmallVector<LaneIndex>(ElementEmitter &)> position) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  auto vector = dyn_cast<VectorType>(sums.getType());
  ElementEmitter emitter(k, loc, target, vector ? vector.getNumElements() : 1);
  emitter.bindRegister(tile, sums);
  emitter.setMask(mask);
  SmallVector<LaneIndex> squeezed = position(emitter);
  // All values before any store: an output may take the place of an input.
  OperandRange results = k.body().getTerminator()->getOperands();
  SmallVector<Value> values;
  for (Value result : results)
    values.push_back(emitter.emit(result, emitter.unsqueeze(ir::getTensorType(result), squeezed)));
  for (auto [result, value] : llvm::zip(results, values))
    emitter.watch(result, value);
  for (auto [result, value, output] : llvm::zip(results, values, k.outputs)) {
    auto type = ir::getTensorType(result);
    emitter.store(value, output, type, emitter.unsqueeze(type, squeezed));
  }
}
