#include "codegen/elements/AttentionPlaces.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

AttentionPlaces::AttentionPlaces(KernelBuilder &k, LoopEmitter &emit, ir::Shape whole,
                                 const DimExpr &rows)
    : k(k), emit(emit), shape(std::move(whole)), rows(rows) {
  shape.pop_back();
  inner = shape.size();
  while (inner > 0 && shape[inner - 1] == DimExpr(1))
    --inner;
  areApart = inner > 0 && shape[inner - 1] == rows;
}

// A number that counts the first so many dimensions.
void AttentionPlaces::spread(Value number, size_t count, SmallVectorImpl<Value> &positions) {
  size_t outermost = 0;
  while (outermost < count && shape[outermost] == DimExpr(1))
    ++outermost;
  for (size_t i = count; i-- > outermost;) {
    if (shape[i] == DimExpr(1))
      continue;
    positions[i] = number;
    if (i == outermost)
      break;
    Value extent = k.sizeOf(shape[i]);
    positions[i] = emit.rem(number, extent);
    number = emit.div(number, extent);
  }
}

void AttentionPlaces::enter(Value entry) {
  batch = entry;
  outer.assign(shape.size(), emit.constant(0));
  if (areApart)
    spread(batch, inner - 1, outer);
}

SmallVector<Value> AttentionPlaces::ofRow(Value row) {
  SmallVector<Value> positions = outer;
  if (areApart)
    positions[inner - 1] = row;
  else
    spread(emit.add(emit.mul(batch, k.sizeOf(rows)), row), shape.size(), positions);
  return positions;
}
