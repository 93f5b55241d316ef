#include "ir/shapes/SizeUnits.h"
#include "ir/shapes/DimExprDetail.h"

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
        const int64_t parts = unit(atom->id);
        factor = DimExpr::symbol(atom->id);
        if (coefficient % parts == 0)
          coefficient /= parts;
        else
          factor = floordiv(*factor, DimExpr(parts));
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
