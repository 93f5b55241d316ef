// floordiv, ceildiv and mod.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace keratin::ir {

using namespace detail;

namespace {

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

bool divides(const std::vector<DimAtomRef> &factor, const std::vector<DimAtomRef> &atoms) {
  return std::includes(atoms.begin(), atoms.end(), factor.begin(), factor.end(), atomLess);
}

// Precondition: divides(factor, atoms).
std::vector<DimAtomRef> without(const std::vector<DimAtomRef> &atoms,
                                const std::vector<DimAtomRef> &factor) {
  std::vector<DimAtomRef> rest;
  std::set_difference(atoms.begin(), atoms.end(), factor.begin(), factor.end(),
                      std::back_inserter(rest), atomLess);
  return rest;
}

// floor(a / b) = whole + floor(numerator / divisor), and ceil likewise unless b is a constant;
// mod(a, b) = scale * mod(numerator, divisor) + rest.
struct Division {
  DimExpr whole;
  DimExpr numerator;
  DimExpr divisor;
  DimExpr scale = 1;
  int64_t rest = 0;
};

// a / b where that is a polynomial with integer coefficients.
std::optional<DimExpr> divideExactly(const DimExpr &a, const DimExpr &b) {
  constexpr int maxSteps = 128;
  DimTerms divisor(b);
  const DimTerm &lead = divisor[0];
  std::vector<DimRawTerm> quotient;
  DimExpr remainder = a;
  for (int step = 0; step < maxSteps; ++step) {
    DimTerms terms(remainder);
    if (terms.size() == 0)
      return sumOf(std::move(quotient));
    const DimTerm &top = terms[0];
    std::optional<int64_t> coefficient = floorDivide(top.coefficient, lead.coefficient);
    if (!coefficient || floorRemainder(top.coefficient, lead.coefficient) != 0 ||
        !divides(lead.atoms, top.atoms))
      return std::nullopt;
    quotient.push_back({without(top.atoms, lead.atoms), *coefficient});
    std::optional<DimExpr> term = sumOf({quotient.back()});
    std::optional<DimExpr> taken = term ? mul(*term, b) : std::nullopt;
    std::optional<DimExpr> rest = taken ? sub(remainder, *taken) : std::nullopt;
    if (!rest)
      return std::nullopt;
    remainder = *rest;
  }
  return std::nullopt;
}

// Moves what a multiple of a single-term divisor gives from the numerator to the whole.
// Coefficients are cut towards zero, so that none grows; a constant by a constant rounds down, so
// that it ends in [0, divisor) and floordiv(d0 - 1, 2) meets floordiv(d0 + 1, 2) - 1.
bool splitWhole(Division &division) {
  DimTerms divisor(division.divisor);
  if (divisor.size() != 1)
    return true;
  const DimTerm &by = divisor[0];
  std::vector<DimRawTerm> whole, rest;
  for (const DimTerm &term : DimTerms(division.numerator)) {
    __int128 quotient = 0;
    if (divides(by.atoms, term.atoms)) {
      quotient = static_cast<__int128>(term.coefficient) / by.coefficient;
      bool bothConstant = by.atoms.empty() && term.atoms.empty();
      if (bothConstant && quotient * by.coefficient > term.coefficient)
        --quotient; // the divisor is positive
      whole.push_back({without(term.atoms, by.atoms), quotient});
    }
    rest.push_back({term.atoms, term.coefficient - quotient * by.coefficient});
  }
  std::optional<DimExpr> wholeSum = sumOf(std::move(whole));
  std::optional<DimExpr> restSum = sumOf(std::move(rest));
  if (!wholeSum || !restSum)
    return false;
  division.whole = *wholeSum;
  division.numerator = *restSum;
  return true;
}

// Divides numerator and divisor by what all their terms share. By a constant divisor, the
// numerator's own constant need not share it: floor((2*d0 + 1) / 4) = floor(d0 / 2).
bool cancelCommon(Division &division) {
  const bool constantDivisor = division.divisor.isConstant();
  uint64_t common = 0;
  std::optional<std::vector<DimAtomRef>> atoms;
  auto meet = [&](const DimTerm &term, bool coefficientCounts) {
    if (coefficientCounts)
      common = std::gcd(common, magnitude(term.coefficient));
    if (!atoms) {
      atoms = term.atoms;
      return;
    }
    std::vector<DimAtomRef> shared;
    std::set_intersection(atoms->begin(), atoms->end(), term.atoms.begin(), term.atoms.end(),
                          std::back_inserter(shared), atomLess);
    atoms = std::move(shared);
  };
  DimTerms numerator(division.numerator), divisor(division.divisor);
  for (const DimTerm &term : divisor)
    meet(term, true);
  for (const DimTerm &term : numerator)
    meet(term, !(constantDivisor && term.atoms.empty()));
  if (common > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    common = uint64_t{1} << 62; // every coefficient is -2^63
  const int64_t by = static_cast<int64_t>(common);
  if (by == 1 && atoms->empty())
    return true;
  std::vector<DimRawTerm> newNumerator, newDivisor;
  for (const DimTerm &term : numerator) {
    if (term.atoms.empty())
      division.rest = *floorRemainder(term.coefficient, by);
    newNumerator.push_back({without(term.atoms, *atoms), *floorDivide(term.coefficient, by)});
  }
  for (const DimTerm &term : divisor)
    newDivisor.push_back({without(term.atoms, *atoms), term.coefficient / by});
  std::optional<DimExpr> scale = sumOf({DimRawTerm{*atoms, by}});
  std::optional<DimExpr> top = sumOf(std::move(newNumerator));
  std::optional<DimExpr> bottom = sumOf(std::move(newDivisor));
  if (!scale || !top || !bottom)
    return false;
  division.scale = *scale;
  division.numerator = *top;
  division.divisor = *bottom;
  return true;
}

// Precondition: not both constants.
std::optional<Division> reduceDivision(const DimExpr &a, const DimExpr &b) {
  if (b == DimExpr(0))
    return std::nullopt;
  if (std::optional<DimExpr> quotient = divideExactly(a, b))
    return Division{*quotient, 0, b, 1, 0};
  Division division{0, a, b, 1, 0};
  const bool negated = DimTerms(b)[0].coefficient < 0;
  if (negated) {
    std::optional<DimExpr> minusA = sub(0, a), minusB = sub(0, b);
    if (!minusA || !minusB)
      return std::nullopt;
    division.numerator = *minusA;
    division.divisor = *minusB;
  }
  if (!splitWhole(division) || !cancelCommon(division))
    return std::nullopt;
  if (negated) {
    std::optional<DimExpr> scale = sub(0, division.scale);
    if (!scale)
      return std::nullopt;
    division.scale = *scale;
    division.rest = -division.rest; // below the divisor, so it has a negative
  }
  return division;
}

// floor(numerator / divisor) where the ranges leave one value.
std::optional<int64_t> knownFloor(const DimExpr &numerator, const DimExpr &divisor) {
  DimRange range = rangeOf(numerator);
  if (divisor.isConstant() && divisor.constantValue() > 0 && range.low != DimRange::kNoLow &&
      range.high != DimRange::kNoHigh) {
    std::optional<int64_t> low = floorDivide(range.low, divisor.constantValue());
    if (low == floorDivide(range.high, divisor.constantValue()))
      return low;
  }
  if (range.low >= 0 && knownAtLeast(sub(divisor, numerator), 1))
    return 0;
  return std::nullopt;
}

// floor((floor(x / m) + c) / n) = floor((x + m*c) / (m*n)) for positive constants m, n.
struct NestedFloor {
  DimExpr numerator;
  DimExpr divisor;
};
std::optional<NestedFloor> mergeNestedFloor(const DimExpr &numerator, const DimExpr &divisor) {
  DimTerms terms(numerator);
  if (!divisor.isConstant() || divisor.constantValue() <= 0 || terms.size() == 0 ||
      terms.size() > 2 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1 ||
      (terms.size() == 2 && !terms[1].atoms.empty()))
    return std::nullopt;
  const DimAtom &atom = *terms[0].atoms[0];
  if (atom.kind != DimAtomKind::FloorDiv || !atom.arguments[1].isConstant())
    return std::nullopt;
  const DimExpr &inner = atom.arguments[1]; // positive in the canonical form
  std::optional<DimExpr> offset = mul(inner, terms.size() == 2 ? terms[1].coefficient : 0);
  std::optional<DimExpr> by = mul(inner, divisor);
  std::optional<DimExpr> top = offset ? add(atom.arguments[0], *offset) : std::nullopt;
  if (!top || !by)
    return std::nullopt;
  return NestedFloor{*top, *by};
}

std::optional<DimExpr> constantOr(std::optional<int64_t> value) {
  return value ? std::optional<DimExpr>(*value) : std::nullopt;
}

std::optional<DimExpr> addTo(const DimExpr &whole, const std::optional<DimExpr> &part) {
  return part ? add(whole, *part) : std::nullopt;
}

} // namespace

// Each rule below ends in a smaller problem, and the atom is built only where no rule applies: so
// rebuilding a canonical expression gives itself.
std::optional<DimExpr> floordiv(const DimExpr &a, const DimExpr &b) {
  if (a.isConstant() && b.isConstant())
    return constantOr(floorDivide(a.constantValue(), b.constantValue()));
  std::optional<Division> division = reduceDivision(a, b);
  if (!division)
    return std::nullopt;
  const auto &[whole, numerator, divisor, scale, rest] = *division;
  if (std::optional<int64_t> floor = knownFloor(numerator, divisor))
    return add(whole, *floor);
  if (numerator == DimExpr(0))
    return whole;
  if (divisor.isConstant() && !b.isConstant()) // what was not constant was common to both
    return addTo(whole, floordiv(numerator, divisor));
  if (std::optional<NestedFloor> merged = mergeNestedFloor(numerator, divisor))
    return addTo(whole, floordiv(merged->numerator, merged->divisor));
  return addTo(whole, makeFunction(DimAtomKind::FloorDiv, {numerator, divisor}));
}

std::optional<DimExpr> ceildiv(const DimExpr &a, const DimExpr &b) {
  if (a.isConstant() && b.isConstant())
    return constantOr(ceilDivide(a.constantValue(), b.constantValue()));
  if (b.isConstant()) {
    if (b.constantValue() < 0) {
      std::optional<DimExpr> minusA = sub(0, a), minusB = sub(0, b);
      return minusA && minusB ? ceildiv(*minusA, *minusB) : std::nullopt;
    }
    if (b.constantValue() == 0)
      return std::nullopt;
    std::optional<DimExpr> raised = add(a, b.constantValue() - 1);
    return raised ? floordiv(*raised, b) : std::nullopt;
  }
  std::optional<Division> division = reduceDivision(a, b);
  if (!division)
    return std::nullopt;
  const auto &[whole, numerator, divisor, scale, rest] = *division;
  if (numerator == DimExpr(0))
    return whole;
  if (divisor.isConstant()) // what was not constant was common to both
    return addTo(whole, ceildiv(numerator, divisor));
  if (knownAtLeast(numerator, 1) && knownAtLeast(sub(divisor, numerator), 0))
    return add(whole, 1);
  return addTo(whole, makeFunction(DimAtomKind::CeilDiv, {numerator, divisor}));
}

std::optional<DimExpr> mod(const DimExpr &a, const DimExpr &b) {
  if (a.isConstant() && b.isConstant())
    return constantOr(floorRemainder(a.constantValue(), b.constantValue()));
  std::optional<Division> division = reduceDivision(a, b);
  if (!division)
    return std::nullopt;
  const auto &[whole, numerator, divisor, scale, rest] = *division;
  std::optional<DimExpr> remainder;
  if (numerator == DimExpr(0)) {
    remainder = DimExpr(0);
  } else if (std::optional<int64_t> floor = knownFloor(numerator, divisor)) {
    std::optional<DimExpr> taken = mul(divisor, *floor);
    remainder = taken ? sub(numerator, *taken) : std::nullopt;
  } else if (divisor.isConstant() && !b.isConstant()) {
    remainder = mod(numerator, divisor);
  } else {
    remainder = makeFunction(DimAtomKind::Mod, {numerator, divisor});
  }
  std::optional<DimExpr> scaled = remainder ? mul(scale, *remainder) : std::nullopt;
  return addTo(rest, scaled);
}

} // namespace keratin::ir
