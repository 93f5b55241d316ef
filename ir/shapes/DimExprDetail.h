// The representation of DimExpr, for the files that implement it.
#ifndef KERATIN_IR_SHAPES_DIMEXPRDETAIL_H
#define KERATIN_IR_SHAPES_DIMEXPRDETAIL_H

#include "ir/shapes/DimExpr.h"

#include <limits>
#include <span>

namespace keratin::ir::detail {

// The numbers are part of encode(): do not renumber.
enum class DimAtomKind : int64_t {
  Symbol = 0,
  FloorDiv = 1,
  CeilDiv = 2,
  Mod = 3,
  Max = 4,
  Min = 5,
  Broadcast = 6
};

// Above all numbers of symbols: tables of them keep the largest integers for places that are free
// or were.
constexpr int64_t kSymbolLimit = int64_t(1) << 62;

// max, min and broadcast are associative: an atom holds all arguments, sorted.
constexpr size_t kMaxArguments = 64;

// The values an expression may take for symbols >= 0. The extreme 64-bit numbers say "unbounded".
struct DimRange {
  static constexpr int64_t kNoLow = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kNoHigh = std::numeric_limits<int64_t>::max();
  int64_t low = kNoLow;
  int64_t high = kNoHigh;
};

struct DimAtom {
  DimAtomKind kind = DimAtomKind::Symbol;
  int64_t id = 0;                 // of a symbol
  std::vector<DimExpr> arguments; // of a function
  DimRange range;
  size_t length = 0; // in encode()
  unsigned depth = 0;
};
using DimAtomRef = std::shared_ptr<const DimAtom>;

// coefficient * atoms[0] * atoms[1] * …; atoms ascend, a power repeats its atom.
struct DimTerm {
  std::vector<DimAtomRef> atoms;
  int64_t coefficient = 0;
};

// Terms by falling degree, then by atoms, so that the order is kept by multiplication; no
// coefficient is 0. Never just a constant: DimExpr holds that itself.
struct DimPolynomial {
  std::vector<DimTerm> terms;
  DimRange range;
  size_t length = 0;
  unsigned depth = 0;
};

// A sum being built; 128 bits, so that products and differences of coefficients are exact.
struct DimRawTerm {
  std::vector<DimAtomRef> atoms;
  __int128 coefficient = 0;
};

struct DimExprAccess {
  static const DimPolynomial *polynomial(const DimExpr &expr) { return expr.polynomial.get(); }
  static DimExpr make(std::shared_ptr<const DimPolynomial> polynomial) {
    DimExpr result;
    result.polynomial = std::move(polynomial);
    return result;
  }
};

// The terms of any expression, a constant's too. Refers to `expr`.
class DimTerms {
public:
  explicit DimTerms(const DimExpr &expr) {
    if (const DimPolynomial *polynomial = DimExprAccess::polynomial(expr)) {
      terms = polynomial->terms;
    } else if (expr.constantValue() != 0) {
      constant.coefficient = expr.constantValue();
      terms = std::span<const DimTerm>(&constant, 1);
    }
  }
  DimTerms(const DimTerms &) = delete;
  DimTerms &operator=(const DimTerms &) = delete;

  auto begin() const { return terms.begin(); }
  auto end() const { return terms.end(); }
  size_t size() const { return terms.size(); }
  const DimTerm &operator[](size_t index) const { return terms[index]; }

private:
  DimTerm constant;
  std::span<const DimTerm> terms;
};

// Three-way comparison: below zero, zero, above.
int compareAtoms(const DimAtomRef &a, const DimAtomRef &b);
int compareExprs(const DimExpr &a, const DimExpr &b);
inline bool atomLess(const DimAtomRef &a, const DimAtomRef &b) { return compareAtoms(a, b) < 0; }

// The canonical sum, whose atoms need not be sorted.
std::optional<DimExpr> sumOf(std::vector<DimRawTerm> terms);
DimExpr atomExpr(DimAtomRef atom);
// The function of these arguments as it is; nullopt if it is too long or too deep.
std::optional<DimExpr> makeFunction(DimAtomKind kind, std::vector<DimExpr> arguments);
// The atom, if the expression is nothing else.
DimAtomRef asAtom(const DimExpr &expr);
size_t encodedLength(const DimExpr &expr);

// What is known of values: of sums, products and functions by what is known of their parts.
DimRange exactly(int64_t value);
DimRange rangeOf(const DimExpr &expr);
DimRange addRanges(DimRange a, DimRange b);
DimRange multiplyRanges(DimRange a, DimRange b);
DimRange rangeOfFunction(DimAtomKind kind, const std::vector<DimExpr> &arguments);
// False if there is no expression.
bool knownAtLeast(const std::optional<DimExpr> &expr, int64_t bound);

// Applies a function by its simplifying constructor; nullopt for a wrong number of arguments too.
std::optional<DimExpr> applyFunction(DimAtomKind kind, std::vector<DimExpr> arguments);

// The scalar functions, nullopt where they have no 64-bit value.
std::optional<int64_t> floorDivide(int64_t a, int64_t b);
std::optional<int64_t> ceilDivide(int64_t a, int64_t b);
std::optional<int64_t> floorRemainder(int64_t a, int64_t b);

} // namespace keratin::ir::detail

#endif // KERATIN_IR_SHAPES_DIMEXPRDETAIL_H
