#include "tests/execution/StabilityCases.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

using namespace keratin::tests;

//===-- Modules -------------------------------------------------------------------------------===//

namespace {

// Turns "s = sum e" and the like into IR. `sum`, `max` reduce a vector to a scalar, `keep` gives it
// the dimension back with size 1, `repeat` the size of the input; all else is elementwise.
class BodyWriter {
public:
  BodyWriter(size_t size, const std::string &element)
      : element(element), vector("tensor<" + std::to_string(size) + "x" + element + ">"),
        scalar("tensor<" + element + ">") {
    types["x"] = vector;
    for (auto [name, value] :
         {std::pair("zero", "0.0"), std::pair("half", "0.5"), std::pair("one", "1.0"),
          std::pair("two", "2.0"), std::pair("minus", "-1.0"),
          std::pair("low", "9.5367431640625e-7"), std::pair("high", "0.99999904632568359375")}) {
      out << "  %" << name << " = keratin.constant dense<" << value << "> : " << vector << "\n";
      types[name] = vector;
    }
    out << "  %unit = keratin.constant dense<1.0> : " << scalar << "\n";
    out << "  %third = keratin.constant dense<0.33333333333333333> : " << scalar << "\n";
    types["unit"] = types["third"] = scalar;
  }

  std::string write(const std::string &body) {
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line, ';');)
      writeOp(line);
    return out.str();
  }

  const std::string element, vector, scalar;
  std::map<std::string, std::string> types;

private:
  void writeOp(const std::string &line) {
    std::istringstream words(line);
    std::string result, equals, op, argument, operands, operandTypes;
    words >> result >> equals >> op;
    std::string type;
    while (words >> argument) {
      operands += (operands.empty() ? "%" : ", %") + argument;
      operandTypes += (operandTypes.empty() ? "" : ", ") + types.at(argument);
      if (type.empty())
        type = types.at(argument);
    }
    std::string attributes;
    if (op == "sum" || op == "max") {
      op = "reduce_" + op;
      attributes = " axes = [0]";
      type = scalar;
    } else if (op == "keep") {
      op = "reshape";
      type = "tensor<1x" + element + ">";
    } else if (op == "repeat") {
      op = "broadcast";
      attributes = type == scalar ? " dims = []" : " dims = [0]";
      type = vector;
    }
    out << "  %" << result << " = keratin." << op << " " << operands << attributes << " : ("
        << operandTypes << ") -> " << type << "\n";
    types[result] = type;
  }

  std::ostringstream out;
};

} // namespace

std::string keratin::tests::valueModule(const StabilityCase &test, const std::string &element) {
  BodyWriter writer(test.input.size(), element);
  std::string body = writer.write(test.body);
  std::string type = writer.types.at("y");
  return "func.func @main(%x: " + writer.vector + ") -> " + type + " {\n" + body +
         "  return %y : " + type + "\n}\n";
}

std::string keratin::tests::gradientModule(const StabilityCase &test, const std::string &element) {
  BodyWriter writer(test.input.size(), element);
  std::string body = writer.write(test.body);
  std::string loss = "y";
  if (writer.types.at("y") != writer.scalar) {
    body = BodyWriter(test.input.size(), element).write(test.body + "; loss = sum y");
    loss = "loss";
  }
  return "func.func @main(%x: " + writer.vector + ") -> " + writer.vector + " {\n" + body +
         "  %g = keratin.gradients %" + loss + " wrt %x : (" + writer.scalar + ", " +
         writer.vector + ") -> " + writer.vector + "\n  return %g : " + writer.vector + "\n}\n";
}

//===-- The table -----------------------------------------------------------------------------===//

