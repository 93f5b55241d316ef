// The canonical form: a sum of products, compared, added and multiplied.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace keratin::ir {

using namespace detail;

namespace {

std::optional<int64_t> narrow(__int128 value) {
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(value);
}

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

std::optional<DimExpr> detail::makeFunction(DimAtomKind kind, std::vector<DimExpr> arguments) {
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

} // namespace keratin::ir
