// Expressions as text.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>
#include <charconv>

namespace keratin::ir {

using namespace detail;

namespace {

struct FunctionName {
  DimAtomKind kind;
  std::string_view name;
};
constexpr FunctionName functionNames[] = {
    {DimAtomKind::FloorDiv, "floordiv"}, {DimAtomKind::CeilDiv, "ceildiv"},
    {DimAtomKind::Mod, "mod"},           {DimAtomKind::Max, "max"},
    {DimAtomKind::Min, "min"},           {DimAtomKind::Broadcast, "broadcast"}};

void printAtom(const DimAtom &atom, std::string &out);

void printExpr(const DimExpr &expr, std::string &out) {
  DimTerms terms(expr);
  if (terms.size() == 0)
    out += '0';
  bool first = true;
  for (const DimTerm &term : terms) {
    int64_t coefficient = term.coefficient;
    // The least number has no negative to subtract.
    const bool subtract =
        !first && coefficient < 0 && coefficient != std::numeric_limits<int64_t>::min();
    if (!first)
      out += subtract ? " - " : " + ";
    if (subtract)
      coefficient = -coefficient;
    first = false;
    if (coefficient == -1 && !term.atoms.empty())
      out += '-';
    else if (coefficient != 1 || term.atoms.empty())
      out += std::to_string(coefficient) + (term.atoms.empty() ? "" : "*");
    for (size_t i = 0; i < term.atoms.size(); ++i) {
      if (i != 0)
        out += '*';
      printAtom(*term.atoms[i], out);
    }
  }
}

void printAtom(const DimAtom &atom, std::string &out) {
  if (atom.kind == DimAtomKind::Symbol) {
    out += 'd' + std::to_string(atom.id);
    return;
  }
  for (const FunctionName &function : functionNames)
    if (function.kind == atom.kind)
      out += function.name;
  char separator = '(';
  for (const DimExpr &argument : atom.arguments) {
    out += separator;
    if (separator == ',')
      out += ' ';
    separator = ',';
    printExpr(argument, out);
  }
  out += ')';
}

// sum:    term (('+' | '-') term)*
// term:   factor ('*' factor)*
// factor: number | symbol | function '(' sum (',' sum)+ ')' | '(' sum ')' | '-' factor
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<DimExpr> sum(unsigned depth) {
    if (depth > maxNesting)
      return std::nullopt;
    std::vector<DimRawTerm> terms;
    bool negative = false;
    do {
      std::optional<DimExpr> next = term(depth);
      if (!next)
        return std::nullopt;
      for (const DimTerm &part : DimTerms(*next)) {
        const __int128 coefficient = part.coefficient;
        terms.push_back({part.atoms, negative ? -coefficient : coefficient});
      }
      if (!spend(DimTerms(*next).size()))
        return std::nullopt;
      negative = peek() == '-';
    } while (accept('+') || accept('-'));
    return sumOf(std::move(terms));
  }

  bool atEnd() { return peek() == '\0' && position == text.size(); }

private:
  std::optional<DimExpr> term(unsigned depth) {
    std::optional<DimExpr> result = factor(depth);
    while (result && accept('*')) {
      std::optional<DimExpr> next = factor(depth);
      if (!next || !spend(DimTerms(*result).size() * DimTerms(*next).size() +
                          encodedLength(*result) + encodedLength(*next)))
        return std::nullopt;
      result = mul(*result, *next);
    }
    return result;
  }

  std::optional<DimExpr> factor(unsigned depth) {
    if (depth > maxNesting)
      return std::nullopt;
    const char next = peek();
    if (next == '-') {
      // The sign belongs to the number: the least one has no positive counterpart.
      if (position + 1 < text.size() && isDigit(text[position + 1]))
        return constant();
      ++position;
      std::optional<DimExpr> negated = factor(depth + 1);
      return negated ? sub(0, *negated) : std::nullopt;
    }
    if (isDigit(next))
      return constant();
    if (accept('(')) {
      std::optional<DimExpr> inner = sum(depth + 1);
      return accept(')') ? inner : std::nullopt;
    }
    if (next == 'd' && position + 1 < text.size() && isDigit(text[position + 1])) {
      ++position;
      std::optional<int64_t> id = number();
      return id && *id < kSymbolLimit ? std::optional<DimExpr>(DimExpr::symbol(*id)) : std::nullopt;
    }
    for (const FunctionName &function : functionNames) {
      if (text.substr(position).starts_with(function.name)) {
        position += function.name.size();
        return call(function.kind, depth);
      }
    }
    return std::nullopt;
  }

  std::optional<DimExpr> call(DimAtomKind kind, unsigned depth) {
    if (!accept('('))
      return std::nullopt;
    std::vector<DimExpr> arguments;
    size_t length = 0;
    do {
      std::optional<DimExpr> argument = sum(depth + 1);
      if (!argument || arguments.size() == kMaxArguments)
        return std::nullopt;
      length += encodedLength(*argument);
      arguments.push_back(std::move(*argument));
    } while (accept(','));
    if (!accept(')') || !spend(arguments.size() * length))
      return std::nullopt;
    return applyFunction(kind, std::move(arguments));
  }

  std::optional<DimExpr> constant() {
    std::optional<int64_t> value = number();
    return value ? std::optional<DimExpr>(*value) : std::nullopt;
  }

  std::optional<int64_t> number() {
    int64_t value = 0;
    const char *begin = text.data() + position;
    auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc())
      return std::nullopt;
    position += end - begin;
    return value;
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  // The next character that is not a space, without taking it.
  char peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    return position < text.size() ? text[position] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || position == text.size())
      return false;
    ++position;
    return true;
  }

  // Short text can ask for much work, as in (…)*(…)*(…).
  bool spend(size_t work) {
    budget -= std::min(budget, work);
    return budget != 0;
  }

  // Parentheses around a sum that is an argument are the most str() nests.
  static constexpr unsigned maxNesting = 2 * DimExpr::kMaxDepth;

  std::string_view text;
  size_t position = 0;
  size_t budget = size_t{1} << 21;
};

} // namespace

std::string DimExpr::str() const {
  std::string text;
  printExpr(*this, text);
  return text;
}

std::optional<DimExpr> DimExpr::parse(std::string_view text) {
  // What str() writes takes less than 16 characters for a number of encode().
  if (text.size() > 16 * kMaxLength)
    return std::nullopt;
  Parser parser(text);
  std::optional<DimExpr> expr = parser.sum(0);
  return expr && parser.atEnd() ? expr : std::nullopt;
}

} // namespace keratin::ir
