// Expressions as numbers.
//
// An expression is its number of terms, then each: coefficient, number of atoms, atoms. A symbol is
// (Symbol, id); a function is (kind, number of arguments), then the arguments as expressions.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>

namespace keratin::ir {

using namespace detail;

namespace {

void encodeExpr(const DimExpr &expr, std::vector<int64_t> &out) {
  DimTerms terms(expr);
  out.push_back(static_cast<int64_t>(terms.size()));
  for (const DimTerm &term : terms) {
    out.push_back(term.coefficient);
    out.push_back(static_cast<int64_t>(term.atoms.size()));
    for (const DimAtomRef &atom : term.atoms) {
      out.push_back(static_cast<int64_t>(atom->kind));
      if (atom->kind == DimAtomKind::Symbol) {
        out.push_back(atom->id);
        continue;
      }
      out.push_back(static_cast<int64_t>(atom->arguments.size()));
      for (const DimExpr &argument : atom->arguments)
        encodeExpr(argument, out);
    }
  }
}

// Builds what the numbers say by the simplifying constructors. The caller compares what was built
// with what was read, so only the bounds of reading are checked here.
class Decoder {
public:
  explicit Decoder(std::span<const int64_t> data) : data(data) {}

  bool atEnd() const { return position == data.size(); }

  std::optional<DimExpr> expr(unsigned depth) {
    std::optional<size_t> termCount = count();
    if (!termCount || depth > DimExpr::kMaxDepth)
      return std::nullopt;
    std::vector<DimRawTerm> terms;
    for (size_t i = 0; i < *termCount; ++i) {
      DimRawTerm term;
      std::optional<int64_t> coefficient = number();
      std::optional<size_t> atomCount = count();
      if (!coefficient || !atomCount)
        return std::nullopt;
      term.coefficient = *coefficient;
      for (size_t j = 0; j < *atomCount; ++j) {
        std::optional<DimExpr> built = atom(depth);
        DimAtomRef single = built ? asAtom(*built) : nullptr;
        if (!single)
          return std::nullopt;
        term.atoms.push_back(std::move(single));
      }
      terms.push_back(std::move(term));
    }
    return sumOf(std::move(terms));
  }

private:
  std::optional<DimExpr> atom(unsigned depth) {
    std::optional<int64_t> kind = number();
    if (!kind)
      return std::nullopt;
    if (*kind == static_cast<int64_t>(DimAtomKind::Symbol)) {
      std::optional<int64_t> id = number();
      if (!id || *id < 0 || *id >= kSymbolLimit)
        return std::nullopt;
      return DimExpr::symbol(*id);
    }
    std::optional<size_t> argumentCount = count();
    if (!argumentCount || *argumentCount > kMaxArguments ||
        *kind < static_cast<int64_t>(DimAtomKind::FloorDiv) ||
        *kind > static_cast<int64_t>(DimAtomKind::Broadcast))
      return std::nullopt;
    std::vector<DimExpr> arguments;
    for (size_t i = 0; i < *argumentCount; ++i) {
      std::optional<DimExpr> argument = expr(depth + 1);
      if (!argument)
        return std::nullopt;
      arguments.push_back(std::move(*argument));
    }
    return applyFunction(static_cast<DimAtomKind>(*kind), std::move(arguments));
  }

  std::optional<int64_t> number() {
    if (atEnd())
      return std::nullopt;
    return data[position++];
  }

  // Each of what is counted takes a number at least.
  std::optional<size_t> count() {
    std::optional<int64_t> value = number();
    if (!value || *value < 0 || static_cast<uint64_t>(*value) > data.size() - position)
      return std::nullopt;
    return static_cast<size_t>(*value);
  }

  std::span<const int64_t> data;
  size_t position = 0;
};

} // namespace

std::vector<int64_t> DimExpr::encode() const {
  std::vector<int64_t> numbers;
  numbers.reserve(encodedLength(*this));
  encodeExpr(*this, numbers);
  return numbers;
}

std::optional<DimExpr> DimExpr::decode(const int64_t *data, size_t size) {
  if (size == 0 || size > kMaxLength)
    return std::nullopt;
  std::span<const int64_t> numbers(data, size);
  Decoder decoder(numbers);
  std::optional<DimExpr> expr = decoder.expr(0);
  if (!expr || !decoder.atEnd() || !std::ranges::equal(expr->encode(), numbers))
    return std::nullopt;
  return expr;
}

} // namespace keratin::ir
