// K::custom_gradient and K::custom_jvp.
#include "keratin/derivatives.h"

#include "frontend/graph/GivenGradient.h"

using namespace keratin;
using namespace keratin::frontend;

static void needFloats(Call &call, const std::string &what, Value value,
                       const std::string &instead) {
  if (DType dtype = call.dtypeOf(value); !isFloating(dtype))
    call.valueError(what + " is " + dtypeName(dtype) + ", which has no gradient; " + instead);
}

static void checkCount(Call &call, const std::string &what, size_t found, size_t needed,
                       const std::string &each) {
  if (found != needed)
    call.valueError(what + " " + std::to_string(found) + "; needed " + std::to_string(needed) +
                    ", one for each " + each);
}

static std::vector<Tensor> tensorsOf(llvm::ArrayRef<Value> values) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(tensorOf(value));
  return tensors;
}

namespace {

// A function of the user's that makes derivatives: what they are called, and of what they are.
struct Rule {
  const char *name, *derivative, *of;
};

constexpr Rule vjpRule = {"vjp", "gradient", "input"}, jvpRule = {"jvp", "tangent", "output"};

// The values that the user's function was given and has returned.
struct Primals {
  std::vector<Value> inputs, outputs;
  std::vector<Tensor> given;
};

} // namespace

// What the rule says of values.
static std::vector<Value> derivativesOf(Call &call, const Rule &rule, llvm::ArrayRef<Value> values,
                                        const std::vector<Tensor> &made) {
  const std::string ofRule = rule.name, derivative = rule.derivative, of = rule.of;
  checkCount(call, "the number of " + derivative + "s that " + ofRule + " returns is", made.size(),
             values.size(), of);
  std::vector<Value> derivatives;
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].isEmpty()) {
      derivatives.push_back(call.g.zeroLike(values[i]));
      continue;
    }
    Value value = call.value(made[i]);
    const std::string name = derivative + " " + std::to_string(i);
    DType found = call.dtypeOf(value), needed = call.dtypeOf(values[i]);
    if (found != needed)
      call.valueError(name + " that " + ofRule + " returns is " + dtypeName(found) + "; needed " +
                      dtypeName(needed) + ", as the " + of + " is");
    derivatives.push_back(call.requireShape(value, ir::getShape(values[i]),
                                            "an " + of + " and its " + derivative + ", " + name +
                                                " of " + ofRule + ","));
  }
  return derivatives;
}

static Primals callOnFloats(Call &call, const LoopBody &f, const std::vector<Operand> &arguments) {
  Primals primals;
  auto &[inputs, outputs, given] = primals;
  for (size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back(call.value(arguments[i]));
    needFloats(call, "input " + std::to_string(i), inputs.back(),
               "let the function take it from outside");
  }
  if (inputs.empty())
    call.valueError("there are no inputs; needed one tensor or more");
  if (f.tensorCount())
    checkCount(call, "the number of the function's parameters is", *f.tensorCount(), inputs.size(),
               "input");
  given = tensorsOf(inputs);
  const std::vector<Tensor> made = call.runUserCode([&] { return f(primals.given); });
  for (size_t i = 0; i < made.size(); ++i) {
    outputs.push_back(call.value(made[i]));
    needFloats(call, "output " + std::to_string(i), outputs.back(), "needed floats");
  }
  if (outputs.empty())
    call.valueError("the function returns an empty list; needed one tensor or more");
  return primals;
}

static std::vector<Tensor> resultsOf(Call &call, llvm::ArrayRef<Value> values) {
  std::vector<Tensor> results;
  for (Value value : values)
    results.push_back(call.tensor(value));
  return results;
}

std::vector<Tensor> keratin::detail::customGradient(const LoopBody &f, const GradientFunction &vjp,
                                                    const std::vector<Operand> &arguments,
                                                    SourceLocation location) {
  Call call("custom_gradient", location);
  const Primals primals = callOnFloats(call, f, arguments);
  const std::vector<Value> &inputs = primals.inputs, &outputs = primals.outputs;
  if (vjp.isOfOne() && (inputs.size() != 1 || outputs.size() != 1))
    call.valueError("vjp takes an input, an output and a cotangent; there are " +
                    std::to_string(inputs.size()) + " inputs and " +
                    std::to_string(outputs.size()) + " outputs, needed vectors");

  auto build = [&](llvm::ArrayRef<Value> results, llvm::ArrayRef<Value> cotangents) {
    const std::vector<Tensor> values = tensorsOf(results), weights = tensorsOf(cotangents);
    const std::vector<Tensor> gradients =
        call.runUserCode([&] { return vjp(primals.given, values, weights); });
    return derivativesOf(call, vjpRule, inputs, gradients);
  };
  return resultsOf(call, withGradient(call, "the vjp of custom_gradient", outputs, inputs, build));
}

std::vector<Tensor> keratin::detail::customJvp(const LoopBody &f, const TangentFunction &jvp,
                                               const std::vector<Operand> &arguments,
                                               SourceLocation location) {
  Call call("custom_jvp", location);
  const Primals primals = callOnFloats(call, f, arguments);
  const std::vector<Value> &inputs = primals.inputs, &outputs = primals.outputs;
  if (jvp.isOfOne() && inputs.size() != 1)
    call.valueError("jvp takes an input and a tangent; there are " + std::to_string(inputs.size()) +
                    " inputs, needed vectors");

  auto build = [&](llvm::ArrayRef<Value>, llvm::ArrayRef<Value> along) {
    const std::vector<Tensor> directions = tensorsOf(along);
    const std::vector<Tensor> tangents =
        call.runUserCode([&] { return jvp(primals.given, directions); });
    return derivativesOf(call, jvpRule, outputs, tangents);
  };
  return resultsOf(call, withTangents(call, "the jvp of custom_jvp", outputs, inputs, build));
}
