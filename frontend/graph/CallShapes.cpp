// Broadcasting and agreement of shapes with unknown sizes.
#include "frontend/graph/Call.h"
#include "frontend/graph/SmallSizes.h"

using namespace keratin;
using namespace keratin::frontend;
using ir::DimsAttr;

DimExpr Call::check(std::optional<DimExpr> dim) const {
  if (!dim)
    valueError("a size does not fit 64 bits, or is a formula of more than " +
               std::to_string(DimExpr::kMaxLength) +
               " numbers; each unknown size in a sum is four");
  return *dim;
}

void Call::requireAtLeast(const DimExpr &lhs, const DimExpr &rhs, const std::string &what) {
  if (lhs.isConstant() && rhs.isConstant()) {
    if (lhs.constantValue() < rhs.constantValue())
      valueError(what + "; found " + lhs.str());
    return;
  }
  DimExpr difference = check(ir::sub(lhs, rhs));
  if (std::optional<int64_t> bound = difference.lowerBound(); bound && *bound >= 0)
    return;
  requirements.push_back({ir::Requirement::AtLeast, lhs, rhs, what});
}

void Call::requireEqual(const DimExpr &lhs, const DimExpr &rhs, const std::string &what) {
  if (lhs == rhs)
    return;
  if (lhs.isConstant() && rhs.isConstant())
    valueError(what + "; found " + lhs.str() + " and " + rhs.str());
  requirements.push_back({ir::Requirement::Equal, lhs, rhs, what});
}

//===-- Broadcasting --------------------------------------------------------------------------===//

ir::Shape Call::broadcastShape(const ir::Shape &a, const ir::Shape &b) {
  const ir::Shape &longer = a.size() >= b.size() ? a : b;
  const ir::Shape &shorter = a.size() >= b.size() ? b : a;
  ir::Shape result = longer;
  size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const DimExpr &x = longer[offset + i], &y = shorter[i];
    if (x == y || y == one)
      continue;
    if (x == one) {
      result[offset + i] = y;
      continue;
    }
    std::optional<DimExpr> joined = ir::broadcast(x, y);
    if (!joined)
      valueError("shapes cannot be broadcast; found " + describe(a) + " and " + describe(b) +
                 "; needed sizes that are equal or 1, aligned at the right");
    result[offset + i] = *joined;
  }
  return result;
}

// A dimension of unknown size d that must become n is repeated floordiv(n, max(d, 1)) times: once
// where d is n, n times where it is 1. That is a broadcast along a new dimension beside it, and a
// reshape that makes one of the two.
Value Call::broadcastTo(Value x, const ir::Shape &shape) {
  ir::Shape from = ir::getShape(x);
  if (from == shape)
    return x;
  size_t offset = shape.size() - from.size();
  ir::Shape wide;
  llvm::SmallVector<int64_t> dims;
  std::vector<DimExpr> unknown, needed;
  bool repeats = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i < offset) {
      wide.push_back(shape[i]);
      continue;
    }
    const DimExpr &d = from[i - offset], &n = shape[i];
    dims.push_back(int64_t(wide.size()));
    if (d == n || d == one) {
      wide.push_back(n);
      continue;
    }
    repeats = true;
    unknown.push_back(d);
    needed.push_back(n);
    wide.push_back(d);
    wide.push_back(check(ir::floordiv(n, check(ir::max(d, one)))));
  }
  if (!repeats)
    return g.broadcast(x, shape, dims);
  x = builder.create<ir::RequireOp>(
      g.location(), x.getType(), x, ir::Requirement::Broadcast,
      DimsAttr::get(&graph.context, unknown), DimsAttr::get(&graph.context, needed),
      builder.getStringAttr(
          requirement("shapes cannot be broadcast; needed sizes that are equal or 1")));
  return g.reshape(g.broadcast(x, wide, dims), shape);
}

//===-- Agreement -----------------------------------------------------------------------------===//

DimExpr Call::unify(const DimExpr &a, const DimExpr &b, const std::string &what) {
  if (a == b)
    return a;
  if (a.isConstant() && b.isConstant())
    valueError(what + " must be equal; found " + a.str() + " and " + b.str());
  return b.isConstant() ? b : a;
}

Value Call::withSize(Value x, int64_t axis, const DimExpr &size, const std::string &what) {
  ir::Shape shape = ir::getShape(x);
  shape[axis] = size;
  return requireShape(x, shape, what);
}

Value Call::requireShape(Value x, const ir::Shape &shape, const std::string &what) {
  ir::Shape from = ir::getShape(x);
  if (from == shape)
    return x;
  bool fits = from.size() == shape.size();
  std::vector<DimExpr> lhs, rhs;
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    if (from[i] == shape[i])
      continue;
    fits = !from[i].isConstant() || !shape[i].isConstant();
    lhs.push_back(from[i]);
    rhs.push_back(shape[i]);
  }
  if (!fits)
    valueError(what + " must have equal shapes; found " + describe(shape) + " and " +
               describe(from));
  x = builder.create<ir::RequireOp>(
      g.location(), x.getType(), x, ir::Requirement::Equal, DimsAttr::get(&graph.context, lhs),
      DimsAttr::get(&graph.context, rhs),
      builder.getStringAttr(requirement(what + " must have equal sizes")));
  return g.reshape(x, shape);
}
