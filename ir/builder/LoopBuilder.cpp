#include "ir/builder/LoopBuilder.h"

using namespace keratin::ir;
using namespace mlir;

// Of a block that is in no op yet.
static OpBuilder builderInside(Block &block, GraphMath &math) {
  OpBuilder builder(math.builder().getContext());
  builder.setInsertionPointToEnd(&block);
  return builder;
}

// Builds a step into the block; its arguments are there afterwards.
static LoopStep buildBody(Block &block, GraphMath &math, const LoopInputs &inputs,
                          BuildStep buildStep) {
  OpBuilder inside = builderInside(block, math);
  GraphMath body(inside, math.location());
  block.addArgument(RankedTensorType::get({}, inside.getI64Type()), math.location());
  for (Value init : inputs.inits)
    block.addArgument(init.getType(), math.location());
  for (Value sequence : inputs.sequences) {
    Shape shape = getShape(sequence);
    shape.erase(shape.begin());
    block.addArgument(getTensorType(shape, getElementType(sequence)), math.location());
  }
  for (Value capture : inputs.captures)
    block.addArgument(capture.getType(), math.location());

  ValueRange arguments = block.getArguments().drop_front();
  size_t states = inputs.inits.size(), sequences = inputs.sequences.size();
  LoopStep step;
  step.number = block.getArgument(0);
  step.states = arguments.take_front(states);
  step.elements = arguments.slice(states, sequences);
  step.captures = arguments.drop_front(states + sequences);
  buildStep(body, step);
  SmallVector<Value> yielded = step.next;
  yielded.append(step.stacked);
  inside.create<YieldOp>(math.location(), yielded);
  return step;
}

ScanOp keratin::ir::buildScan(GraphMath &math, const DimExpr &length, const LoopInputs &inputs,
                              BuildStep buildStep) {
  Region region;
  LoopStep step = buildBody(region.emplaceBlock(), math, inputs, buildStep);
  SmallVector<Type> types(inputs.inits.getTypes());
  for (Value value : step.stacked) {
    Shape shape = getShape(value);
    shape.insert(shape.begin(), length);
    types.push_back(getTensorType(shape, getElementType(value)));
  }
  OpBuilder &builder = math.builder();
  auto loop =
      builder.create<ScanOp>(math.location(), types, DimsAttr::get(builder.getContext(), {length}),
                             inputs.reverse ? builder.getUnitAttr() : UnitAttr(), inputs.inits,
                             inputs.sequences, inputs.captures);
  loop.getRegion().takeBody(region);
  return loop;
}

WhileOp keratin::ir::buildWhile(GraphMath &math, const std::optional<DimExpr> &most,
                                const LoopInputs &inputs, BuildStep buildStep) {
  Region region;
  buildBody(region.emplaceBlock(), math, inputs, buildStep);
  OpBuilder &builder = math.builder();
  SmallVector<Type> types(inputs.inits.getTypes());
  types.push_back(RankedTensorType::get({}, builder.getI64Type()));
  auto loop =
      builder.create<WhileOp>(math.location(), types, DimsAttr(),
                              most ? DimsAttr::get(builder.getContext(), {*most}) : DimsAttr(),
                              inputs.inits, inputs.captures);
  loop.getRegion().takeBody(region);
  return loop;
}

IfOp keratin::ir::buildIf(GraphMath &math, Value condition, ValueRange captures, BuildBranch first,
                          BuildBranch second) {
  Region regions[2];
  const BuildBranch branches[2] = {first, second};
  SmallVector<Type> types;
  for (auto [region, buildBranch] : llvm::zip(regions, branches)) {
    Block &block = region.emplaceBlock();
    OpBuilder inside = builderInside(block, math);
    GraphMath body(inside, math.location());
    for (Value capture : captures)
      block.addArgument(capture.getType(), math.location());
    SmallVector<Value> yielded = buildBranch(body, block.getArguments());
    inside.create<YieldOp>(math.location(), yielded);
    types.assign(TypeRange(yielded).begin(), TypeRange(yielded).end());
  }
  auto op = math.builder().create<IfOp>(math.location(), types, condition, captures);
  op.getThenBody().takeBody(regions[0]);
  op.getElseBody().takeBody(regions[1]);
  return op;
}
