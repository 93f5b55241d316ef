// Ops that work element by element, as nodes of ONNX, which repeats operands of unlike shapes by
// itself: what keratin.broadcast repeats stays small.
#include "frontend/onnx/GraphExporter.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

namespace {

// The shape that ONNX gives a node of these operands. Sizes that are either equal or 1 when the
// model is called are broadcast then.
ir::Shape joinedShape(GraphExporter &e, mlir::Operation *op) {
  const ir::Shape whole = ir::getShape(op->getResult(0));
  ir::Shape shape;
  for (mlir::Value operand : op->getOperands()) {
    const ir::Shape from = e.compact(operand).shape;
    while (shape.size() < from.size())
      shape.insert(shape.begin(), DimExpr(1));
    for (size_t i = 0; i < from.size(); ++i) {
      DimExpr &size = shape[shape.size() - from.size() + i];
      const DimExpr &wanted = whole[whole.size() - from.size() + i];
      if (size == wanted || from[i] == wanted)
        size = wanted;
      else
        size = ir::broadcast(size, from[i]).value_or(from[i]);
    }
  }
  return shape;
}

struct Operands {
  Names names;
  ir::Shape shape; // of what a node makes of them, in the op's order
  Numbers order;   // by which that is transposed then; empty: not at all
};

// What was transposed is read as it was before, and the result transposed instead: so images stay
// as convolutions made them until the next one, and the transposes between cancel. What is one
// number, or numbers along one axis, is turned back for it.
Numbers orderOf(GraphExporter &e, mlir::Operation *op, size_t rank) {
  const Numbers *order = nullptr;
  for (mlir::Value operand : op->getOperands()) {
    const GraphExporter::Compact x = e.compact(operand);
    if (const Numbers *own = e.orderOf(x.name)) {
      if (order && *order != *own)
        return {};
      order = own;
      continue;
    }
    const auto isLong = [](const DimExpr &size) { return size != DimExpr(1); };
    if (std::count_if(x.shape.begin(), x.shape.end(), isLong) > 1)
      return {};
  }
  return order && order->size() == rank ? *order : Numbers();
}

Operands operandsOf(GraphExporter &e, mlir::Operation *op) {
  Operands operands{{}, joinedShape(e, op), {}};
  operands.order = orderOf(e, op, operands.shape.size());
  Numbers back(operands.order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[size_t(operands.order[i])] = int64_t(i);
  for (mlir::Value operand : op->getOperands()) {
    const GraphExporter::Compact x = e.compact(operand);
    std::string name = x.name;
    if (!back.empty() && !x.shape.empty()) {
      Numbers front(back.size() - x.shape.size());
      std::iota(front.begin(), front.end(), 0);
      name = e.transpose(e.unsqueeze(name, front), back);
    }
    operands.names.push_back(std::move(name));
  }
  return operands;
}

void give(GraphExporter &e, mlir::Operation *op, const Operands &operands, std::string made) {
  if (!operands.order.empty())
    made = e.transpose(made, operands.order);
  e.define(op->getResult(0), {std::move(made), operands.shape});
}

mlir::Type operandType(mlir::Operation *op) {
  return ir::getElementType(op->getOperand(op->getNumOperands() - 1));
}
bool isFloat(mlir::Type type) { return llvm::isa<mlir::FloatType>(type); }
bool isBool(mlir::Type type) { return type.isInteger(1); }

// What the operands become, of names and the element type of the last of them.
template <std::string (*formula)(GraphExporter &, const Names &, mlir::Type)>
void write(GraphExporter &e, mlir::Operation *op) {
  const Operands operands = operandsOf(e, op);
  give(e, op, operands, formula(e, operands.names, operandType(op)));
}

// A node of this type.
template <size_t N> struct Text {
  constexpr Text(const char (&text)[N]) { std::copy_n(text, N, letters); }
  char letters[N];
};
template <Text op> void plain(GraphExporter &e, mlir::Operation *at) {
  const Operands operands = operandsOf(e, at);
  give(e, at, operands, e.node(op.letters, operands.names));
}

// Another one for bools than for integers.
template <Text ofBools, Text ofIntegers> void bits(GraphExporter &e, mlir::Operation *at) {
  if (!isBool(operandType(at)))
    e.need(18, ofIntegers.letters);
  isBool(operandType(at)) ? plain<ofBools>(e, at) : plain<ofIntegers>(e, at);
}

std::string choose(GraphExporter &e, const std::string &condition, const std::string &a,
                   const std::string &b) {
  return e.node("Where", {condition, a, b});
}

std::string round(GraphExporter &e, const Names &x, mlir::Type type) {
  return isFloat(type) ? e.node("Round", x) : x[0];
}

// t = tanh(x / 2); exp(x) - 1 = 2 t / (1 - t), exact near 0.
std::string expm1(GraphExporter &e, const Names &x, mlir::Type type) {
  const std::string one = e.scalar(1, type);
  const std::string t = e.node("Tanh", {e.node("Mul", {x[0], e.scalar(0.5, type)})});
  const std::string near = e.node("Div", {e.node("Add", {t, t}), e.node("Sub", {one, t})});
  const std::string far = e.node("Sub", {e.node("Exp", x), one});
  return choose(e, e.node("Less", {e.node("Abs", x), one}), near, far);
}

// u = 1 + x; log(1 + x) = log(u) * x / (u - 1), exact near 0 (Kahan), and x where u is 1.
std::string log1p(GraphExporter &e, const Names &x, mlir::Type type) {
  const std::string one = e.scalar(1, type);
  const std::string u = e.node("Add", {x[0], one}), log = e.node("Log", {u});
  const std::string step = e.node("Sub", {u, one});
  const std::string isNone = e.node("Equal", {step, e.scalar(0, type)});
  const std::string ratio = e.node("Div", {x[0], choose(e, isNone, one, step)});
  const std::string near = choose(e, isNone, x[0], e.node("Mul", {log, ratio}));
  const std::string isNear = e.node("Less", {e.node("Abs", x), e.scalar(0.5, type)});
  return choose(e, isNear, near, log);
}

std::string rsqrt(GraphExporter &e, const Names &x, mlir::Type) {
  return e.node("Reciprocal", {e.node("Sqrt", x)});
}

std::string isFinite(GraphExporter &e, const Names &x, mlir::Type type) {
  const std::string infinity = e.scalar(std::numeric_limits<double>::infinity(), type);
  return e.node("Less", {e.node("Abs", x), infinity});
}

// -1 - x of integers, which is the largest number less x where they have no sign.
std::string complement(GraphExporter &e, const Names &x, mlir::Type type) {
  return isBool(type) ? e.node("Not", x) : e.node("Sub", {e.scalar(-1, type), x[0]});
}

// What ONNX divides by is not 0; a quotient or remainder by 0 is 0.
template <typename Formula>
std::string dividedBy(GraphExporter &e, const std::string &by, mlir::Type type, Formula formula) {
  const std::string zero = e.scalar(0, type), isZero = e.node("Equal", {by, zero});
  return choose(e, isZero, zero, formula(choose(e, isZero, e.scalar(1, type), by)));
}

// The remainder with the sign of b; that of ONNX for floats has the sign of a.
std::string modulo(GraphExporter &e, const Names &x, mlir::Type type) {
  if (!isFloat(type))
    return dividedBy(e, x[1], type, [&](const std::string &b) { return e.node("Mod", {x[0], b}); });
  const std::string zero = e.scalar(0, type);
  const std::string rest = e.node("Mod", x, {{"fmod", int64_t(1)}});
  const std::string otherSign =
      e.node("Less", {e.node("Mul", {e.node("Sign", {rest}), e.node("Sign", {x[1]})}), zero});
  return choose(e, otherSign, e.node("Add", {rest, x[1]}), rest);
}

std::string floorDivide(GraphExporter &e, const Names &x, mlir::Type type) {
  if (isFloat(type)) {
    // a - mod is the quotient's multiple of b, but for a rounding: the nearest whole number. Where
    // it is none (b is 0, a infinite) the quotient says what there is.
    const std::string whole =
        e.node("Round", {e.node("Div", {e.node("Sub", {x[0], modulo(e, x, type)}), x[1]})});
    return choose(e, e.node("Equal", {whole, whole}), whole, e.node("Floor", {e.node("Div", x)}));
  }
  return dividedBy(e, x[1], type, [&](const std::string &b) {
    return e.node("Div", {e.node("Sub", {x[0], e.node("Mod", {x[0], b})}), b});
  });
}

// ONNX shifts numbers without a sign, by less than their width.
template <bool left> std::string shift(GraphExporter &e, const Names &x, mlir::Type type) {
  const unsigned width = type.getIntOrFloatBitWidth();
  const auto bare = mlir::IntegerType::get(type.getContext(), width, mlir::IntegerType::Unsigned);
  const bool hasSign = type != bare;
  const std::string a = hasSign ? e.cast(x[0], bare) : x[0];
  const std::string b = hasSign ? e.cast(x[1], bare) : x[1];
  const std::string isInside = e.node("Less", {b, e.scalar(width, bare)});
  const std::string by = choose(e, isInside, b, e.scalar(0, bare));
  const std::string shifted =
      e.node("BitShift", {a, by}, {{"direction", std::string(left ? "LEFT" : "RIGHT")}});
  const std::string y = choose(e, isInside, shifted, e.scalar(0, bare));
  return hasSign ? e.cast(y, type) : y;
}

void compare(GraphExporter &e, mlir::Operation *op) {
  const Operands given = operandsOf(e, op);
  Names operands = given.names;
  const ir::Comparison direction = llvm::cast<ir::CompareOp>(op).getDirection();
  const bool isEquality = direction == ir::Comparison::EQ || direction == ir::Comparison::NE;
  // Bools have no order in ONNX.
  if (isBool(operandType(op)) && !isEquality)
    for (std::string &operand : operands)
      operand = e.cast(operand, mlir::IntegerType::get(op->getContext(), 32));
  std::string y;
  switch (direction) {
  case ir::Comparison::EQ:
    y = e.node("Equal", operands);
    break;
  case ir::Comparison::NE:
    y = e.node("Not", {e.node("Equal", operands)});
    break;
  case ir::Comparison::LT:
    y = e.node("Less", operands);
    break;
  case ir::Comparison::LE:
    y = e.node("LessOrEqual", operands);
    break;
  case ir::Comparison::GT:
    y = e.node("Greater", operands);
    break;
  case ir::Comparison::GE:
    y = e.node("GreaterOrEqual", operands);
    break;
  }
  give(e, op, given, y);
}

void cast(GraphExporter &e, mlir::Operation *op) {
  const Operands x = operandsOf(e, op);
  give(e, op, x, e.cast(x.names.front(), ir::getElementType(op->getResult(0))));
}

const ExportRecord elementwiseExportRecords[] = {
    {"abs", plain<"Abs">, "Abs"},
    {"add", plain<"Add">, "Add"},
    {"and", bits<"And", "BitwiseAnd">, "And; of integers BitwiseAnd (opset 18)"},
    {"atan", plain<"Atan">, "Atan"},
    {"bessel_i0e", nullptr, "ONNX has no Bessel functions"},
    {"bessel_i1e", nullptr, "ONNX has no Bessel functions"},
    {"beta_sample_gradient", nullptr, "ONNX has no incomplete beta function"},
    {"betainc", nullptr, "ONNX has no incomplete beta function"},
    {"cast", cast, "Cast"},
    {"ceil", plain<"Ceil">, "Ceil"},
    {"compare", compare, "Equal, Less, LessOrEqual, Greater, GreaterOrEqual, Not"},
    {"cos", plain<"Cos">, "Cos"},
    {"digamma", nullptr, "ONNX has no gamma function"},
    {"div", plain<"Div">, "Div"},
    {"erf", plain<"Erf">, "Erf"},
    {"erfc", nullptr, "1 - Erf has none of its digits where it is small"},
    {"erfinv", nullptr, "ONNX has no inverse of Erf"},
    {"exp", plain<"Exp">, "Exp"},
    {"expm1", write<expm1>, "Tanh near 0, Exp elsewhere"},
    {"floor", plain<"Floor">, "Floor"},
    {"floor_div", write<floorDivide>, "Mod, Div, Where"},
    {"gamma_sample_gradient", nullptr, "ONNX has no incomplete gamma function"},
    {"identity", alias, "nothing"},
    {"igamma", nullptr, "ONNX has no incomplete gamma function"},
    {"igammac", nullptr, "ONNX has no incomplete gamma function"},
    {"is_finite", write<isFinite>, "Abs, Less"},
    {"lgamma", nullptr, "ONNX has no gamma function"},
    {"log", plain<"Log">, "Log"},
    {"log1p", write<log1p>, "Log, with what it rounds away"},
    {"logistic", plain<"Sigmoid">, "Sigmoid"},
    {"maximum", plain<"Max">, "Max"},
    {"minimum", plain<"Min">, "Min"},
    {"mod", write<modulo>, "Mod, Where"},
    {"mul", plain<"Mul">, "Mul"},
    {"neg", plain<"Neg">, "Neg"},
    {"not", write<complement>, "Not; of integers Sub"},
    {"or", bits<"Or", "BitwiseOr">, "Or; of integers BitwiseOr (opset 18)"},
    {"pow", plain<"Pow">, "Pow"},
    {"round", write<round>, "Round"},
    {"rsqrt", write<rsqrt>, "Sqrt, Reciprocal"},
    {"select", plain<"Where">, "Where"},
    {"shift_left", write<shift<true>>, "BitShift, Where"},
    {"shift_right", write<shift<false>>, "BitShift, Where"},
    {"sign", plain<"Sign">, "Sign"},
    {"sin", plain<"Sin">, "Sin"},
    {"softplus", plain<"Softplus">, "Softplus"},
    {"sqrt", plain<"Sqrt">, "Sqrt"},
    {"stop_gradient", alias, "nothing"},
    {"sub", plain<"Sub">, "Sub"},
    {"tan", plain<"Tan">, "Tan"},
    {"tanh", plain<"Tanh">, "Tanh"},
    {"xor", bits<"Xor", "BitwiseXor">, "Xor; of integers BitwiseXor (opset 18)"},
    {"complex", nullptr, "few of ONNX's ops take complex numbers"},
    {"imag", nullptr, "few of ONNX's ops take complex numbers"},
    {"real", nullptr, "few of ONNX's ops take complex numbers"},
    {"zeta", nullptr, "ONNX has no zeta function"},
};

} // namespace

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::elementwiseExports() {
  return elementwiseExportRecords;
}
