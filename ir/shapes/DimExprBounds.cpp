// What an expression is at most, where some symbols are only bounded.
#include "ir/shapes/DimExprDetail.h"

namespace keratin::ir {

using namespace detail;

namespace {

using SymbolBound = std::function<std::optional<DimExpr>(int64_t)>;

// Follows which way each part of an expression must go for the whole to grow (up) or shrink. A part
// without bounded symbols stays as it is.
class Bounder {
public:
  explicit Bounder(const SymbolBound &bound) : bound(bound) {}

  std::optional<DimExpr> expr(const DimExpr &value, bool up) {
    if (!depends(value))
      return value;
    std::optional<DimExpr> sum = DimExpr(0);
    for (const DimTerm &term : DimTerms(value)) {
      std::optional<DimExpr> product = DimExpr(term.coefficient);
      bool bounded = dependsAny(term);
      for (const DimAtomRef &atom : term.atoms) {
        // A factor that may be negative would turn the direction of the others, and has no least
        // value here, as a remainder of what is negative has no greatest.
        bool atomUp = up == (term.coefficient > 0);
        if (bounded && atom->range.low < 0 &&
            (term.atoms.size() > 1 || !atomUp || atom->kind == DimAtomKind::Mod))
          return std::nullopt;
        std::optional<DimExpr> factor = bounded ? this->atom(atom, atomUp) : atomExpr(atom);
        product = product && factor ? mul(*product, *factor) : std::nullopt;
      }
      sum = sum && product ? add(*sum, *product) : std::nullopt;
    }
    return sum;
  }

private:
  bool depends(const DimExpr &value) {
    for (int64_t id : value.symbols())
      if (bound(id))
        return true;
    return false;
  }
  bool dependsAny(const DimTerm &term) {
    for (const DimAtomRef &atom : term.atoms)
      if (depends(atomExpr(atom)))
        return true;
    return false;
  }

  std::optional<DimExpr> atom(const DimAtomRef &atom, bool up) {
    if (!depends(atomExpr(atom)))
      return atomExpr(atom);
    const std::vector<DimExpr> &arguments = atom->arguments;
    switch (atom->kind) {
    case DimAtomKind::Symbol:
      return up ? bound(atom->id) : DimExpr(0);
    case DimAtomKind::FloorDiv:
    case DimAtomKind::CeilDiv: {
      std::optional<DimExpr> numerator = expr(arguments[0], up), divisor = arguments[1];
      if (depends(*divisor)) {
        // Of what is not negative the least divisor leaves most; 0 divides nothing.
        if (!arguments[0].lowerBound() || *arguments[0].lowerBound() < 0)
          return std::nullopt;
        divisor = expr(*divisor, !up);
        divisor = divisor ? max(*divisor, DimExpr(1)) : divisor;
      } else if (!divisor->lowerBound() || *divisor->lowerBound() < 0) {
        return std::nullopt;
      }
      if (!numerator || !divisor)
        return std::nullopt;
      return atom->kind == DimAtomKind::FloorDiv ? floordiv(*numerator, *divisor)
                                                 : ceildiv(*numerator, *divisor);
    }
    case DimAtomKind::Mod: {
      // Neither more than what is divided nor than the divisor; the atom is not negative.
      if (!up)
        return DimExpr(0);
      std::optional<DimExpr> divisor = expr(arguments[1], true);
      if (!arguments[0].lowerBound() || *arguments[0].lowerBound() < 0)
        return divisor;
      std::optional<DimExpr> numerator = expr(arguments[0], true);
      return numerator && divisor ? min(*numerator, *divisor) : std::nullopt;
    }
    case DimAtomKind::Max:
    case DimAtomKind::Min:
    case DimAtomKind::Broadcast: {
      // A broadcast is one of its arguments; the least of them may be 1 and not what counts.
      if (atom->kind == DimAtomKind::Broadcast && !up)
        return DimExpr(0);
      std::optional<DimExpr> result;
      for (const DimExpr &argument : arguments) {
        std::optional<DimExpr> part = expr(argument, up);
        if (!part)
          return std::nullopt;
        if (!result)
          result = part;
        else
          result = atom->kind == DimAtomKind::Min ? min(*result, *part) : max(*result, *part);
        if (!result)
          return std::nullopt;
      }
      return result;
    }
    }
    return std::nullopt;
  }

  const SymbolBound &bound;
};

} // namespace

std::optional<DimExpr> DimExpr::atMost(const SymbolBound &bound) const {
  return Bounder(bound).expr(*this, /*up=*/true);
}

} // namespace keratin::ir
