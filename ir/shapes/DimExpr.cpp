#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace keratin::ir {

using namespace detail;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::optional<int64_t> narrow(__int128 value) {
  if (value < kMin || value > kMax)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

} // namespace

std::optional<int64_t> detail::floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == kMin && b == -1))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

std::optional<int64_t> detail::ceilDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == kMin && b == -1))
    return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

std::optional<int64_t> detail::floorRemainder(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1) // kMin % -1 traps
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

//===----------------------------------------------------------------------===//
// Ranges: what is known of values for symbols >= 0
//===----------------------------------------------------------------------===//

namespace {

// A bound that does not fit is loosened, never tightened.
int64_t lowBound(__int128 value) {
  return value < kMin ? kMin : value > kMax - 1 ? kMax - 1 : static_cast<int64_t>(value);
}
int64_t highBound(__int128 value) {
  return value > kMax ? kMax : value < kMin + 1 ? kMin + 1 : static_cast<int64_t>(value);
}

DimRange exactly(int64_t value) { return {lowBound(value), highBound(value)}; }

DimRange rangeOf(const DimExpr &expr) {
  const DimPolynomial *polynomial = DimExprAccess::polynomial(expr);
  return polynomial ? polynomial->range : exactly(expr.constantValue());
}

DimRange addRanges(DimRange a, DimRange b) {
  DimRange sum;
  if (a.low != DimRange::kNoLow && b.low != DimRange::kNoLow)
    sum.low = lowBound(static_cast<__int128>(a.low) + b.low);
  if (a.high != DimRange::kNoHigh && b.high != DimRange::kNoHigh)
    sum.high = highBound(static_cast<__int128>(a.high) + b.high);
  return sum;
}

__int128 multiplyBounds(int64_t a, int64_t b) {
  constexpr __int128 infinity = static_cast<__int128>(1) << 100;
  if (a == 0 || b == 0)
    return 0;
  auto unbounded = [](int64_t x) { return x == DimRange::kNoLow || x == DimRange::kNoHigh; };
  if (unbounded(a) || unbounded(b))
    return (a < 0) == (b < 0) ? infinity : -infinity;
  return static_cast<__int128>(a) * b;
}

DimRange multiplyRanges(DimRange a, DimRange b) {
  auto [low, high] = std::minmax({multiplyBounds(a.low, b.low), multiplyBounds(a.low, b.high),
                                  multiplyBounds(a.high, b.low), multiplyBounds(a.high, b.high)});
  return {lowBound(low), highBound(high)};
}

// Of a division by a divisor that is not negative; a divisor of 0 gives no value, so 1 is the
// least.
DimRange divideRanges(DimRange a, DimRange b, bool up) {
  if (b.low < 0)
    return {};
  int64_t least = std::max<int64_t>(b.low, 1);
  // Divides a bound by the most: what an unbounded divisor leaves is the rounding.
  auto byMost = [&](int64_t x) -> int64_t {
    if (b.high != DimRange::kNoHigh && b.high >= least)
      return *(up ? ceilDivide(x, b.high) : floorDivide(x, b.high));
    return up ? (x > 0 ? 1 : 0) : (x < 0 ? -1 : 0);
  };
  auto byLeast = [&](int64_t x) { return *(up ? ceilDivide(x, least) : floorDivide(x, least)); };
  DimRange result;
  if (a.low != DimRange::kNoLow)
    result.low = lowBound(a.low >= 0 ? byMost(a.low) : byLeast(a.low));
  if (a.high != DimRange::kNoHigh)
    result.high = highBound(a.high >= 0 ? byLeast(a.high) : byMost(a.high));
  return result;
}

DimRange rangeOfFunction(DimAtomKind kind, const std::vector<DimExpr> &arguments) {
  DimRange a = rangeOf(arguments[0]);
  DimRange b = rangeOf(arguments[1]);
  switch (kind) {
  case DimAtomKind::Symbol:
    break;
  case DimAtomKind::FloorDiv:
  case DimAtomKind::CeilDiv:
    return divideRanges(a, b, kind == DimAtomKind::CeilDiv);
  case DimAtomKind::Mod: {
    if (b.low < 0)
      return {};
    int64_t high = b.high == DimRange::kNoHigh ? b.high : std::max<int64_t>(b.high - 1, 0);
    return {0, a.low >= 0 ? std::min(a.high, high) : high};
  }
  case DimAtomKind::Max:
  case DimAtomKind::Min:
  case DimAtomKind::Broadcast:
    for (const DimExpr &argument : arguments) {
      DimRange other = rangeOf(argument);
      a.low = kind == DimAtomKind::Max ? std::max(a.low, other.low) : std::min(a.low, other.low);
      a.high =
          kind == DimAtomKind::Min ? std::min(a.high, other.high) : std::max(a.high, other.high);
    }
    return a;
  }
  return {};
}

bool knownAtLeast(const std::optional<DimExpr> &expr, int64_t bound) {
  return expr && expr->lowerBound().value_or(kMin) >= bound;
}

} // namespace

