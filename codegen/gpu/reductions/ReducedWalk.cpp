#include "codegen/gpu/reductions/ReducedWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::DimExpr;

ReducedWalk::ReducedWalk(KernelBuilder &k, const LoopNest &nest, unsigned lanes)
    : k(k), nest(nest), lanes(lanes), loops(nest.outerReduced) {
  if (nest.innermost().reduced)
    loops.push_back(nest.space.groups.size() - 1);
  for (unsigned loop : loops) {
    DimExpr extent = nest.space.groups[loop].extent;
    bool isInnermost = loop + 1 == nest.space.groups.size();
    extents.push_back(k.sizeOf(isInnermost ? *floordiv(extent, DimExpr(int64_t(lanes))) : extent));
  }
}

Value ReducedWalk::count() {
  Value result = extents.front();
  for (Value extent : ArrayRef<Value>(extents).drop_front())
    result = k.b.create<arith::MulIOp>(k.loc, result, extent);
  return result;
}

ReducedWalk::Values ReducedWalk::positions(Value number) {
  Values result(loops.size());
  for (size_t i = loops.size(); i-- > 1;) {
    // Of no elements there is no group, but code that asks where it were.
    Value extent = k.b.create<arith::MaxUIOp>(k.loc, extents[i], k.i64(1));
    result[i] = k.b.create<arith::RemUIOp>(k.loc, number, extent);
    number = k.b.create<arith::DivUIOp>(k.loc, number, extent);
  }
  result[0] = number;
  return result;
}

ReducedWalk::Values ReducedWalk::add(ArrayRef<Value> positions, ArrayRef<Value> step) {
  Values result(positions);
  Value carry;
  for (size_t i = loops.size(); i-- > 0;) {
    result[i] = k.b.create<arith::AddIOp>(k.loc, result[i], step[i]);
    if (carry)
      result[i] = k.b.create<arith::AddIOp>(k.loc, result[i], carry);
    if (i == 0)
      break;
    Value over = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::uge, result[i], extents[i]);
    Value rest = k.b.create<arith::SubIOp>(k.loc, result[i], extents[i]);
    result[i] = k.b.create<arith::SelectOp>(k.loc, over, rest, result[i]);
    carry = k.b.create<arith::ExtUIOp>(k.loc, k.b.getI64Type(), over);
  }
  return result;
}

SmallVector<LaneIndex> ReducedWalk::indices(ElementEmitter &emitter, ArrayRef<Value> positions) {
  SmallVector<LaneIndex> result;
  for (auto [loop, position] : llvm::zip(loops, positions)) {
    bool isInnermost = loop + 1 == nest.space.groups.size();
    if (isInnermost && lanes > 1)
      result.push_back(
          emitter.laneIndex(k.b.create<arith::MulIOp>(k.loc, position, k.i64(int64_t(lanes)))));
    else
      result.push_back(emitter.scalarIndex(position));
  }
  return result;
}

void ReducedWalk::select(NestBody &body, ArrayRef<LaneIndex> indices) {
  for (auto [loop, index] : llvm::zip(loops, indices))
    body.index(loop) = index;
}
