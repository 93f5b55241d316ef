// K functions: state and its updates.
#include "keratin/variables.h"

#include "frontend/backend/Complex.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/EvalCache.h"
#include "frontend/graph/Trace.h"

using namespace keratin;
using namespace keratin::frontend;

// What refuses memory is the call.
template <typename... Initial>
static Tensor makeVariableOf(Call &call, DType dtype, const std::vector<int64_t> &dims,
                             const std::string &name, VariableInfo info,
                             const Initial &...initial) {
  Graph &graph = call.graph;
  info.name = graph.nodeName(name.empty() ? "Variable" : name);
  auto type = ir::getTensorType(ir::Shape(dims.begin(), dims.end()), call.elementType(dtype));
  call.checkBytes(type);
  try {
    info.storage = std::make_shared<VariableStorage>(initial...);
  } catch (const MemoryError &) {
    throw MemoryError(call.message("no memory for a variable of dtype " +
                                   std::string(dtypeName(dtype)) + " and shape " + toString(dims)));
  }
  int64_t id = graph.variables.add(std::move(info));
  return tensorOf(call.builder.create<ir::VariableOp>(call.g.location(), type, id,
                                                      call.builder.getStringAttr("")));
}

Tensor frontend::makeVariable(Call &call, const Array &initial, const std::string &name,
                              VariableInfo info) {
  return makeVariableOf(call, initial.dtype(), initial.shape(), name, std::move(info), initial);
}

Tensor frontend::makeVariable(Call &call, const Array &element, const std::vector<int64_t> &dims,
                              const std::string &name) {
  return makeVariableOf(call, element.dtype(), dims, name, {}, element, dims);
}

// The value that an update assigns: cast to the variable's dtype, broadcast to its shape.
static Value assigned(Call &call, Value variable, const Operand &operand) {
  Value value = call.value(operand, call.dtypeOf(variable));
  ir::Shape shape = ir::getShape(variable);
  if (ir::getShape(value).size() > shape.size() ||
      call.broadcastShape(ir::getShape(value), shape) != shape)
    call.valueError("the new value has shape " + describe(value) +
                    "; needed the variable's shape " + describe(variable));
  return call.broadcastTo(value, shape);
}

static Value variableOf(Call &call, const Tensor &tensor) {
  if (const std::string *callable = tracedCallable(call.graph))
    call.valueError("an update in " + *callable +
                    "; needed the new value as what it returns, and "
                    "the update outside of it");
  Value variable = call.raw(tensor);
  if (!variable.getDefiningOp<ir::VariableOp>())
    call.typeError("the first argument must be a variable; found " + tensor.name());
  return variable;
}

static Tensor makeUpdate(Call &call, Value variable, Value value, ir::UpdateKind kind) {
  value = call.evaluatedTogether(value);
  // The types agree but for what the verifier takes from the first operand.
  return call.tensor(call.builder.create<ir::UpdateOp>(call.g.location(), variable.getType(),
                                                       variable, value, kind));
}

namespace keratin::backend {

Tensor variable(const Operand &value, DTypeArgument dtype, const std::string &name,
                Constraint constraint, SourceLocation location) {
  DType type = dtype.valueOr(defaultDtype(value));
  Array start;
  if (value.isTensor() || value.kind() == Operand::Kind::List) {
    Tensor initial;
    {
      Call call("variable", location);
      initial = call.tensor(call.value(value, type));
    }
    // Others may build while this is computed.
    start = evaluate("variable", {initial}, {}).front();
  }
  Call call("variable", location);
  if (value.isNone())
    call.valueError("the value is None; needed a number, an array or a tensor");
  const Array *initial = &start;
  if (start.isNone() && value.array().dtype() == type)
    initial = &value.array(); // not a copy more
  else if (start.isNone())
    start = call.converted(value.array(), type);
  VariableInfo info;
  info.constraint = std::move(constraint);
  return makeVariable(call, *initial, name, std::move(info));
}

Tensor update(const Tensor &x, const Operand &new_x, SourceLocation location) {
  Call call("update", location);
  Value variable = variableOf(call, x);
  return makeUpdate(call, variable, assigned(call, variable, new_x), ir::UpdateKind::Assign);
}

// bool has no sum.
static void checkNumeric(Call &call, Value variable) {
  if (call.dtypeOf(variable) == DType::Bool)
    call.typeError("a bool variable cannot be added to");
}

Tensor update_add(const Tensor &x, const Operand &increment, SourceLocation location) {
  Call call("update_add", location);
  Value variable = variableOf(call, x);
  checkNumeric(call, variable);
  return makeUpdate(call, variable, assigned(call, variable, increment), ir::UpdateKind::Add);
}

Tensor update_sub(const Tensor &x, const Operand &decrement, SourceLocation location) {
  Call call("update_sub", location);
  Value variable = variableOf(call, x);
  checkNumeric(call, variable);
  return makeUpdate(call, variable, call.g.neg(assigned(call, variable, decrement)),
                    ir::UpdateKind::Add);
}

Tensor moving_average_update(const Tensor &x, const Operand &value, const Operand &momentum,
                             SourceLocation location) {
  Call call("moving_average_update", location);
  Value variable = variableOf(call, x);
  if (!isFloating(call.dtypeOf(variable)))
    call.typeError(std::string("the variable is ") + dtypeName(call.dtypeOf(variable)) +
                   "; needed a floating one");
  // x <- x - (x - value) * (1 - momentum), as an increment.
  Value difference = call.g.sub(assigned(call, variable, value), variable);
  Value rate = call.value(momentum, call.dtypeOf(variable));
  rate = call.broadcastTo(call.g.sub(call.g.oneLike(rate), rate), ir::getShape(variable));
  return makeUpdate(call, variable, call.g.mul(difference, rate), ir::UpdateKind::Add);
}

} // namespace keratin::backend
