// K::jvp, K::vector_jacobian_product and K::hessian_vector_product.
#include "frontend/graph/Call.h"
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

static Values floatsOf(Call &call, const char *name, const TensorList &tensors) {
  Values values = valuesOf(call, name, tensors);
  for (auto [i, value] : llvm::enumerate(values.list))
    if (DType dtype = call.dtypeOf(value); !isFloating(dtype))
      call.valueError(values.at(i) + " is " + dtypeName(dtype) +
                      ", which has no derivative; needed floats");
  return values;
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
  Values outputs = floatsOf(call, "outputs", outputList);
  Values inputs = floatsOf(call, "inputs", inputList);
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
  Values outputs = floatsOf(call, "outputs", outputList);
  Values inputs = floatsOf(call, "inputs", inputList);
  Values cotangents = partnersOf(call, "cotangents", cotangentList, outputs);
  auto op = call.builder.create<ir::VjpOp>(call.g.location(), typesOf(inputs), outputs.list,
                                           inputs.list, cotangents.list);
  return tensorsOf(call, op.getYs());
}

std::vector<Tensor> backend::hessian_vector_product(const Tensor &loss, const TensorList &xList,
                                                    const TensorList &vList,
                                                    SourceLocation location) {
  Call call("hessian_vector_product", location);
  Value total = call.dense(loss);
  if (DType dtype = call.dtypeOf(total); !isFloating(dtype))
    call.valueError(std::string("loss is ") + dtypeName(dtype) +
                    ", which has no derivative; needed floats");
  total = call.g.reduceSum(total, call.axes(None, call.rank(total)));
  Values x = floatsOf(call, "x", xList);
  Values v = partnersOf(call, "v", vList, x);
  auto gradients =
      call.builder.create<ir::GradientsOp>(call.g.location(), typesOf(x), total, x.list);
  auto op = call.builder.create<ir::JvpOp>(call.g.location(), typesOf(x), gradients.getYs(), x.list,
                                           v.list);
  return tensorsOf(call, op.getYs());
}
