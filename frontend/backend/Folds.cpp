// K functions: map_fn, vectorized_map, foldl and foldr.
#include "keratin/control.h"

#include "frontend/graph/Loop.h"
#include "ir/dialect/VectorizedMap.h"

using namespace keratin;
using namespace keratin::frontend;

// The elements `start` to `start + size` along axis 0.
static Value elementsOf(Call &call, Value x, const DimExpr &start, const DimExpr &size) {
  ir::Shape shape = ir::getShape(x), starts(shape.size(), DimExpr(0));
  starts[0] = start;
  shape[0] = size;
  return call.g.slice(x, starts, shape, std::vector<int64_t>(shape.size(), 1));
}

static void needElements(Call &call, Value x) {
  if (call.rank(x) == 0)
    call.valueError("elems is a scalar; needed at least one axis");
}

// The tensors with the elements; a function with so many parameters is given one of each.
static std::vector<Value> sequencesOf(Call &call, const Elements &elems,
                                      std::optional<size_t> parameters) {
  std::vector<Value> sequences;
  for (const Operand &operand : elems.list()) {
    Value x = call.value(operand);
    needElements(call, x);
    if (!sequences.empty()) {
      ir::Shape shape = ir::getShape(x);
      shape.front() = ir::getShape(sequences.front()).front();
      x = call.requireShape(x, shape, "the numbers of elements");
    }
    sequences.push_back(x);
  }
  if (sequences.empty())
    call.valueError("elems is an empty list; needed one tensor or more");
  if (parameters && *parameters != sequences.size())
    call.valueError("fn has " + std::to_string(*parameters) + " parameters; needed " +
                    std::to_string(sequences.size()) + ", one for each tensor of elems");
  return sequences;
}

static Tensor fold(Call &call, const std::function<Tensor(const Tensor &, const Tensor &)> &fn,
                   const Operand &elems, const Operand &initializer, const std::string &name,
                   bool fromRight) {
  if (!fn)
    call.valueError("fn is empty; needed a function of two tensors");
  Value x = call.value(elems), first;
  needElements(call, x);
  DimExpr count = ir::getShape(x).front();
  if (initializer.isNone()) {
    call.requireAtLeast(count, DimExpr(1), "needed an element or an initializer");
    x = call.required(x);
    DimExpr rest = call.check(ir::sub(count, DimExpr(1)));
    first = elementsOf(call, x, fromRight ? rest : DimExpr(0), DimExpr(1));
    ir::Shape shape = ir::getShape(x);
    shape.erase(shape.begin());
    first = call.g.reshape(first, shape);
    x = elementsOf(call, x, DimExpr(fromRight ? 0 : 1), rest);
    count = rest;
  } else if (initializer.isNumber()) {
    // A number beside the elements, as in an operation with them (spec 0.3).
    first = call.promoted(tensorOf(x), initializer).second;
  } else {
    first = call.value(initializer);
  }
  Loop loop(call, "the function of " + std::string(call.function), count, fromRight);
  Value accumulator = loop.addState(first.getType()), element = loop.addElement(x);
  Tensor before = tensorOf(accumulator), given = tensorOf(element);
  Value next = call.value(call.runUserCode([&] { return fn(before, given); }));
  next = nextState(call, next, accumulator, "the accumulator");
  loop.end();
  return call.tensor(loop.finish({first}, {next}, {}).lastStates.front(), name);
}

std::vector<Tensor> keratin::detail::vectorizedMap(const LoopBody &fn, const Elements &elems,
                                                   SourceLocation location) {
  Call call("vectorized_map", location);
  std::vector<Value> sequences = sequencesOf(call, elems, fn.tensorCount());
  Loop loop(call, "the function of vectorized_map", ir::getShape(sequences.front()).front(), false);
  std::vector<Tensor> element;
  for (Value sequence : sequences)
    element.push_back(tensorOf(loop.addElement(sequence)));
  std::vector<Value> made;
  for (const Tensor &tensor : call.runUserCode([&] { return fn(element); }))
    made.push_back(call.value(tensor));
  if (made.empty())
    call.valueError("fn returns an empty list; needed one tensor or more");
  loop.end();
  std::vector<Value> stacks = loop.finish({}, {}, made).stacks;
  stacks.front().getDefiningOp()->setAttr(ir::kVectorizedAttr, call.builder.getUnitAttr());
  std::vector<Tensor> results;
  for (Value stack : stacks)
    results.push_back(call.tensor(stack));
  return results;
}

namespace keratin::backend {

Tensor foldl(const std::function<Tensor(const Tensor &, const Tensor &)> &fn, const Operand &elems,
             const Operand &initializer, const std::string &name, SourceLocation location) {
  Call call("foldl", location);
  return fold(call, fn, elems, initializer, name, false);
}

Tensor foldr(const std::function<Tensor(const Tensor &, const Tensor &)> &fn, const Operand &elems,
             const Operand &initializer, const std::string &name, SourceLocation location) {
  Call call("foldr", location);
  return fold(call, fn, elems, initializer, name, true);
}

Tensor map_fn(const ElementFunction &fn, const Elements &elems, const std::string &name,
              DTypeArgument dtype, SourceLocation location) {
  Call call("map_fn", location);
  std::vector<Value> sequences = sequencesOf(call, elems, fn.tensorCount());
  Loop loop(call, "the function of map_fn", ir::getShape(sequences.front()).front(), false);
  std::vector<Tensor> element;
  for (Value sequence : sequences)
    element.push_back(tensorOf(loop.addElement(sequence)));
  Value y = call.value(call.runUserCode([&] { return fn(element); }));
  y = call.cast(y, dtype.valueOr(call.dtypeOf(y)));
  loop.end();
  return call.tensor(loop.finish({}, {}, {y}).stacks.front(), name);
}

} // namespace keratin::backend
