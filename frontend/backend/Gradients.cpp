// K::gradients and K::stop_gradient.
#include "keratin/graph.h"

#include "frontend/graph/SparseParts.h"
#include "ir/builder/DifferentiablePaths.h"

using namespace keratin;
using namespace keratin::frontend;

void Gradient::failAbsent() const {
  if (variable.isEmpty())
    throw ValueError("Gradient: this is empty");
  std::string name = variable.name();
  std::string place =
      location.line ? std::string("; at ") + location.file + ":" + std::to_string(location.line)
                    : "";
  throw ValueError("gradients: the loss does not depend on '" + name.substr(0, name.rfind(':')) +
                   "' in a differentiable way, so there is no gradient; needed has_value()" +
                   place);
}

namespace keratin::backend {

std::vector<Gradient> gradients(const Tensor &loss, const TensorList &variableList,
                                SourceLocation location) {
  Call call("gradients", location);
  const std::vector<Tensor> &variables = variableList.list();
  std::vector<Gradient> result;
  for (const Tensor &variable : variables) {
    call.raw(variable);
    result.push_back(Gradient::absent(variable, location));
  }
  Value total = call.dense(loss);
  if (const DType dtype = call.dtypeOf(total); isComplex(dtype))
    call.typeError(std::string("the loss is ") + dtypeName(dtype) +
                   "; needed a real one, such as real, imag and abs make");
  if (!isFloating(call.dtypeOf(total)))
    return result;
  ir::DifferentiablePaths paths(total, ir::DifferentiablePaths::Bodies::Open);
  total = call.g.reduceSum(total, call.axes(None, call.rank(total)));

  // A sparse tensor's gradient is that of its stored elements, at their places.
  auto differentiated = [&](const Tensor &variable) {
    Value x = call.raw(variable);
    std::optional<SparseParts> parts = sparseParts(x);
    return parts ? parts->values : x;
  };
  auto gradientOf = [&](const Tensor &variable, Value gradient) {
    std::optional<SparseParts> parts = sparseParts(call.raw(variable));
    if (!parts)
      return call.tensor(gradient);
    parts->values = gradient;
    return call.tensor(sparseMatrix(call, *parts));
  };

  // Fed values and variables go into one op. A value in the middle of the graph has its own, since
  // within one op all of them are independent of each other.
  std::vector<size_t> leaves;
  std::vector<Value> leafValues;
  auto emit = [&](llvm::ArrayRef<Value> values) {
    std::vector<mlir::Type> types;
    for (Value value : values)
      types.push_back(value.getType());
    return call.builder.create<ir::GradientsOp>(call.g.location(), types, total,
                                                mlir::ValueRange(values));
  };
  for (auto [i, variable] : llvm::enumerate(variables)) {
    Value x = differentiated(variable);
    const DType dtype = call.dtypeOf(x);
    if (!paths.reaches(x) || !(isFloating(dtype) || isComplex(dtype)))
      continue;
    if (x.getDefiningOp()->getNumOperands() == 0) {
      leaves.push_back(i);
      leafValues.push_back(x);
    } else {
      result[i] = gradientOf(variable, emit({x}).getResult(0));
    }
  }
  if (!leaves.empty()) {
    ir::GradientsOp op = emit(leafValues);
    for (auto [i, place] : llvm::enumerate(leaves))
      result[place] = gradientOf(variables[place], op.getResult(unsigned(i)));
  }
  return result;
}

Tensor stop_gradient(const Operand &operand, SourceLocation location) {
  Call call("stop_gradient", location);
  return call.tensor(
      call.builder.create<ir::StopGradientOp>(call.g.location(), call.value(operand)));
}

std::vector<Tensor> stop_gradient(const std::vector<Tensor> &variables, SourceLocation location) {
  std::vector<Tensor> result;
  for (const Tensor &variable : variables)
    result.push_back(stop_gradient(Operand(variable, location), location));
  return result;
}

} // namespace keratin::backend
