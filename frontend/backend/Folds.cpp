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
static std::vector<Value> sequencesOf(Call &call, const std::vector<Operand> &elems,
                                      std::optional<size_t> parameters) {
  std::vector<Value> sequences;
  for (const Operand &operand : elems) {
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

// What fn makes of one element of each sequence, for all of them.
static std::vector<Value>
vectorizedMap(Call &call, const std::vector<Value> &sequences,
              const std::function<std::vector<Tensor>(const std::vector<Tensor> &)> &fn) {
  Loop loop(call, "the function of " + std::string(call.function),
            ir::getShape(sequences.front()).front(), false);
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
  return stacks;
}

std::vector<Tensor> keratin::detail::vectorizedMap(const LoopBody &fn, const Elements &elems,
                                                   SourceLocation location) {
  Call call("vectorized_map", location);
  std::vector<Tensor> results;
  for (Value stack : ::vectorizedMap(call, sequencesOf(call, elems.list(), fn.tensorCount()), fn))
    results.push_back(call.tensor(stack));
  return results;
}

// x with one of its axes at another place; `what` names the axis in errors.
static Value movedAxis(Call &call, Value x, int64_t axis, bool toFront, const char *what) {
  int64_t rank = call.rank(x), place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank)
    call.valueError(std::string(what) + " has " + std::to_string(axis) + " for shape " +
                    describe(x) + "; needed one of its axes");
  llvm::SmallVector<int64_t> permutation;
  for (int64_t i = toFront ? 0 : 1; i < rank; ++i)
    if (!toFront || i != place)
      permutation.push_back(i);
  if (toFront)
    permutation.insert(permutation.begin(), place);
  else
    permutation.insert(permutation.begin() + place, 0);
  return call.g.transpose(x, permutation);
}

std::vector<Tensor> keratin::detail::mapAlong(const LoopBody &fn,
                                              const std::vector<Operand> &arguments,
                                              const std::vector<std::optional<int64_t>> &inAxes,
                                              int64_t outAxes, SourceLocation location) {
  Call call("vmap", location);
  auto checkCount = [&](const char *what, size_t count) {
    if (count != arguments.size())
      call.valueError(std::string(what) + " has " + std::to_string(count) + " entries; needed " +
                      std::to_string(arguments.size()) + ", one for each argument");
  };
  if (!inAxes.empty())
    checkCount("in_axes", inAxes.size());
  if (fn.tensorCount())
    checkCount("the list of fn's parameters", *fn.tensorCount());
  std::vector<Tensor> given;
  std::vector<Operand> elems;
  std::vector<size_t> places; // of the arguments that have elements
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value x = call.value(arguments[i]);
    given.push_back(tensorOf(x));
    std::optional<int64_t> axis = inAxes.empty() ? 0 : inAxes[i];
    if (!axis)
      continue;
    elems.emplace_back(tensorOf(movedAxis(call, x, *axis, /*toFront=*/true, "in_axes")));
    places.push_back(i);
  }
  if (places.empty())
    call.valueError("in_axes has None for each argument; needed an axis of one");
  auto ofElement = [&](const std::vector<Tensor> &element) {
    for (size_t i = 0; i < places.size(); ++i)
      given[places[i]] = element[i];
    return fn(given);
  };
  std::vector<Tensor> results;
  for (Value stack : ::vectorizedMap(call, sequencesOf(call, elems, std::nullopt), ofElement))
    results.push_back(call.tensor(movedAxis(call, stack, outAxes, /*toFront=*/false, "out_axes")));
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
  std::vector<Value> sequences = sequencesOf(call, elems.list(), fn.tensorCount());
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
