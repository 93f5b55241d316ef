#include "frontend/graph/Loop.h"

#include "frontend/graph/Body.h"

using namespace keratin;
using namespace keratin::frontend;

Loop::Loop(Call &call, std::string callable, const DimExpr &steps, bool reverse)
    : call(call), trace(call, std::move(callable)), steps(steps), reverse(reverse) {
  trace.setStepNumber(
      trace.argument(ir::getTensorType({}, call.elementType(DType::Int64)), "step_number"));
}

Loop::Loop(Call &call, std::string callable) : Loop(call, std::move(callable), 0, false) {}

Value Loop::addState(mlir::Type type) {
  states.push_back(trace.argument(llvm::cast<mlir::RankedTensorType>(type), "state"));
  return states.back();
}

Value Loop::addElement(Value sequence) {
  ir::Shape shape = ir::getShape(sequence);
  shape.erase(shape.begin());
  auto type = ir::getTensorType(shape, ir::getElementType(sequence));
  sequences.push_back(sequence);
  elements.push_back(trace.argument(type, "element"));
  return elements.back();
}

Value frontend::nextState(Call &call, Value x, Value state, const std::string &what) {
  if (x.getType() == state.getType())
    return x;
  if (call.dtypeOf(x) != call.dtypeOf(state))
    call.valueError(what + " changes its dtype from " + dtypeName(call.dtypeOf(state)) + " to " +
                    dtypeName(call.dtypeOf(x)) + ", but must be the same in every step");
  ir::Shape from = ir::getShape(state), to = ir::getShape(x);
  bool fits = from.size() == to.size();
  for (size_t i = 0; fits && i < from.size(); ++i)
    fits = from[i] == to[i] || !from[i].isConstant() || !to[i].isConstant();
  if (!fits)
    call.valueError(what + " changes its shape from " + describe(state) + " to " + describe(x) +
                    ", but must be the same in every step");
  return call.requireShape(x, from, what + " before and after a step");
}

std::vector<Value> Loop::arguments(llvm::ArrayRef<Value> captures) const {
  std::vector<Value> arguments = {trace.stepNumber()};
  arguments.insert(arguments.end(), states.begin(), states.end());
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  arguments.insert(arguments.end(), captures.begin(), captures.end());
  return arguments;
}

mlir::RankedTensorType Loop::stackType(const Body &body, Value value, const DimExpr &length) const {
  if (body.computesSizeOf(value))
    call.valueError(trace.callable() + " returns shape " + describe(value) +
                    " with a size that it computes; needed the same size in every step");
  ir::Shape shape = ir::getShape(value);
  shape.insert(shape.begin(), length);
  return ir::getTensorType(shape, ir::getElementType(value));
}

Loop::Results Loop::finish(llvm::ArrayRef<Value> firstStates, llvm::ArrayRef<Value> nextStates,
                           llvm::ArrayRef<Value> stacked) {
  std::vector<Value> yielded(nextStates.begin(), nextStates.end());
  yielded.insert(yielded.end(), stacked.begin(), stacked.end());
  Body body(call, {&trace}, yielded);

  std::vector<mlir::Type> types;
  for (Value state : states)
    types.push_back(state.getType());
  for (Value value : stacked)
    types.push_back(stackType(body, value, steps));
  // The body before the op: the graph looks at both when it is told of the op.
  mlir::OperationState state(call.g.location(), ir::ScanOp::getOperationName());
  ir::ScanOp::build(call.builder, state, types, ir::DimsAttr::get(&call.graph.context, {steps}),
                    reverse, mlir::ValueRange(firstStates), mlir::ValueRange(sequences),
                    mlir::ValueRange(body.captures()));
  state.regions.front()->push_back(body.build(arguments(body.captures())).release());
  auto scan = llvm::cast<ir::ScanOp>(call.builder.create(state));
  Results results;
  results.lastStates.assign(scan.getLastStates().begin(), scan.getLastStates().end());
  results.stacks.assign(scan.getStacks().begin(), scan.getStacks().end());
  return results;
}

std::vector<Value> Loop::finishWhile(llvm::ArrayRef<Value> firstStates,
                                     llvm::ArrayRef<Value> nextStates,
                                     const std::optional<DimExpr> &most) {
  return finishWhile(firstStates, nextStates, {}, most).lastStates;
}

Loop::Results Loop::finishWhile(llvm::ArrayRef<Value> firstStates, llvm::ArrayRef<Value> nextStates,
                                llvm::ArrayRef<Value> stacked, const std::optional<DimExpr> &most) {
  std::vector<Value> yielded(nextStates.begin(), nextStates.end());
  yielded.insert(yielded.end(), stacked.begin(), stacked.end());
  Body body(call, {&trace}, yielded);
  std::vector<mlir::Type> types;
  for (Value state : states)
    types.push_back(state.getType());
  types.push_back(trace.stepNumber().getType());
  std::optional<int64_t> symbol;
  ir::DimsAttr length, bound;
  if (!stacked.empty()) {
    symbol = call.graph.addSymbol(SymbolInfo{nullptr, std::nullopt, "how often a loop runs"});
    length = ir::DimsAttr::get(&call.graph.context, {DimExpr::symbol(*symbol)});
    for (Value value : stacked)
      types.push_back(stackType(body, value, DimExpr::symbol(*symbol)));
  }
  if (most)
    bound = ir::DimsAttr::get(&call.graph.context, {*most});
  mlir::OperationState state(call.g.location(), ir::WhileOp::getOperationName());
  ir::WhileOp::build(call.builder, state, types, length, bound, mlir::ValueRange(firstStates),
                     mlir::ValueRange(body.captures()));
  state.regions.front()->push_back(body.build(arguments(body.captures())).release());
  auto loop = llvm::cast<ir::WhileOp>(call.builder.create(state));
  if (symbol)
    call.graph.own(loop, *symbol);
  Results results;
  results.lastStates.assign(loop.getLastStates().begin(), loop.getLastStates().end());
  results.stacks.assign(loop.getStacks().begin(), loop.getStacks().end());
  return results;
}

std::vector<Value> frontend::branch(Call &call, Value condition, const BranchBody &thenBranch,
                                    const BranchBody &elseBranch) {
  Body thenBody(call, thenBranch.traces, thenBranch.values, thenBranch.moved);
  Body elseBody(call, elseBranch.traces, elseBranch.values, elseBranch.moved);
  thenBody.refuseSizesOf(thenBranch.values);
  elseBody.refuseSizesOf(elseBranch.values);
  llvm::SetVector<Value> captures(thenBody.captures().begin(), thenBody.captures().end());
  captures.insert(elseBody.captures().begin(), elseBody.captures().end());

  std::vector<mlir::Type> types;
  for (Value value : thenBranch.values)
    types.push_back(value.getType());
  mlir::OperationState state(call.g.location(), ir::IfOp::getOperationName());
  ir::IfOp::build(call.builder, state, types, condition, captures.getArrayRef());
  state.regions[0]->push_back(thenBody.build(captures.getArrayRef()).release());
  state.regions[1]->push_back(elseBody.build(captures.getArrayRef()).release());
  auto op = llvm::cast<ir::IfOp>(call.builder.create(state));
  return std::vector<Value>(op.getYs().begin(), op.getYs().end());
}
