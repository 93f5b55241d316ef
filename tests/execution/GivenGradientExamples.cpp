#include "tests/execution/GivenGradientExamples.h"

#include "ir/dialect/GivenGradients.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

// The arguments of a body, of these types.
static Block &bodyOf(Region &region, ValueRange like) {
  Block &body = region.emplaceBlock();
  for (Value value : like)
    body.addArgument(value.getType(), value.getLoc());
  return body;
}

Value tests::buildCheckpoint(GraphMath &math, Value a, Value b) {
  Location location = math.location();
  auto op = math.builder().create<CheckpointOp>(location, TypeRange(a.getType()), ValueRange{a, b});
  Block &body = bodyOf(op.getBody(), {a, b});
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  GraphMath g(inside, location);
  inside.create<YieldOp>(location, g.mul(g.exp(body.getArgument(0)), body.getArgument(1)));
  return op.getYs().front();
}

// exp(a) * b, whose body is given cotangents or tangents, then the result and a.
static CustomGradientOp productOf(GraphMath &math, Value a, Value b, bool isForward) {
  Value y = math.mul(math.exp(a), b);
  auto op = math.builder().create<CustomGradientOp>(math.location(), TypeRange(y.getType()), y,
                                                    ValueRange{a, b}, ValueRange{y, a}, isForward);
  op->setAttr(kCapturedResultsAttr, math.builder().getDenseI64ArrayAttr({0}));
  return op;
}

Value tests::buildCustomGradient(GraphMath &math, Value a, Value b) {
  CustomGradientOp op = productOf(math, a, b, /*isForward=*/false);
  Value y = op.getYs().front();
  Block &body = bodyOf(op.getBody(), {y, y, a});
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  GraphMath g(inside, math.location());
  Value dy = body.getArgument(0);
  inside.create<YieldOp>(
      g.location(),
      ValueRange{g.mul(dy, body.getArgument(1)), g.mul(dy, g.exp(body.getArgument(2)))});
  return y;
}

Value tests::buildCustomJvp(GraphMath &math, Value a, Value b) {
  CustomGradientOp op = productOf(math, a, b, /*isForward=*/true);
  Value y = op.getYs().front();
  Block &body = bodyOf(op.getBody(), {a, b, y, a});
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  GraphMath g(inside, math.location());
  Value ofA = g.mul(body.getArgument(0), body.getArgument(2)),
        ofB = g.mul(body.getArgument(1), g.exp(body.getArgument(3)));
  inside.create<YieldOp>(g.location(), g.add(ofA, ofB));
  return y;
}
