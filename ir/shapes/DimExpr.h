// A dimension as an expression of symbols: canonical, exact, checked.
//
// A dimension known only at run time is written over symbols d0, d1, … (each None of a placeholder
// is one). Expressions are kept in a canonical form, so equal polynomials compare equal: a sum of
// products of atoms with 64-bit coefficients, where an atom is a symbol or one of floordiv,
// ceildiv, mod, max, min, broadcast applied to expressions. Every operation is checked: a result
// that cannot be represented in 64 bits is std::nullopt, never a wrapped number; so is one that
// outgrows any sensible dimension (kMaxLength, kMaxDepth), which bounds the work of every
// operation. No MLIR here.
//
// Symbols stand for sizes: simplification may use that they are not negative, and that what is
// divided by is not zero. Values are immutable and share their representation: copies are cheap,
// and may be read from several threads.
#ifndef KERATIN_IR_SHAPES_DIMEXPR_H
#define KERATIN_IR_SHAPES_DIMEXPR_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keratin::ir {

namespace detail {
struct DimPolynomial;
struct DimExprAccess;
} // namespace detail

class DimExpr {
public:
  // Bounds of what is represented: the length of encode(), the nesting of functions.
  static constexpr size_t kMaxLength = 4096;
  static constexpr unsigned kMaxDepth = 32;

  // The constant 0.
  DimExpr() = default;
  DimExpr(int64_t constant);
  // Precondition: id >= 0.
  static DimExpr symbol(int64_t id);

  bool isConstant() const;
  // Precondition: isConstant().
  int64_t constantValue() const;
  bool isSymbol() const;
  // Precondition: isSymbol().
  int64_t symbolId() const;

  // The canonical form as numbers: for hashing, for attribute storage. decode() refuses anything
  // that encode() does not produce (untrusted input), with a bound on depth and length.
  std::vector<int64_t> encode() const;
  static std::optional<DimExpr> decode(const int64_t *data, size_t size);

  // "2*d0*d1 + floordiv(d2, 3) - 1"; parse() is its inverse and accepts any expression over the
  // same functions, with bounded depth. max, min and broadcast take two or more arguments.
  std::string str() const;
  static std::optional<DimExpr> parse(std::string_view text);

  // The value under an assignment; nullopt on overflow, division by zero, a failed broadcast, or an
  // unknown symbol. It computes step by step what program() does, and fails where that does.
  std::optional<int64_t>
  evaluate(const std::function<std::optional<int64_t>(int64_t)> &symbol) const;
  // Replaces symbols; nullopt on overflow, or if `symbol` gives none.
  std::optional<DimExpr>
  substitute(const std::function<std::optional<DimExpr>(int64_t)> &symbol) const;
  // An expression over the other symbols that is never less, whatever the symbols for which `bound`
  // gives an expression are between 0 and that; for a sum of products it is the value at the
  // bounds. nullopt if none is known.
  std::optional<DimExpr> atMost(const std::function<std::optional<DimExpr>(int64_t)> &bound) const;
  // Ascending, without duplicates.
  std::vector<int64_t> symbols() const;
  // A lower bound that holds for all symbols >= 0, if one is known (dimensions are never negative).
  std::optional<int64_t> lowerBound() const;
  // The greatest number that divides every coefficient: 12 for 24*d0 + 12*d1*d1. Not negative; 0
  // only for the constant 0.
  uint64_t content() const;

  // Code for the size programs of runtime/abi (keratin_size_opcode_t); `slot` names where a symbol
  // is found.
  std::vector<int64_t> program(const std::function<int64_t(int64_t)> &slot) const;

  bool operator==(const DimExpr &other) const;
  bool operator!=(const DimExpr &other) const { return !(*this == other); }
  // A total order without meaning, for sorted containers.
  bool operator<(const DimExpr &other) const;

private:
  friend struct detail::DimExprAccess;

  int64_t constant = 0;
  std::shared_ptr<const detail::DimPolynomial> polynomial; // null for a constant
};

std::optional<DimExpr> add(const DimExpr &a, const DimExpr &b);
std::optional<DimExpr> sub(const DimExpr &a, const DimExpr &b);
std::optional<DimExpr> mul(const DimExpr &a, const DimExpr &b);
// floordiv rounds towards minus infinity, ceildiv towards plus infinity; mod is the remainder of
// floordiv, with the sign of b. What divides exactly is divided: floordiv(6*d0*d1, 2*d0) = 3*d1,
// and whole multiples are split off: floordiv(d0 + 4, 2) = floordiv(d0, 2) + 2. By a constant,
// ceildiv(a, b) = floordiv(a + b - 1, b), and divisions of divisions become one.
std::optional<DimExpr> floordiv(const DimExpr &a, const DimExpr &b);
std::optional<DimExpr> ceildiv(const DimExpr &a, const DimExpr &b);
std::optional<DimExpr> mod(const DimExpr &a, const DimExpr &b);
// An argument that provably never wins is dropped: max(d0, 0) = d0.
std::optional<DimExpr> max(const DimExpr &a, const DimExpr &b);
std::optional<DimExpr> min(const DimExpr &a, const DimExpr &b);
// NumPy broadcasting of two sizes: equal expressions give themselves, 1 gives the other, a constant
// other than 1 wins over an unknown; two different constants other than 1 are nullopt; two unknowns
// give the atom broadcast(a, b).
std::optional<DimExpr> broadcast(const DimExpr &a, const DimExpr &b);
// The product of all; 1 for none.
std::optional<DimExpr> product(const std::vector<DimExpr> &dims);

} // namespace keratin::ir

#endif // KERATIN_IR_SHAPES_DIMEXPR_H
