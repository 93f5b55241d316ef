#include "codegen/elements/LaneCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

LaneCode::LaneCode(OpBuilder &builder, Location loc, unsigned lanes)
    : b(builder), loc(loc), lanes(lanes) {
  scopes.push_back({b.getInsertionBlock()->getParent()});
}

void LaneCode::enter(Operation *loop) {
  scopes.back().loop = loop;
  scopes.push_back({b.getInsertionBlock()->getParent()});
}

void LaneCode::leave() {
  scopes.pop_back();
  scopes.back().loop = nullptr;
}

void LaneCode::enterBranch(Operation *branch) {
  enter(branch);
  scopes.back().isBarrier = true;
}

bool LaneCode::isConditional() const {
  return llvm::any_of(scopes, [](const Scope &scope) { return scope.isBarrier; });
}

bool LaneCode::isVisible(Value value, const Scope &scope) const {
  return value.getParentRegion()->isAncestor(scope.region);
}

Value LaneCode::place(ArrayRef<Value> operands, llvm::function_ref<Value()> function) {
  size_t outermost = scopes.size() - 1;
  while (outermost > 0 && !scopes[outermost].isBarrier &&
         llvm::all_of(operands, [&](Value v) { return !v || isVisible(v, scopes[outermost - 1]); }))
    --outermost;
  OpBuilder::InsertionGuard guard(b);
  if (scopes[outermost].loop)
    b.setInsertionPoint(scopes[outermost].loop);
  return function();
}

Value LaneCode::i64(int64_t value) {
  return place({}, [&]() -> Value { return b.create<arith::ConstantIntOp>(loc, value, 64); });
}

Value LaneCode::splat(Value scalar) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return place({scalar}, [&]() -> Value {
    return b.create<vector::SplatOp>(loc, scalar, VectorType::get(lanes, scalar.getType()));
  });
}

void LaneCode::match(Value &x, Value &y) {
  bool vx = isa<VectorType>(x.getType()), vy = isa<VectorType>(y.getType());
  if (vx && !vy)
    y = splat(y);
  if (vy && !vx)
    x = splat(x);
}

Value LaneCode::anyLane(Value mask) {
  return place({mask}, [&]() -> Value {
    return b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, mask);
  });
}

Type keratin::codegen::likeShape(Type scalarType, Value shape) {
  auto vector = dyn_cast<VectorType>(shape.getType());
  return vector ? Type(VectorType::get(vector.getShape(), scalarType)) : scalarType;
}
