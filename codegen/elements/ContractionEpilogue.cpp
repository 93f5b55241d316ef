#include "codegen/elements/ContractionEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

ContractionEpilogue::ContractionEpilogue(KernelBuilder &k, const ElementTarget &target,
                                         const ContractionNest &nest, ArrayRef<Value> others)
    : k(k), space(nest.space), isTurned(nest.isTurned),
      epilogue(k, target, ir::DotGeneralOp(nest.dot).getY(), others) {
  // Which loop groups the three runs of the result cover; groups were cut between runs.
  unsigned run = 0, left = nest.shape.batchDims;
  auto advance = [&] {
    while (run < 2 && left == 0)
      left = ++run == 1 ? nest.shape.mDims : nest.shape.nDims;
  };
  for (const DimExpr &dim : ir::getShape(ir::DotGeneralOp(nest.dot).getY())) {
    advance();
    if (dim != DimExpr(1))
      runOfDim.push_back(run);
    --left;
  }
}

void ContractionEpilogue::emit(OpBuilder &builder, Location loc, Value batch, Value m, Value n,
                               Value sums, Value mask) {
  epilogue.emit(builder, loc, sums, mask, [&](ElementEmitter &emitter) {
    return indexOf(emitter, loc, batch, m, n, isa<VectorType>(sums.getType()));
  });
}

void ContractionEpilogue::askForResults(OpBuilder &builder, Location loc, Value batch, Value m,
                                        Value n, int64_t lanes) {
  epilogue.askForResults(builder, loc, lanes, /*bytes=*/0, [&](ElementEmitter &emitter) {
    return indexOf(emitter, loc, batch, m, n, lanes > 1);
  });
}

SmallVector<LaneIndex> ContractionEpilogue::indexOf(ElementEmitter &emitter, Location loc,
                                                    Value batch, Value m, Value n, bool isVector) {
  auto i64 = [&](Value index) -> Value {
    return k.b.create<arith::IndexCastOp>(loc, k.b.getI64Type(), index);
  };
  LaneIndex starts[] = {emitter.scalarIndex(i64(batch)), emitter.scalarIndex(i64(m)),
                        isVector ? emitter.laneIndex(i64(n)) : emitter.scalarIndex(i64(n))};
  if (isTurned)
    std::swap(starts[1], starts[2]);
  SmallVector<LaneIndex> squeezed;
  for (auto [group, index] : llvm::zip(space.groups, spread(emitter, starts))) {
    for (unsigned dim = group.first; dim < group.last; ++dim)
      squeezed.push_back(emitter.scalarIndex(emitter.i64(0)));
    squeezed.push_back(index);
  }
  return squeezed;
}

// The index of each group from the positions in the three runs.
SmallVector<LaneIndex> ContractionEpilogue::spread(ElementEmitter &emitter,
                                                   ArrayRef<LaneIndex> starts) {
  SmallVector<LaneIndex> result(space.groups.size());
  SmallVector<LaneIndex> rest(starts);
  for (size_t g = space.groups.size(); g-- > 0;) {
    unsigned run = runOfDim[space.groups[g].first];
    bool outermost = g == 0 || runOfDim[space.groups[g - 1].first] != run;
    if (outermost) {
      result[g] = rest[run];
      continue;
    }
    Value extent = emitter.extent(space.groups[g].extent);
    std::tie(rest[run], result[g]) = emitter.divMod(rest[run], extent);
  }
  return result;
}