//===----------------------------------------------------------------------===//
// The canonical form
//===----------------------------------------------------------------------===//

namespace {

template <typename T> int threeWay(T a, T b) { return a < b ? -1 : a > b ? 1 : 0; }

// The higher degree first, then by atoms: an order that multiplication by any term keeps.
int compareMonomials(const std::vector<DimAtomRef> &a, const std::vector<DimAtomRef> &b) {
  if (a.size() != b.size())
    return threeWay(b.size(), a.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (int order = compareAtoms(a[i], b[i]))
      return order;
  return 0;
}

bool atomLess(const DimAtomRef &a, const DimAtomRef &b) { return compareAtoms(a, b) < 0; }

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

std::optional<DimExpr> makeFunction(DimAtomKind kind, std::vector<DimExpr> arguments) {
  auto atom = std::make_shared<DimAtom>();
  atom->kind = kind;
  atom->length = 2;
  for (const DimExpr &argument : arguments) {
    const DimPolynomial *polynomial = DimExprAccess::polynomial(argument);
    atom->depth = std::max(atom->depth, polynomial ? polynomial->depth : 0);
    atom->length += encodedLength(argument);
  }
  ++atom->depth;
  // The sum around the atom takes three numbers more.
  if (atom->depth > DimExpr::kMaxDepth || atom->length + 3 > DimExpr::kMaxLength)
    return std::nullopt;
  atom->range = rangeOfFunction(kind, arguments);
  atom->arguments = std::move(arguments);
  return atomExpr(std::move(atom));
}

} // namespace

int detail::compareAtoms(const DimAtomRef &a, const DimAtomRef &b) {
  if (a == b)
    return 0;
  if (a->kind != b->kind)
    return threeWay(a->kind, b->kind);
  if (a->id != b->id)
    return threeWay(a->id, b->id);
  if (a->arguments.size() != b->arguments.size())
    return threeWay(a->arguments.size(), b->arguments.size());
  for (size_t i = 0; i < a->arguments.size(); ++i)
    if (int order = compareExprs(a->arguments[i], b->arguments[i]))
      return order;
  return 0;
}

int detail::compareExprs(const DimExpr &a, const DimExpr &b) {
  if (a.isConstant() && b.isConstant())
    return threeWay(a.constantValue(), b.constantValue());
  if (DimExprAccess::polynomial(a) == DimExprAccess::polynomial(b))
    return 0;
  DimTerms left(a), right(b);
  if (left.size() != right.size())
    return threeWay(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    if (int order = compareMonomials(left[i].atoms, right[i].atoms))
      return order;
    if (int order = threeWay(left[i].coefficient, right[i].coefficient))
      return order;
  }
  return 0;
}

std::optional<DimExpr> detail::sumOf(std::vector<DimRawTerm> raw) {
  for (DimRawTerm &term : raw)
    std::sort(term.atoms.begin(), term.atoms.end(), atomLess);
  std::sort(raw.begin(), raw.end(), [](const DimRawTerm &a, const DimRawTerm &b) {
    return compareMonomials(a.atoms, b.atoms) < 0;
  });
  auto polynomial = std::make_shared<DimPolynomial>();
  polynomial->length = 1;
  polynomial->range = exactly(0);
  for (size_t i = 0, next; i < raw.size(); i = next) {
    __int128 coefficient = 0;
    for (next = i; next < raw.size() && compareMonomials(raw[i].atoms, raw[next].atoms) == 0;
         ++next)
      if (__builtin_add_overflow(coefficient, raw[next].coefficient, &coefficient))
        return std::nullopt;
    if (coefficient == 0)
      continue;
    std::optional<int64_t> narrowed = narrow(coefficient);
    if (!narrowed)
      return std::nullopt;
    DimTerm term{std::move(raw[i].atoms), *narrowed};
    DimRange range = exactly(term.coefficient);
    polynomial->length += 2;
    for (const DimAtomRef &atom : term.atoms) {
      range = multiplyRanges(range, atom->range);
      polynomial->length += atom->length;
      polynomial->depth = std::max(polynomial->depth, atom->depth);
    }
    if (polynomial->length > DimExpr::kMaxLength)
      return std::nullopt;
    polynomial->range = addRanges(polynomial->range, range);
    polynomial->terms.push_back(std::move(term));
  }
  if (polynomial->terms.empty())
    return DimExpr(0);
  if (polynomial->terms.front().atoms.empty())
    return DimExpr(polynomial->terms.front().coefficient);
  return DimExprAccess::make(std::move(polynomial));
}

DimExpr detail::atomExpr(DimAtomRef atom) {
  auto polynomial = std::make_shared<DimPolynomial>();
  polynomial->range = atom->range;
  polynomial->length = atom->length + 3;
  polynomial->depth = atom->depth;
  polynomial->terms.push_back({{std::move(atom)}, 1});
  return DimExprAccess::make(std::move(polynomial));
}

DimAtomRef detail::asAtom(const DimExpr &expr) {
  const DimPolynomial *polynomial = DimExprAccess::polynomial(expr);
  if (!polynomial || polynomial->terms.size() != 1)
    return nullptr;
  const DimTerm &term = polynomial->terms.front();
  return term.coefficient == 1 && term.atoms.size() == 1 ? term.atoms.front() : nullptr;
}

size_t detail::encodedLength(const DimExpr &expr) {
  if (const DimPolynomial *polynomial = DimExprAccess::polynomial(expr))
    return polynomial->length;
  return expr.constantValue() == 0 ? 1 : 3;
}

DimExpr::DimExpr(int64_t constant) : constant(constant) {}

DimExpr DimExpr::symbol(int64_t id) {
  assert(id >= 0 && "symbols are numbered from 0");
  auto atom = std::make_shared<DimAtom>();
  atom->id = id;
  atom->range.low = 0;
  atom->length = 2;
  return atomExpr(std::move(atom));
}

bool DimExpr::isConstant() const { return !polynomial; }

int64_t DimExpr::constantValue() const {
  assert(isConstant() && "not a constant");
  return constant;
}

bool DimExpr::isSymbol() const {
  DimAtomRef atom = asAtom(*this);
  return atom && atom->kind == DimAtomKind::Symbol;
}

int64_t DimExpr::symbolId() const {
  assert(isSymbol() && "not a symbol");
  return asAtom(*this)->id;
}

uint64_t DimExpr::content() const {
  uint64_t divisor = 0;
  for (const DimTerm &term : DimTerms(*this)) {
    // Negated as unsigned: the smallest number has no positive counterpart.
    uint64_t magnitude = static_cast<uint64_t>(term.coefficient);
    divisor = std::gcd(divisor, term.coefficient < 0 ? -magnitude : magnitude);
  }
  return divisor;
}

std::optional<int64_t> DimExpr::lowerBound() const {
  if (isConstant())
    return constant;
  if (polynomial->range.low == DimRange::kNoLow)
    return std::nullopt;
  return polynomial->range.low;
}

bool DimExpr::operator==(const DimExpr &other) const { return compareExprs(*this, other) == 0; }

bool DimExpr::operator<(const DimExpr &other) const { return compareExprs(*this, other) < 0; }

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

namespace {

std::optional<DimExpr> addScaled(const DimExpr &a, const DimExpr &b, int64_t scale) {
  if (b.isConstant() && b.constantValue() == 0)
    return a;
  std::vector<DimRawTerm> terms;
  DimTerms left(a), right(b);
  terms.reserve(left.size() + right.size());
  for (const DimTerm &term : left)
    terms.push_back({term.atoms, term.coefficient});
  for (const DimTerm &term : right)
    terms.push_back({term.atoms, static_cast<__int128>(term.coefficient) * scale});
  return sumOf(std::move(terms));
}

} // namespace

std::optional<DimExpr> add(const DimExpr &a, const DimExpr &b) { return addScaled(a, b, 1); }

std::optional<DimExpr> sub(const DimExpr &a, const DimExpr &b) { return addScaled(a, b, -1); }

std::optional<DimExpr> mul(const DimExpr &a, const DimExpr &b) {
  if (a.isConstant() && a.constantValue() == 1)
    return b;
  if (b.isConstant() && b.constantValue() == 1)
    return a;
  // Of long sums even the product before like terms are joined must stay small.
  constexpr size_t maxTerms = size_t{1} << 16;
  DimTerms left(a), right(b);
  if (left.size() * right.size() > maxTerms)
    return std::nullopt;
  std::vector<DimRawTerm> terms;
  terms.reserve(left.size() * right.size());
  for (const DimTerm &x : left) {
    for (const DimTerm &y : right) {
      DimRawTerm term;
      // A symbol is the shortest atom.
      if ((x.atoms.size() + y.atoms.size()) * 2 > DimExpr::kMaxLength)
        return std::nullopt;
      term.atoms.reserve(x.atoms.size() + y.atoms.size());
      term.atoms = x.atoms;
      term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
      term.coefficient = static_cast<__int128>(x.coefficient) * y.coefficient;
      terms.push_back(std::move(term));
    }
  }
  return sumOf(std::move(terms));
}

std::optional<DimExpr> product(const std::vector<DimExpr> &dims) {
  std::optional<DimExpr> result = DimExpr(1);
  // A zero among the sizes makes the product zero however large the others are.
  if (std::find(dims.begin(), dims.end(), DimExpr(0)) != dims.end())
    return DimExpr(0);
  for (size_t i = 0; i < dims.size() && result; ++i)
    result = mul(*result, dims[i]);
  return result;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

namespace {

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
  if (common > static_cast<uint64_t>(kMax))
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

//===----------------------------------------------------------------------===//
// Functions of many arguments
//===----------------------------------------------------------------------===//

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
