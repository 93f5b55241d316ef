#include "ir/shapes/SizeUnits.h"
#include "ir/shapes/DimExprDetail.h"

#include <numeric>

using namespace keratin::ir;
using namespace keratin::ir::detail;

std::optional<DimExpr> keratin::ir::inWholes(const DimExpr &size,
                                             const std::function<int64_t(int64_t)> &unit) {
  std::optional<DimExpr> sum = DimExpr(0);
  for (const DimTerm &term : DimTerms(size)) {
    int64_t coefficient = term.coefficient;
    std::optional<DimExpr> product = DimExpr(1);
    for (const DimAtomRef &atom : term.atoms) {
      std::optional<DimExpr> factor;
      if (atom->kind == DimAtomKind::Symbol) {
        // The whole is a multiple of the unit, so what both have in common cancels.
        const int64_t parts = unit(atom->id);
        // As unsigned: the least number has no positive counterpart.
        const uint64_t number = static_cast<uint64_t>(coefficient);
        const auto common = static_cast<int64_t>(
            std::gcd(coefficient < 0 ? -number : number, static_cast<uint64_t>(parts)));
        coefficient /= common;
        factor = floordiv(DimExpr::symbol(atom->id), DimExpr(parts / common));
      } else {
        std::vector<DimExpr> arguments;
        for (const DimExpr &argument : atom->arguments) {
          std::optional<DimExpr> whole = inWholes(argument, unit);
          if (!whole)
            return std::nullopt;
          arguments.push_back(std::move(*whole));
        }
        factor = applyFunction(atom->kind, std::move(arguments));
      }
      product = product && factor ? mul(*product, *factor) : std::nullopt;
    }
    product = product ? mul(*product, DimExpr(coefficient)) : std::nullopt;
    sum = sum && product ? add(*sum, *product) : std::nullopt;
  }
  return sum;
}
