#include "codegen/elements/ReductionState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::ReductionOpInterface;

Value ReductionState::identity(ReductionOpInterface op, bool isVector) {
  Value scalar = op.buildIdentity(emitter);
  return isVector ? emitter.splat(scalar) : scalar;
}

SmallVector<Value> ReductionState::begin(Ops ops, bool isVector) {
  SmallVector<Value> state;
  for (ReductionOpInterface op : ops)
    for (unsigned i = 0; i < size(op); ++i)
      state.push_back(identity(op, isVector));
  return state;
}

void ReductionState::absorb(Ops ops, MutableArrayRef<Value> state, ArrayRef<Value> partials,
                            Value isFirst) {
  size_t at = 0, p = 0;
  while (p < partials.size())
    for (ReductionOpInterface op : ops) {
      absorb(op, state.slice(at, size(op)), partials[p++], isFirst);
      at += size(op);
    }
}

// Adds the sum of a block. Compensated: s = a + b exactly as s + error (Knuth's TwoSum), where the
// error of the first is none.
void ReductionState::absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value partial,
                            Value isFirst) {
  if (state.size() == 1) {
    state[0] = op.buildCombine(emitter, state[0], partial);
    return;
  }
  auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };
  auto minus = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(loc, x, y); };
  Value sum = plus(state[0], partial);
  auto corrected = [&]() -> Value {
    Value virtualPartial = minus(sum, state[0]);
    Value error = plus(minus(state[0], minus(sum, virtualPartial)), minus(partial, virtualPartial));
    return plus(state[1], error);
  };
  if (isFirst) {
    auto branch = b.create<scf::IfOp>(loc, state[1].getType(), isFirst, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, state[1]);
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(loc, corrected());
    state[1] = branch.getResult(0);
  } else {
    state[1] = corrected();
  }
  state[0] = sum;
}

SmallVector<Value> ReductionState::settle(Ops ops, ArrayRef<Value> state, Lanes lanes) {
  SmallVector<Value> results;
  for (size_t at = 0; at < state.size();)
    for (ReductionOpInterface op : ops) {
      Value settled = settle(op, state.slice(at, size(op)));
      results.push_back(lanes == Lanes::Together ? acrossLanes(op, settled) : settled);
      at += size(op);
    }
  return results;
}

Value ReductionState::settle(ReductionOpInterface op, ArrayRef<Value> state) {
  if (state.size() == 1)
    return state[0];
  // After an overflow the error is NaN while the sum is a good infinity.
  Value corrected = b.create<arith::AddFOp>(loc, state[0], state[1]);
  Value usable = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, state[1], state[1]);
  return b.create<arith::SelectOp>(loc, usable, corrected, state[0]);
}

Value ReductionState::acrossLanes(ReductionOpInterface op, Value vector) {
  auto half = [&](int64_t from, int64_t width) -> Value {
    return b.create<vector::ExtractStridedSliceOp>(loc, vector, ArrayRef<int64_t>{from},
                                                   ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
  };
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  while (width > 1) {
    width /= 2;
    Value low = half(0, width), high = half(width, width);
    vector = op.buildCombine(emitter, low, high);
  }
  return b.create<vector::ExtractOp>(loc, vector, 0);
}
