// Operators on tensors, numbers and arrays.
#include "frontend/backend/ComplexFunctions.h"
#include "frontend/backend/Elementwise.h"
#include "keratin/tensor.h"

using namespace keratin;
using namespace keratin::frontend;
using ir::Comparison;
using ir::GraphMath;

// The line of the operator: that of a converted operand, if there is one (the conversion of a
// Tensor happens where the operator stands, too).
static SourceLocation place(const Operand &x, const Operand &y) {
  return x.location.line ? x.location : y.location;
}

Tensor keratin::operator+(const Operand &x, const Operand &y) {
  return arithmetic("add", &GraphMath::add, x, y, place(x, y));
}
Tensor keratin::operator-(const Operand &x, const Operand &y) {
  return arithmetic("subtract", &GraphMath::sub, x, y, place(x, y));
}
Tensor keratin::operator*(const Operand &x, const Operand &y) {
  return arithmetic("multiply", &GraphMath::mul, x, y, place(x, y));
}
Tensor keratin::operator%(const Operand &x, const Operand &y) {
  return arithmetic("mod", &GraphMath::mod, x, y, place(x, y));
}

// True division: two integers are cast to floatx first.
Tensor keratin::operator/(const Operand &x, const Operand &y) {
  Call call("divide", place(x, y));
  auto [a, b] = binaryFloats(call, x, y);
  return call.tensor(isComplex(call, a) ? complexQuotient(call, a, b) : call.g.div(a, b));
}

Tensor keratin::operator-(const Operand &operand) {
  Call call("negative", operand.location);
  Value x = call.value(operand);
  return call.tensor(asNumbers(call, x, x, [&](Value a, Value) { return call.g.neg(a); }));
}

Tensor keratin::operator<(const Operand &x, const Operand &y) {
  return comparison("less", Comparison::LT, x, y, place(x, y));
}
Tensor keratin::operator<=(const Operand &x, const Operand &y) {
  return comparison("less_equal", Comparison::LE, x, y, place(x, y));
}
Tensor keratin::operator>(const Operand &x, const Operand &y) {
  return comparison("greater", Comparison::GT, x, y, place(x, y));
}
Tensor keratin::operator>=(const Operand &x, const Operand &y) {
  return comparison("greater_equal", Comparison::GE, x, y, place(x, y));
}

static Tensor bits(const char *function, BinaryMethod method, const Operand &x, const Operand &y) {
  Call call(function, place(x, y));
  auto [a, b] = call.binary(x, y);
  if (isFloating(call.dtypeOf(a)))
    call.typeError(std::string("needed bool or integers; found ") + dtypeName(call.dtypeOf(a)));
  return call.tensor((call.g.*method)(a, b));
}

Tensor keratin::operator&(const Operand &x, const Operand &y) {
  return bits("and", &GraphMath::and_, x, y);
}
Tensor keratin::operator|(const Operand &x, const Operand &y) {
  return bits("or", &GraphMath::or_, x, y);
}
Tensor keratin::operator~(const Operand &operand) {
  Call call("not", operand.location);
  Value x = call.value(operand);
  if (isFloating(call.dtypeOf(x)))
    call.typeError(std::string("needed bool or integers; found ") + dtypeName(call.dtypeOf(x)));
  return call.tensor(call.g.not_(x));
}

Tensor &keratin::operator+=(Tensor &x, const Operand &y) { return x = Operand(x, y.location) + y; }
Tensor &keratin::operator-=(Tensor &x, const Operand &y) { return x = Operand(x, y.location) - y; }
Tensor &keratin::operator*=(Tensor &x, const Operand &y) { return x = Operand(x, y.location) * y; }
Tensor &keratin::operator/=(Tensor &x, const Operand &y) { return x = Operand(x, y.location) / y; }

//===-- Operands ------------------------------------------------------------------------------===//

std::vector<Operand> detail::OperandEntry::listOf(std::initializer_list<OperandEntry> list) {
  std::vector<Operand> operands;
  operands.reserve(list.size());
  for (const OperandEntry &entry : list)
    operands.push_back(entry.value);
  return operands;
}

Operand::Operand(std::initializer_list<detail::OperandEntry> list, SourceLocation location)
    : Operand(list.size() == 1 && list.begin()->isOperand
                  ? list.begin()->value
                  : Operand(detail::OperandEntry::listOf(list), location)) {}

Operand::Operand(std::vector<Operand> list, SourceLocation location) : location(location) {
  bool symbolic = false;
  for (const Operand &entry : list)
    symbolic |= entry.type == Kind::Tensor || entry.type == Kind::List;
  if (symbolic) {
    type = Kind::List;
    elements = std::move(list);
    return;
  }
  // Numbers and arrays are stacked on the host.
  type = Kind::Array;
  std::vector<Array> rows;
  for (Operand &entry : list)
    rows.push_back(std::move(entry.value));
  value = stackArrays(rows.data(), rows.size());
}
