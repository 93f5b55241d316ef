// max, min and broadcast, which choose among any number of arguments, and functions by their kinds.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>
#include <limits>

namespace keratin::ir {

using namespace detail;

namespace {

// Sorted, without duplicates, with the arguments of nested atoms of the same kind in their place.
std::optional<std::vector<DimExpr>> flatten(DimAtomKind kind, std::vector<DimExpr> arguments) {
  std::vector<DimExpr> flat;
  for (DimExpr &argument : arguments) {
    DimAtomRef atom = asAtom(argument);
    if (atom && atom->kind == kind)
      flat.insert(flat.end(), atom->arguments.begin(), atom->arguments.end());
    else
      flat.push_back(std::move(argument));
    if (flat.size() > 2 * kMaxArguments)
      return std::nullopt;
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  return flat;
}

std::optional<DimExpr> makeMany(DimAtomKind kind, std::vector<DimExpr> arguments) {
  if (arguments.size() == 1)
    return arguments.front();
  if (arguments.size() > kMaxArguments)
    return std::nullopt;
  return makeFunction(kind, std::move(arguments));
}

std::optional<DimExpr> extremeOf(DimAtomKind kind, std::vector<DimExpr> arguments) {
  std::optional<std::vector<DimExpr>> flat = flatten(kind, std::move(arguments));
  if (!flat)
    return std::nullopt;
  // What no number is beyond decides nothing.
  using Limits = std::numeric_limits<int64_t>;
  if (flat->size() > 1)
    std::erase(*flat, DimExpr(kind == DimAtomKind::Max ? Limits::min() : Limits::max()));
  for (size_t i = 0; i < flat->size();) {
    auto beats = [&](size_t j) {
      const DimExpr &other = (*flat)[j], &self = (*flat)[i];
      return j != i &&
             knownAtLeast(kind == DimAtomKind::Max ? sub(other, self) : sub(self, other), 0);
    };
    bool beaten = false;
    for (size_t j = 0; j < flat->size() && !beaten; ++j)
      beaten = beats(j);
    if (beaten)
      flat->erase(flat->begin() + i);
    else
      ++i;
  }
  return makeMany(kind, std::move(*flat));
}

std::optional<DimExpr> broadcastOf(std::vector<DimExpr> arguments) {
  std::optional<std::vector<DimExpr>> flat = flatten(DimAtomKind::Broadcast, std::move(arguments));
  if (!flat)
    return std::nullopt;
  std::erase(*flat, DimExpr(1));
  if (flat->empty())
    return DimExpr(1);
  std::optional<DimExpr> constant;
  for (const DimExpr &argument : *flat) {
    if (!argument.isConstant())
      continue;
    if (constant) // duplicates are gone: two that differ
      return std::nullopt;
    constant = argument;
  }
  return constant ? constant : makeMany(DimAtomKind::Broadcast, std::move(*flat));
}

} // namespace

std::optional<DimExpr> max(const DimExpr &a, const DimExpr &b) {
  return extremeOf(DimAtomKind::Max, {a, b});
}

std::optional<DimExpr> min(const DimExpr &a, const DimExpr &b) {
  return extremeOf(DimAtomKind::Min, {a, b});
}

std::optional<DimExpr> broadcast(const DimExpr &a, const DimExpr &b) { return broadcastOf({a, b}); }

std::optional<DimExpr> detail::applyFunction(DimAtomKind kind, std::vector<DimExpr> arguments) {
  if (arguments.size() < 2)
    return std::nullopt;
  switch (kind) {
  case DimAtomKind::Symbol:
    return std::nullopt;
  case DimAtomKind::FloorDiv:
  case DimAtomKind::CeilDiv:
  case DimAtomKind::Mod: {
    if (arguments.size() != 2)
      return std::nullopt;
    auto *function = kind == DimAtomKind::FloorDiv  ? floordiv
                     : kind == DimAtomKind::CeilDiv ? ceildiv
                                                    : mod;
    return function(arguments[0], arguments[1]);
  }
  case DimAtomKind::Max:
  case DimAtomKind::Min:
    return extremeOf(kind, std::move(arguments));
  case DimAtomKind::Broadcast:
    return broadcastOf(std::move(arguments));
  }
  return std::nullopt;
}

} // namespace keratin::ir
