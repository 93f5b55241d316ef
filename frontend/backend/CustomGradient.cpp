// K::custom_gradient.
#include "keratin/derivatives.h"

#include "frontend/graph/GivenGradient.h"

using namespace keratin;
using namespace keratin::frontend;

static void needFloats(Call &call, const std::string &what, Value value,
                       const std::string &instead) {
  if (DType dtype = call.dtypeOf(value); !isFloating(dtype))
    call.valueError(what + " is " + dtypeName(dtype) + ", which has no gradient; " + instead);
}

static void checkCount(Call &call, const std::string &what, size_t found, size_t needed) {
  if (found != needed)
    call.valueError(what + " " + std::to_string(found) + "; needed " + std::to_string(needed) +
                    ", one for each input");
}

static std::vector<Tensor> tensorsOf(llvm::ArrayRef<Value> values) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(tensorOf(value));
  return tensors;
}

// What vjp says of the inputs.
static std::vector<Value> gradientsOf(Call &call, llvm::ArrayRef<Value> inputs,
                                      const std::vector<Tensor> &made) {
  checkCount(call, "the number of gradients that vjp returns is", made.size(), inputs.size());
  std::vector<Value> gradients;
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].isEmpty()) {
      gradients.push_back(call.g.zeroLike(inputs[i]));
      continue;
    }
    Value value = call.value(made[i]);
    const std::string name = "gradient " + std::to_string(i);
    DType found = call.dtypeOf(value), needed = call.dtypeOf(inputs[i]);
    if (found != needed)
      call.valueError(name + " that vjp returns is " + dtypeName(found) + "; needed " +
                      dtypeName(needed) + ", as the input is");
    gradients.push_back(call.requireShape(value, ir::getShape(inputs[i]),
                                          "an input and its gradient, " + name + " of vjp,"));
  }
  return gradients;
}

std::vector<Tensor> keratin::detail::customGradient(const LoopBody &f, const GradientFunction &vjp,
                                                    const std::vector<Operand> &arguments,
                                                    SourceLocation location) {
  Call call("custom_gradient", location);
  std::vector<Value> inputs, outputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back(call.value(arguments[i]));
    needFloats(call, "input " + std::to_string(i), inputs.back(),
               "let the function take it from outside");
  }
  if (inputs.empty())
    call.valueError("there are no inputs; needed one tensor or more");
  if (f.tensorCount())
    checkCount(call, "the number of the function's parameters is", *f.tensorCount(), inputs.size());
  const std::vector<Tensor> given = tensorsOf(inputs);
  const std::vector<Tensor> made = call.runUserCode([&] { return f(given); });
  for (size_t i = 0; i < made.size(); ++i) {
    outputs.push_back(call.value(made[i]));
    needFloats(call, "output " + std::to_string(i), outputs.back(), "needed floats");
  }
  if (outputs.empty())
    call.valueError("the function returns an empty list; needed one tensor or more");
  if (vjp.isOfOne() && (inputs.size() != 1 || outputs.size() != 1))
    call.valueError("vjp takes an input, an output and a cotangent; there are " +
                    std::to_string(inputs.size()) + " inputs and " +
                    std::to_string(outputs.size()) + " outputs, needed vectors");

  auto build = [&](llvm::ArrayRef<Value> results, llvm::ArrayRef<Value> cotangents) {
    const std::vector<Tensor> values = tensorsOf(results), weights = tensorsOf(cotangents);
    const std::vector<Tensor> gradients =
        call.runUserCode([&] { return vjp(given, values, weights); });
    return gradientsOf(call, inputs, gradients);
  };
  std::vector<Tensor> results;
  for (Value y : withGradient(call, "the vjp of custom_gradient", outputs, inputs, build))
    results.push_back(call.tensor(y));
  return results;
}
