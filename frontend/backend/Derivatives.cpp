// K::jvp, K::vector_jacobian_product, K::hessian_vector_product, K::jacobian and K::hessian.
#include "frontend/backend/Derivatives.h"

#include "frontend/graph/Loop.h"
#include "ir/dialect/VectorizedMap.h"
#include "keratin/graph.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// What one of the lists holds, and what messages call it.
struct Values {
  std::string name;
  std::vector<Value> list;

  std::string at(size_t i) const { return name + "[" + std::to_string(i) + "]"; }
};

} // namespace

static Values valuesOf(Call &call, const char *name, const TensorList &tensors) {
  Values values{name, {}};
  for (const Tensor &tensor : tensors.list())
    values.list.push_back(call.dense(tensor));
  return values;
}

static void checkFloats(Call &call, const std::string &name, Value value) {
  if (DType dtype = call.dtypeOf(value); !isFloating(dtype) && !isComplex(dtype))
    call.valueError(name + " is " + dtypeName(dtype) + ", which has no derivative; needed floats");
}

static Values floatsOf(Call &call, const char *name, const TensorList &tensors) {
  Values values = valuesOf(call, name, tensors);
  for (auto [i, value] : llvm::enumerate(values.list))
    checkFloats(call, values.at(i), value);
  return values;
}

static Values someFloatsOf(Call &call, const char *name, const TensorList &tensors) {
  Values values = floatsOf(call, name, tensors);
  if (values.list.empty())
    call.valueError(values.name + " is an empty list; needed one tensor or more");
  return values;
}

Value frontend::floatOf(Call &call, const char *name, const Tensor &tensor) {
  Value value = call.dense(tensor);
  checkFloats(call, name, value);
  return value;
}

// One for each of the others, of its type.
static Values partnersOf(Call &call, const char *name, const TensorList &tensors,
                         const Values &others) {
  Values values = valuesOf(call, name, tensors);
  if (values.list.size() != others.list.size())
    call.valueError(others.name + " has " + std::to_string(others.list.size()) + " and " + name +
                    " " + std::to_string(values.list.size()) + "; needed one for each");
  for (auto [i, value] : llvm::enumerate(values.list)) {
    DType found = call.dtypeOf(value), needed = call.dtypeOf(others.list[i]);
    if (found != needed)
      call.valueError(values.at(i) + " is " + dtypeName(found) + "; needed " + dtypeName(needed) +
                      ", as " + others.at(i) + " is");
    value = call.requireShape(value, ir::getShape(others.list[i]),
                              others.at(i) + " and " + values.at(i));
  }
  return values;
}

static std::vector<mlir::Type> typesOf(const Values &values) {
  std::vector<mlir::Type> types;
  for (Value value : values.list)
    types.push_back(value.getType());
  return types;
}

static std::vector<Tensor> tensorsOf(Call &call, mlir::ValueRange values) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(call.tensor(value));
  return tensors;
}

std::vector<Tensor> backend::jvp(const TensorList &outputList, const TensorList &inputList,
                                 const TensorList &tangentList, SourceLocation location) {
  Call call("jvp", location);
  Values outputs = someFloatsOf(call, "outputs", outputList);
  Values inputs = someFloatsOf(call, "inputs", inputList);
  Values tangents = partnersOf(call, "tangents", tangentList, inputs);
  auto op = call.builder.create<ir::JvpOp>(call.g.location(), typesOf(outputs), outputs.list,
                                           inputs.list, tangents.list);
  return tensorsOf(call, op.getYs());
}

std::vector<Tensor> backend::vector_jacobian_product(const TensorList &outputList,
                                                     const TensorList &inputList,
                                                     const TensorList &cotangentList,
                                                     SourceLocation location) {
  Call call("vector_jacobian_product", location);
  Values outputs = someFloatsOf(call, "outputs", outputList);
  Values inputs = someFloatsOf(call, "inputs", inputList);
  Values cotangents = partnersOf(call, "cotangents", cotangentList, outputs);
  auto op = call.builder.create<ir::VjpOp>(call.g.location(), typesOf(inputs), outputs.list,
                                           inputs.list, cotangents.list);
  return tensorsOf(call, op.getYs());
}

Value frontend::totalOf(Call &call, const Tensor &loss) {
  Value value = floatOf(call, "loss", loss);
  return call.g.reduceSum(value, call.axes(None, call.rank(value)));
}

Value frontend::gradientOf(Call &call, Value total, Value x) {
  return call.builder.create<ir::GradientsOp>(call.g.location(), x.getType(), total, x).getYs()[0];
}

std::vector<Tensor> backend::hessian_vector_product(const Tensor &loss, const TensorList &xList,
                                                    const TensorList &vList,
                                                    SourceLocation location) {
  Call call("hessian_vector_product", location);
  Value total = totalOf(call, loss);
  Values x = someFloatsOf(call, "x", xList);
  Values v = partnersOf(call, "v", vList, x);
  auto gradients =
      call.builder.create<ir::GradientsOp>(call.g.location(), typesOf(x), total, x.list);
  auto op = call.builder.create<ir::JvpOp>(call.g.location(), typesOf(x), gradients.getYs(), x.list,
                                           v.list);
  return tensorsOf(call, op.getYs());
}

