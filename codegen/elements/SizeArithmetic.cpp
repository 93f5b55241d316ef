#include "codegen/elements/SizeArithmetic.h"

using namespace keratin::codegen;
using keratin::ir::DimExpr;

// More cases are nothing to read.
static constexpr unsigned mostCases = 16;

//===-- Cases ---------------------------------------------------------------------------------===//

SizeCases::SizeCases(const DimExpr &size) : node(std::make_shared<Node>(Node{size, {}, {}, {}})) {}

bool SizeCases::Condition::implies(const Condition &other) const {
  if (*this == other)
    return true;
  return kind == Less && other.kind == Less && x == other.x && y.isConstant() &&
         other.y.isConstant() && y.constantValue() <= other.y.constantValue();
}

SizeCases SizeCases::branch(const Condition &condition, const SizeCases &then,
                            const SizeCases &otherwise) {
  if (!then.node || !otherwise.node)
    return {};
  const Node &x = *then.node, &y = *otherwise.node;
  auto isSame = [&](const Node &other) {
    return !x.condition && !other.condition && x.size == other.size;
  };
  if (isSame(y))
    return then;
  // "1 where d0 < 3, else 1 where d0 < 5, else 2"
  if (y.condition && condition.implies(*y.condition) && isSame(*y.then))
    return otherwise;
  SizeCases result;
  if (x.cases + y.cases <= mostCases)
    result.node =
        std::make_shared<Node>(Node{{}, condition, then.node, otherwise.node, x.cases + y.cases});
  return result;
}

SizeCases SizeCases::where(const Condition &condition, bool holds) const {
  if (!node || !node->condition)
    return *this;
  SizeCases then, otherwise;
  then.node = node->then;
  otherwise.node = node->otherwise;
  if (holds ? condition.implies(*node->condition) : node->condition->implies(condition))
    return holds ? then : otherwise;
  return branch(*node->condition, then.where(condition, holds), otherwise.where(condition, holds));
}

SizeCases SizeCases::forEach(const SizeCases &x, const SizeCases &y, Function function) {
  if (!x.node || !y.node)
    return {};
  if (!x.node->condition && !y.node->condition)
    return function(x.node->size, y.node->size);
  Condition condition = x.node->condition ? *x.node->condition : *y.node->condition;
  // The narrower condition first: it decides the other.
  if (y.node->condition && y.node->condition->implies(condition))
    condition = *y.node->condition;
  auto in = [&](bool holds) {
    return forEach(x.where(condition, holds), y.where(condition, holds), function);
  };
  return branch(condition, in(true), in(false));
}

std::string SizeCases::str() const {
  if (!node)
    return "counted by the call";
  if (!node->condition)
    return node->size.str();
  const Condition &condition = *node->condition;
  SizeCases then, otherwise;
  then.node = node->then;
  otherwise.node = node->otherwise;
  std::string first = then.node->condition ? "(" + then.str() + ")" : then.str();
  return first + " where " + condition.x.str() +
         (condition.kind == Condition::Less ? " < " : " = ") + condition.y.str() + ", else " +
         otherwise.str();
}

std::optional<int64_t>
SizeCases::evaluate(const std::function<std::optional<int64_t>(int64_t)> &symbol) const {
  if (!node)
    return std::nullopt;
  if (!node->condition)
    return node->size.evaluate(symbol);
  std::optional<int64_t> x = node->condition->x.evaluate(symbol);
  std::optional<int64_t> y = node->condition->y.evaluate(symbol);
  if (!x || !y)
    return std::nullopt;
  bool holds = node->condition->kind == Condition::Less ? *x < *y : *x == *y;
  SizeCases part;
  part.node = holds ? node->then : node->otherwise;
  return part.evaluate(symbol);
}

//===-- Arithmetic ----------------------------------------------------------------------------===//

static SizeCases sizeOrUnknown(const std::optional<DimExpr> &size) {
  return size ? SizeCases(*size) : SizeCases();
}

SizeCases SizeArithmetic::add(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::add(a, b)); });
}
SizeCases SizeArithmetic::sub(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::sub(a, b)); });
}
SizeCases SizeArithmetic::mul(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::mul(a, b)); });
}
SizeCases SizeArithmetic::div(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::floordiv(a, b)); });
}
SizeCases SizeArithmetic::ceilDiv(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::ceildiv(a, b)); });
}
SizeCases SizeArithmetic::min(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::min(a, b)); });
}
SizeCases SizeArithmetic::max(const Number &x, const Number &y) const {
  return SizeCases::forEach(
      x, y, [](const DimExpr &a, const DimExpr &b) { return sizeOrUnknown(ir::max(a, b)); });
}

SizeCases SizeArithmetic::less(const Number &x, const Number &y) const {
  return SizeCases::forEach(x, y, [](const DimExpr &a, const DimExpr &b) -> SizeCases {
    if (a.isConstant() && b.isConstant())
      return int64_t(a.constantValue() < b.constantValue());
    // A constant at the right: so one condition decides another.
    if (a.isConstant() && a.constantValue() < INT64_MAX)
      return SizeCases::branch({SizeCases::Condition::Less, b, a.constantValue() + 1}, 0, 1);
    return SizeCases::branch({SizeCases::Condition::Less, a, b}, 1, 0);
  });
}

SizeCases SizeArithmetic::equal(const Number &x, const Number &y) const {
  return SizeCases::forEach(x, y, [](const DimExpr &a, const DimExpr &b) -> SizeCases {
    if (a == b || (a.isConstant() && b.isConstant()))
      return int64_t(a == b);
    return SizeCases::branch({SizeCases::Condition::Equal, a, b}, 1, 0);
  });
}

SizeCases SizeArithmetic::select(const Number &condition, const Number &x, const Number &y) const {
  if (!condition.node)
    return {};
  if (!condition.node->condition)
    return condition.node->size == DimExpr(0) ? y : x;
  const SizeCases::Condition &test = *condition.node->condition;
  auto in = [&](bool holds) {
    return select(condition.where(test, holds), x.where(test, holds), y.where(test, holds));
  };
  return SizeCases::branch(test, in(true), in(false));
}