namespace {

using Vector = std::vector<double>;

Vector map(const Vector &x, const std::function<double(double)> &f) {
  Vector y;
  for (double element : x)
    y.push_back(f(element));
  return y;
}

double logistic(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

double logSumExp(const Vector &x) {
  double max = *std::max_element(x.begin(), x.end()), sum = 0;
  if (!std::isfinite(max))
    max = 0;
  for (double element : x)
    sum += std::exp(element - max);
  return max + std::log(sum);
}

// Not by logSumExp, whose digits are few behind a large maximum.
Vector softmax(const Vector &x) {
  double max = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double element : x)
    sum += std::exp(element - max);
  return map(x, [&](double e) { return std::exp(e - max) / sum; });
}
Vector logSoftmax(const Vector &x) {
  return map(x, [&](double e) { return e - logSumExp(x); });
}

std::vector<StabilityCase> makeCases() {
  const double inf = std::numeric_limits<double>::infinity();
  const Vector small = {1e-13, 1e-20, 0, -1e-13, 0.5},
               wide = {-1e4, -800, -50, -1, 0, 1, 50, 800, 1e4};
  const Vector logits = {-1e4, 0, 3, 1e4};
  std::vector<StabilityCase> cases;
  auto add = [&](const char *name, const char *body, const Vector &input, Vector value,
                 Vector gradient, bool stableAsWritten = false) {
    cases.push_back({name, body, input, std::move(value), std::move(gradient), stableAsWritten});
  };
  auto eachOf = [&](const char *name, std::initializer_list<const char *> bodies,
                    const Vector &input, const std::function<double(double)> &value,
                    const std::function<double(double)> &slope, bool stableAsWritten = false) {
    for (const char *body : bodies)
      add(name, body, input, map(input, value), map(input, slope), stableAsWritten);
  };

  auto log1p = [](double x) { return std::log1p(x); };
  eachOf("log(1 + x)", {"a = add one x; y = log a", "a = add x one; y = log a"}, small, log1p,
         [](double x) { return 1 / (1 + x); });
  eachOf(
      "log(1 - x)", {"a = sub one x; y = log a"}, small, [](double x) { return std::log1p(-x); },
      [](double x) { return -1 / (1 - x); });
  eachOf(
      "exp(x) - 1", {"a = exp x; y = sub a one", "a = exp x; y = add minus a"}, small,
      [](double x) { return std::expm1(x); }, [](double x) { return std::exp(x); });
  eachOf(
      "1 - exp(x)", {"a = exp x; y = sub one a"}, small, [](double x) { return -std::expm1(x); },
      [](double x) { return -std::exp(x); });
  eachOf(
      "log(exp(x))", {"a = exp x; y = log a"}, wide, [](double x) { return x; },
      [](double) { return 1.0; });
  eachOf(
      "sqrt(x * x)", {"a = mul x x; y = sqrt a", "a = pow x two; y = sqrt a"},
      {1e200, -1e200, 1e-200, 0}, [](double x) { return std::fabs(x); },
      [](double x) { return double((x > 0) - (x < 0)); });

  auto logisticSlope = [](double x) { return logistic(x) * (1 - logistic(x)); };
  eachOf("1 / (1 + exp(-x))", {"n = neg x; e = exp n; s = add one e; y = div one s"}, wide,
         logistic, logisticSlope, /*stableAsWritten=*/true);
  eachOf(
      "logistic",
      {"e = exp x; s = add one e; y = div e s", "e = exp x; s = add e one; f = exp x; y = div f s"},
      wide, logistic, logisticSlope);
  eachOf("logistic by tanh",
         {"h = mul x half; t = tanh h; s = add t one; y = mul half s",
          "h = div x two; t = tanh h; s = add one t; y = div s two",
          "h = mul half x; t = tanh h; s = mul t half; y = add s half"},
         wide, logistic, logisticSlope);
  eachOf(
      "log(logistic(x))",
      {"p = logistic x; y = log p", "n = neg x; e = exp n; s = add e one; p = div one s; y = log p",
       "e = exp x; s = add one e; p = div e s; y = log p"},
      wide, [](double x) { return -softplus(-x); }, [](double x) { return logistic(-x); });
  eachOf(
      "log(1 - logistic(x))",
      {"p = logistic x; q = sub one p; y = log q", "p = logistic x; n = neg p; y = log1p n"}, wide,
      [](double x) { return -softplus(x); }, [](double x) { return -logistic(x); });
  eachOf("softplus",
         {"e = exp x; s = add one e; y = log s", "e = exp x; s = add e one; y = log s",
          "e = exp x; y = log1p e"},
         wide, softplus, logistic);
  eachOf("stable softplus",
         {"m = maximum x zero; a = abs x; n = neg a; e = exp n; l = log1p e; y = add m l",
          "m = maximum zero x; a = abs x; n = neg a; e = exp n; s = add one e; l = log s; y = add "
          "l m"},
         wide, softplus, logistic, /*stableAsWritten=*/true);
  eachOf(
      "sigmoid crossentropy of a logit",
      {"m = maximum x zero; t = mul x half; d = sub m t; a = abs x; n = neg a; e = exp n; l = "
       "log1p e; "
       "y = add d l"},
      wide, [](double x) { return softplus(x) - 0.5 * x; },
      [](double x) { return logistic(x) - 0.5; },
      /*stableAsWritten=*/true);
  eachOf(
      "clipped sigmoid crossentropy keeps its clip",
      {"p = logistic x; a = maximum p low; b = minimum a high; y = log b"}, {-1e4, -50, 50, 1e4},
      [](double x) { return std::log(x > 0 ? 1 - 0x1p-20 : 0x1p-20); }, [](double) { return 0.0; },
      /*stableAsWritten=*/true);

  const char *shifted = "m = max x; b = repeat m; u = sub x b; e = exp u; s = sum e; ";
  const char *unshifted = "e = exp x; s = sum e; ";
  const double count = logits.size();
  for (std::string form : {shifted, unshifted})
    for (const char *quotient :
         {"c = repeat s; p = div e c", "k = keep s; c = repeat k; p = div e c",
          "r = div unit s; c = repeat r; p = mul e c",
          "c = repeat s; r = div one c; p = mul r e"}) {
      std::string body = form + quotient;
      add("log(softmax(x))", (body + "; y = log p").c_str(), logits, logSoftmax(logits),
          map(softmax(logits), [&](double p) { return 1 - count * p; }));
      Vector softmaxOf = softmax(logits);
      add("softmax", (body + "; y = neg p").c_str(), logits,
          map(softmaxOf, [](double p) { return -p; }), Vector(4, 0), form == shifted);
    }
  add("log(softmax) as a difference",
      "e = exp x; n = log e; s = sum e; l = log s; c = repeat l; y = sub n c", logits,
      logSoftmax(logits), map(softmax(logits), [&](double p) { return 1 - count * p; }));

  const char *logSum = "e = exp x; s = sum e; y = log s";
  for (const Vector &x : {Vector{1e4, 1e4 + 1, 0}, Vector{-1e4, -1e4 - 1, -2e4}})
    add("log(sum(exp(x)))", logSum, x, {logSumExp(x)}, softmax(x));
  add("log(sum(exp(x))) of -inf", logSum, {-inf, -inf}, {-inf}, {}, /*stableAsWritten=*/true);
  add("log(sum(exp(x))) with inf", logSum, {inf, 0}, {inf}, {}, /*stableAsWritten=*/true);
  const Vector three = {1e4, 1e4 + 1, 0};
  add("log(mean(exp(x)))", "e = exp x; s = sum e; m = mul s third; y = log m", three,
      {logSumExp(three) - std::log(3)}, softmax(three));
  return cases;
}

} // namespace

const std::vector<StabilityCase> &keratin::tests::stabilityCases() {
  static const std::vector<StabilityCase> cases = makeCases();
  return cases;
}
