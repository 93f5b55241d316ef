#include "tests/limits/Bombs.h"

#include <cstdint>

using namespace keratin::tests;

namespace {

// Writes a function op by op.
class Text {
public:
  explicit Text(const std::string &arguments = "%x: tensor<8xf32> {keratin.kind = \"input\"}")
      : arguments(arguments) {}

  // An op, after its name and before its type: `line("tanh %x", "(…) -> …")`; the value's name.
  std::string line(const std::string &op, const std::string &type) {
    std::string name = "%v" + std::to_string(count++);
    body += "  " + name + " = keratin." + op + " : " + type + "\n";
    return name;
  }
  std::string result(const std::string &values, const std::string &types,
                     const std::string &resultTypes) const {
    return "func.func @bomb(" + arguments + ") -> (" + resultTypes + ") {\n" + body + "  return " +
           values + " : " + types + "\n}\n";
  }
  std::string result(const std::string &value, const std::string &type) const {
    return result(value, type, type + " {keratin.kind = \"output\"}");
  }

private:
  std::string arguments, body;
  int64_t count = 0;
};

std::string vectorOf(int64_t size) { return "tensor<" + std::to_string(size) + "xf32>"; }
std::string unary(const std::string &type) { return "(" + type + ") -> " + type; }
std::string binary(const std::string &type) { return "(" + type + ", " + type + ") -> " + type; }
std::string repeated(const std::string &text, size_t times, const std::string &between = ", ") {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += (i ? between : "") + text;
  return result;
}
std::string input(const std::string &name, const std::string &type) {
  return name + ": " + type + " {keratin.kind = \"input\"}";
}

const std::string scalar = "tensor<f32>";
const std::string eight = vectorOf(8);

// x, x x, x x x x, … : concatenated with itself again and again.
std::string doubling(std::string start, const std::string &op, int64_t times, bool summed) {
  Text t;
  std::string value = start;
  if (start != "%x")
    value = t.line(start, eight);
  int64_t size = 8;
  for (int64_t i = 0; i < times; ++i, size *= 2) {
    std::string from = vectorOf(size), to = vectorOf(2 * size);
    if (op == "concatenate")
      value = t.line("concatenate " + value + ", " + value + " {axis = 0 : i64}",
                     "(" + from + ", " + from + ") -> " + to);
    else
      value = t.line("pad " + value + " low = <" + std::to_string(size) + "> interior = [0]",
                     "(" + from + ") -> " + to);
  }
  if (!summed)
    return t.result(value, vectorOf(size));
  value = t.line("reduce_sum " + value + " axes = [0]", "(" + vectorOf(size) + ") -> " + scalar);
  return t.result(value, scalar);
}

std::string splatConstant(const std::string &dims) {
  Text t;
  std::string type = "tensor<" + dims + "xf32>";
  std::string value = t.line("constant dense<1.0>", type);
  return t.result(value, type);
}

std::string hugeBroadcast(bool reduced) {
  Text t(input("%x", scalar));
  std::string type = vectorOf(int64_t(1) << 40);
  std::string value = t.line("broadcast %x dims = []", "(" + scalar + ") -> " + type);
  for (int i = 0; i < 20; ++i)
    value = t.line("mul " + value + ", " + value, binary(type));
  if (!reduced)
    return t.result(value, type);
  value = t.line("reduce_sum " + value + " axes = [0]", "(" + type + ") -> " + scalar);
  return t.result(value, scalar);
}

std::string squares(int64_t depth, bool gradient) {
  Text t;
  std::string value = "%x";
  for (int64_t i = 0; i < depth; ++i)
    value = t.line("mul " + value + ", " + value, binary(eight));
  if (gradient)
    value = t.line("gradients " + value + " wrt %x", binary(eight));
  return t.result(value, eight);
}

// A gradient of a gradient of …: each makes several ops out of one.
std::string nestedGradients(int64_t depth) {
  Text t;
  std::string value = t.line("tanh %x", unary(eight));
  for (int64_t i = 0; i < depth; ++i)
    value = t.line("gradients " + value + " wrt %x", binary(eight));
  return t.result(value, eight);
}

std::string foldIota() {
  Text t;
  std::string type = vectorOf(int64_t(1) << 40);
  std::string value = t.line("iota {axis = 0 : i64}", type);
  for (int i = 0; i < 50; ++i)
    value = t.line("add " + value + ", " + value, binary(type));
  value = t.line("reduce_sum " + value + " axes = [0]", "(" + type + ") -> " + scalar);
  return t.result(value, scalar);
}

// Work, not memory: every product of constants fits the limit of what is folded.
std::string foldProducts() {
  Text t;
  std::string matrix = "tensor<128x128xf32>";
  // Elements that differ, so that nothing is seen without computing.
  std::string index = t.line(
      "constant dense<[" +
          [] {
            std::string numbers;
            for (int i = 0; i < 128; ++i)
              numbers += (i ? ", 0." : "0.") + std::to_string(i + 1);
            return numbers;
          }() +
          "]>",
      "tensor<128xf32>");
  std::string row = t.line("broadcast " + index + " dims = [1]", "(tensor<128xf32>) -> " + matrix);
  std::string value = t.line("add " + row + ", " + row, binary(matrix));
  for (int i = 0; i < 3000; ++i)
    value = t.line("dot_general " + value + ", " + value + " batch = [] x [] contract = [1] x [0]",
                   binary(matrix));
  return t.result(value, matrix);
}

// Memory: thousands of folded values of the largest size.
std::string foldChain() {
  Text t;
  std::string type = vectorOf(16384);
  std::string ones = t.line("constant dense<1.0>", type);
  std::string value = t.line("cumsum " + ones + " {axis = 0 : i64}", unary(type));
  for (int i = 0; i < 20'000; ++i)
    value = t.line(i % 2 ? "tanh " + value : "exp " + value, unary(type));
  return t.result(value, type);
}

std::string hugePad(const std::string &low, const std::string &interior, int64_t size) {
  Text t;
  std::string type = vectorOf(size);
  std::string value = t.line("pad %x low = <" + low + "> interior = [" + interior + "]",
                             "(" + eight + ") -> " + type);
  return t.result(value, type);
}

// Windows over a constant, as many as it has elements and as long.
std::string foldWindows() {
  Text t;
  std::string type = vectorOf(16384), one = t.line("constant dense<0.5>", scalar);
  std::string x = t.line("broadcast " + one + " dims = []", "(" + scalar + ") -> " + type);
  std::string value = t.line("convolution " + x + ", " + x +
                                 " dims = \"0,0->0\" strides = [1] low = <8192> x_dilation = [1] "
                                 "dilation = [1] reversed = [false]",
                             binary(type));
  value = t.line("window_sum " + value +
                     " window = [16384] strides = [1] low = <8192> x_dilation = [1]",
                 unary(type));
  return t.result(value, type);
}

// Each far longer than what it covers, or far from it.
std::string hugeWindow(const std::string &window, const std::string &low, int64_t windows) {
  Text t;
  std::string type = vectorOf(windows);
  std::string value = t.line("window_sum %x window = [" + window + "] strides = [1] low = <" + low +
                                 "> x_dilation = [1]",
                             "(" + eight + ") -> " + type);
  value = t.line("window_max " + value + " window = [" + window +
                     "] strides = [2147483647] low = <" + low + ">",
                 "(" + type + ") -> " + eight);
  return t.result(value, eight);
}

std::string reshapes(int64_t count) {
  Text t;
  std::string value = "%x", folded = "tensor<2x4xf32>";
  for (int64_t i = 0; i < count; ++i) {
    value = t.line("reshape " + value, "(" + eight + ") -> " + folded);
    value = t.line("transpose " + value + " permutation = [1, 0]",
                   "(" + folded + ") -> tensor<4x2xf32>");
    value = t.line("reshape " + value, "(tensor<4x2xf32>) -> " + eight);
  }
  return t.result(value, eight);
}

std::string highRank(int64_t rank, const std::string &size, bool transposed) {
  std::string type = "tensor<" + repeated(size + "x", rank, "") + "f32>";
  Text t(input("%x", type));
  std::string value = "%x";
  if (transposed) {
    std::string order;
    for (int64_t i = 0; i < rank; ++i)
      order += (i ? ", " : "") + std::to_string(rank - 1 - i);
    value = t.line("transpose " + value + " permutation = [" + order + "]", unary(type));
  }
  value = t.line("mul " + value + ", %x", binary(type));
  std::string axes;
  for (int64_t i = 0; i < rank; i += 2)
    axes += (i ? ", " : "") + std::to_string(i);
  std::string rest = "tensor<" + repeated(size + "x", rank / 2, "") + "f32>";
  value = t.line("reduce_sum " + value + " axes = [" + axes + "]", "(" + type + ") -> " + rest);
  return t.result(value, rest);
}

std::string wideConcatenation(int64_t count) {
  Text t;
  std::string value = t.line("concatenate " + repeated("%x", count) + " {axis = 0 : i64}",
                             "(" + repeated(eight, count) + ") -> " + vectorOf(8 * count));
  return t.result(value, vectorOf(8 * count));
}

std::string wideConcatenationOfDifferent(int64_t count) {
  Text t;
  std::string values;
  for (int64_t i = 0; i < count; ++i) {
    std::string scaled = t.line("constant dense<" + std::to_string(i) + ".0>", eight);
    values += (i ? ", " : "") + t.line("mul %x, " + scaled, binary(eight));
  }
  std::string value = t.line("concatenate " + values + " {axis = 0 : i64}",
                             "(" + repeated(eight, count) + ") -> " + vectorOf(8 * count));
  return t.result(value, vectorOf(8 * count));
}

std::string manyInputs(int64_t count) {
  std::string arguments;
  for (int64_t i = 0; i < count; ++i)
    arguments += (i ? ", " : "") + input("%a" + std::to_string(i), eight);
  Text t(arguments);
  std::string value = "%a0";
  for (int64_t i = 1; i < count; ++i)
    value = t.line("add " + value + ", %a" + std::to_string(i), binary(eight));
  return t.result(value, eight);
}

std::string manyOutputs(int64_t count) {
  Text t;
  std::string values, value = "%x";
  for (int64_t i = 0; i < count; ++i) {
    value = t.line("tanh " + value, unary(eight));
    values += (i ? ", " : "") + value;
  }
  return t.result(values, repeated(eight, count),
                  repeated(eight + " {keratin.kind = \"output\"}", count));
}

// Each has a loop of its own.
std::string manyShapes(int64_t count) {
  Text t(input("%x", scalar));
  std::string sum = "%x";
  for (int64_t i = 1; i <= count; ++i) {
    std::string type = vectorOf(i);
    std::string value = t.line("broadcast " + sum + " dims = []", "(" + scalar + ") -> " + type);
    value = t.line("cumsum " + value + " {axis = 0 : i64}", unary(type));
    sum = t.line("reduce_sum " + value + " axes = [0]", "(" + type + ") -> " + scalar);
  }
  return t.result(sum, scalar);
}

std::string scanOf(int64_t size) {
  Text t(input("%x", scalar));
  std::string type = vectorOf(size);
  std::string value = t.line("broadcast %x dims = []", "(" + scalar + ") -> " + type);
  value = t.line("cumprod " + value + " {axis = 0 : i64}", unary(type));
  value = t.line("reduce_max " + value + " axes = [0]", "(" + type + ") -> " + scalar);
  return t.result(value, scalar);
}

// Sizes that grow as expressions: products of sums of symbols.
std::string sizeExpressions(int64_t count) {
  std::string arguments, product = "1";
  for (int64_t i = 0; i < count; ++i) {
    std::string id = "d" + std::to_string(i);
    arguments += (i ? ", " : "") +
                 input("%a" + std::to_string(i), "tensor<?xf32, #keratin.dims<" + id + ">>");
    product += "*(" + id + " + 1)";
  }
  Text t(arguments);
  std::string type = "tensor<?xf32, #keratin.dims<" + product + ">>";
  std::string value = t.line("iota {axis = 0 : i64}", type);
  return t.result(value, type);
}

std::string nestedSize(int64_t depth) {
  std::string size = "d0";
  for (int64_t i = 0; i < depth; ++i)
    size = "max(floordiv(" + size + ", 3) + d0, mod(" + size + ", 7))";
  Text t(input("%x", "tensor<?xf32, #keratin.dims<d0>>"));
  std::string type = "tensor<?xf32, #keratin.dims<" + size + ">>";
  return t.result(t.line("iota {axis = 0 : i64}", type), type);
}

std::string powerOf(const std::string &exponent) {
  Text t;
  std::string power = t.line("constant dense<" + exponent + ">", eight);
  std::string value = t.line("pow %x, " + power, binary(eight));
  value = t.line("gradients " + value + " wrt %x", binary(eight));
  return t.result(value, eight);
}

} // namespace

std::vector<Bomb> keratin::tests::bombs() {
  constexpr int64_t tera = int64_t(1) << 40;
  return {
      {"concatenated with itself to 2^43 elements", doubling("%x", "concatenate", 40, true)},
      {"concatenated with itself and returned", doubling("%x", "concatenate", 24, false)},
      {"a constant concatenated with itself",
       doubling("constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>", "concatenate", 40,
                true)},
      {"padded to 2^43 elements", doubling("%x", "pad", 40, true)},
      {"a splat constant of 2^40 elements", splatConstant("1099511627776")},
      {"a splat constant of 2^62 elements", splatConstant("4611686018427387904")},
      {"a broadcast of 2^40 elements, squared", hugeBroadcast(false)},
      {"a broadcast of 2^40 elements, squared and summed", hugeBroadcast(true)},
      {"squares of squares, 10,000 deep", squares(10'000, false)},
      {"the gradient of squares of squares", squares(2000, true)},
      {"gradients of gradients, 5 deep", nestedGradients(5)},
      {"gradients of gradients, 40 deep", nestedGradients(40)},
      {"iota of 2^40 elements, added and summed", foldIota()},
      {"3,000 products of constant matrices", foldProducts()},
      {"20,000 functions of a constant", foldChain()},
      {"padding of 2^40 in front", hugePad(std::to_string(tera), "0", tera + 8)},
      {"padding of 2^40 between", hugePad("0", std::to_string(tera), 7 * tera + 8)},
      {"windows over all of a constant", foldWindows()},
      {"windows of 2^31", hugeWindow("2147483647", "1073741824", 8)},
      {"windows 2^61 away", hugeWindow("8", "2305843009213693952", 8)},
      {"2^40 windows", hugeWindow("8", "4", tera)},
      {"20,000 reshapes and transposes", reshapes(20'000)},
      {"rank 32 transposed", highRank(32, "1", true)},
      {"rank 30 of sizes of two", highRank(30, "2", true)},
      {"rank 2,000", highRank(2000, "1", false)},
      {"10,000 operands of one concatenation", wideConcatenation(10'000)},
      {"1,000 different operands of one concatenation", wideConcatenationOfDifferent(1000)},
      {"3,000 inputs", manyInputs(3000)},
      {"3,000 outputs", manyOutputs(3000)},
      {"300 loops of different shapes", manyShapes(300)},
      {"a scan of 2^40 elements", scanOf(tera)},
      {"a size of 30 factors", sizeExpressions(30)},
      {"a size nested 20 deep", nestedSize(20)},
      {"a power of 10^30", powerOf("1.0e30")},
  };
}
