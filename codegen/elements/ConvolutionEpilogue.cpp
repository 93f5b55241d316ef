#include "codegen/elements/ConvolutionEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionDims;
using keratin::ir::DimExpr;

void ConvolutionEpilogue::emit(OpBuilder &builder, Location loc, const ConvolutionPlace &place,
                               Value sums, Value mask) {
  epilogue.emit(builder, loc, sums, mask, [&](ElementEmitter &emitter) {
    return positionOf(emitter, loc, place, isa<VectorType>(sums.getType()));
  });
}

void ConvolutionEpilogue::askForResults(OpBuilder &builder, Location loc,
                                        const ConvolutionPlace &place, unsigned lanes,
                                        int64_t bytes) {
  epilogue.askForResults(builder, loc, lanes, bytes, [&](ElementEmitter &emitter) {
    return positionOf(emitter, loc, place, /*hasLanes=*/true);
  });
}

// The index in the result, without dimensions of size 1.
SmallVector<LaneIndex> ConvolutionEpilogue::positionOf(ElementEmitter &emitter, Location loc,
                                                       const ConvolutionPlace &place,
                                                       bool hasLanes) {
  const ConvolutionDims &dims = nest.shape.dims;
  SmallVector<LaneIndex> index(dims.yRank());
  auto set = [&](int at, Value position, bool isLane) {
    if (at < 0)
      return;
    Value first = k.b.create<arith::IndexCastOp>(loc, k.b.getI64Type(), position);
    index[at] = isLane && hasLanes ? emitter.laneIndex(first) : emitter.scalarIndex(first);
  };
  set(dims.batch.y, place.batch, false);
  set(dims.groups.y, place.group, place.alongGroups);
  set(dims.filters.y, place.filter, !place.alongGroups);
  for (auto [window, position] : llvm::zip(dims.windows, place.windows))
    set(window.y, position, false);
  SmallVector<LaneIndex> squeezed;
  for (auto [dim, position] : llvm::zip(ir::getShape(ir::ConvolutionOp(nest.op).getY()), index))
    if (dim != DimExpr(1))
      squeezed.push_back(position);
  return squeezed;
}