// For each element of x a tensor of x's shape that is 1 there and 0 elsewhere.
static Value unitsOf(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  const DimExpr count = call.check(ir::elementCount(shape));
  auto places = ir::getTensorType({count, count}, call.elementType(DType::Int64));
  Value isDiagonal = g.equal(g.iota(places, 0), g.iota(places, 1));
  ir::Shape stacked{count};
  stacked.insert(stacked.end(), shape.begin(), shape.end());
  return g.reshape(g.cast(isDiagonal, ir::getElementType(x)), stacked);
}

std::vector<Value> frontend::forEachAtOnce(Call &call, Value stacked,
                                           llvm::function_ref<std::vector<Value>(Value)> function) {
  Loop loop(call, call.function, ir::getShape(stacked).front(), false);
  std::vector<Value> made = function(loop.addElement(stacked));
  loop.end();
  std::vector<Value> stacks = loop.finish({}, {}, made).stacks;
  stacks.front().getDefiningOp()->setAttr(ir::kVectorizedAttr, call.builder.getUnitAttr());
  return stacks;
}

// Of the shape of y and, behind it, that of x.
static ir::Shape jacobianShape(Call &call, Value y, Value x) {
  ir::Shape shape = ir::getShape(y), behind = ir::getShape(x);
  shape.insert(shape.end(), behind.begin(), behind.end());
  call.checkBytes(ir::getTensorType(shape, ir::getElementType(y)));
  return shape;
}

// The derivatives of all elements of y by one of x after the other.
static Value byColumns(Call &call, Value y, Value x) {
  const ir::Shape shape = jacobianShape(call, y, x);
  std::vector<Value> columns = forEachAtOnce(call, unitsOf(call, x), [&](Value tangent) {
    auto op = call.builder.create<ir::JvpOp>(call.g.location(), y.getType(), y, x, tangent);
    return std::vector<Value>{op.getYs().front()};
  });
  std::vector<int64_t> order;
  for (int64_t i = 1; i <= call.rank(y); ++i)
    order.push_back(i);
  order.push_back(0);
  return call.g.reshape(call.g.transpose(columns.front(), order), shape);
}

void frontend::checkMode(Call &call, const std::string &mode) {
  if (mode != "auto" && mode != "forward" && mode != "reverse")
    call.valueError("unknown mode '" + mode + "'; needed auto, forward or reverse");
}

Value frontend::jacobianMatrix(Call &call, Value y, Value x) {
  std::vector<Value> rows = forEachAtOnce(call, unitsOf(call, y), [&](Value cotangent) {
    auto op = call.builder.create<ir::VjpOp>(call.g.location(), x.getType(), y, x, cotangent);
    return std::vector<Value>{op.getYs().front()};
  });
  const DimExpr columns = call.check(ir::elementCount(ir::getShape(x)));
  return call.g.reshape(rows.front(), {ir::getShape(rows.front()).front(), columns});
}

// Whether there are fewer elements of the inputs than of the output, by all that is known.
static bool isTall(Call &call, Value y, const Values &x) {
  DimExpr columns(0);
  for (Value input : x.list)
    columns = call.check(ir::add(columns, call.check(ir::elementCount(ir::getShape(input)))));
  DimExpr rows = call.check(ir::elementCount(ir::getShape(y)));
  return columns.isConstant() && rows.isConstant() &&
         columns.constantValue() < rows.constantValue();
}

std::vector<Tensor> backend::jacobian(const Tensor &output, const TensorList &inputs,
                                      const std::string &mode, SourceLocation location) {
  Call call("jacobian", location);
  checkMode(call, mode);
  Value y = floatOf(call, "output", output);
  Values x = floatsOf(call, "inputs", inputs);
  std::vector<Tensor> results;
  if (x.list.empty())
    return results;
  if (mode == "forward" || (mode == "auto" && isTall(call, y, x))) {
    for (Value input : x.list)
      results.push_back(call.tensor(byColumns(call, y, input)));
    return results;
  }
  std::vector<ir::Shape> shapes;
  for (Value input : x.list)
    shapes.push_back(jacobianShape(call, y, input));
  std::vector<Value> rows = forEachAtOnce(call, unitsOf(call, y), [&](Value cotangent) {
    auto op = call.builder.create<ir::VjpOp>(call.g.location(), typesOf(x), y, x.list, cotangent);
    return std::vector<Value>(op.getYs().begin(), op.getYs().end());
  });
  for (auto [row, shape] : llvm::zip(rows, shapes))
    results.push_back(call.tensor(call.g.reshape(row, shape)));
  return results;
}

Tensor backend::hessian(const Tensor &loss, const Tensor &variable, SourceLocation location) {
  Call call("hessian", location);
  Value total = totalOf(call, loss);
  Value x = floatOf(call, "x", variable);
  return call.tensor(byColumns(call, gradientOf(call, total, x), x));
}
