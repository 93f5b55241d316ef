// What expressions are turned into and made from: numbers, text, values, size programs.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"
#include "runtime/abi/keratin_abi.h"

#include <algorithm>
#include <charconv>

namespace keratin::ir {

using namespace detail;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

// An expression is its number of terms, then each: coefficient, number of atoms, atoms. A symbol is
// (Symbol, id); a function is (kind, number of arguments), then the arguments as expressions.

// Tables of symbols keep the largest integers for places that are free or were.
static constexpr int64_t symbolLimit = int64_t(1) << 62;

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
      if (!id || *id < 0 || *id >= symbolLimit)
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

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

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
      return id && *id < symbolLimit ? std::optional<DimExpr>(DimExpr::symbol(*id)) : std::nullopt;
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

//===----------------------------------------------------------------------===//
// Values and programs
//===----------------------------------------------------------------------===//

namespace {

keratin_size_opcode_t opcodeOf(DimAtomKind kind) {
  switch (kind) {
  case DimAtomKind::Symbol:
    return KERATIN_SIZE_SLOT;
  case DimAtomKind::FloorDiv:
    return KERATIN_SIZE_FLOORDIV;
  case DimAtomKind::CeilDiv:
    return KERATIN_SIZE_CEILDIV;
  case DimAtomKind::Mod:
    return KERATIN_SIZE_MOD;
  case DimAtomKind::Max:
    return KERATIN_SIZE_MAX;
  case DimAtomKind::Min:
    return KERATIN_SIZE_MIN;
  case DimAtomKind::Broadcast:
    return KERATIN_SIZE_BROADCAST;
  }
  return KERATIN_SIZE_CONST;
}

// The one order of computation, shared by evaluate() and program(), so that both overflow alike. A
// machine has constant(value), symbol(id) and apply(opcode), each false to stop.
template <typename Machine> bool compute(const DimExpr &expr, Machine &machine);

template <typename Machine> bool computeAtom(const DimAtom &atom, Machine &machine) {
  if (atom.kind == DimAtomKind::Symbol)
    return machine.symbol(atom.id);
  if (!compute(atom.arguments[0], machine))
    return false;
  for (size_t i = 1; i < atom.arguments.size(); ++i)
    if (!compute(atom.arguments[i], machine) || !machine.apply(opcodeOf(atom.kind)))
      return false;
  return true;
}

template <typename Machine> bool compute(const DimExpr &expr, Machine &machine) {
  DimTerms terms(expr);
  if (terms.size() == 0)
    return machine.constant(0);
  bool first = true;
  for (const DimTerm &term : terms) {
    int64_t coefficient = term.coefficient;
    const bool subtract =
        !first && coefficient < 0 && coefficient != std::numeric_limits<int64_t>::min();
    if (subtract)
      coefficient = -coefficient;
    bool started = false;
    if (coefficient != 1 || term.atoms.empty()) {
      if (!machine.constant(coefficient))
        return false;
      started = true;
    }
    for (const DimAtomRef &atom : term.atoms) {
      if (!computeAtom(*atom, machine) || (started && !machine.apply(KERATIN_SIZE_MUL)))
        return false;
      started = true;
    }
    if (!first && !machine.apply(subtract ? KERATIN_SIZE_SUB : KERATIN_SIZE_ADD))
      return false;
    first = false;
  }
  return true;
}

struct Evaluator {
  const std::function<std::optional<int64_t>(int64_t)> &valueOf;
  std::vector<int64_t> stack;

  bool constant(int64_t value) {
    stack.push_back(value);
    return true;
  }

  bool symbol(int64_t id) {
    std::optional<int64_t> value = valueOf(id);
    return value && constant(*value);
  }

  bool apply(keratin_size_opcode_t opcode) {
    const int64_t b = stack.back();
    stack.pop_back();
    int64_t &a = stack.back();
    auto become = [&](std::optional<int64_t> value) {
      a = value.value_or(0);
      return value.has_value();
    };
    switch (opcode) {
    case KERATIN_SIZE_ADD:
      return !__builtin_add_overflow(a, b, &a);
    case KERATIN_SIZE_SUB:
      return !__builtin_sub_overflow(a, b, &a);
    case KERATIN_SIZE_MUL:
      return !__builtin_mul_overflow(a, b, &a);
    case KERATIN_SIZE_FLOORDIV:
      return become(floorDivide(a, b));
    case KERATIN_SIZE_CEILDIV:
      return become(ceilDivide(a, b));
    case KERATIN_SIZE_MOD:
      return become(floorRemainder(a, b));
    case KERATIN_SIZE_MAX:
      return become(std::max(a, b));
    case KERATIN_SIZE_MIN:
      return become(std::min(a, b));
    case KERATIN_SIZE_BROADCAST:
      if (a == 1)
        return become(b);
      return b == 1 || a == b;
    case KERATIN_SIZE_CONST:
    case KERATIN_SIZE_SLOT:
      break;
    }
    return false;
  }
};

struct ProgramWriter {
  const std::function<int64_t(int64_t)> &slotOf;
  std::vector<int64_t> code;

  bool constant(int64_t value) {
    code.insert(code.end(), {KERATIN_SIZE_CONST, value});
    return true;
  }
  bool symbol(int64_t id) {
    code.insert(code.end(), {KERATIN_SIZE_SLOT, slotOf(id)});
    return true;
  }
  bool apply(keratin_size_opcode_t opcode) {
    code.push_back(opcode);
    return true;
  }
};

void collectSymbols(const DimExpr &expr, std::vector<int64_t> &ids) {
  for (const DimTerm &term : DimTerms(expr)) {
    for (const DimAtomRef &atom : term.atoms) {
      if (atom->kind == DimAtomKind::Symbol)
        ids.push_back(atom->id);
      for (const DimExpr &argument : atom->arguments)
        collectSymbols(argument, ids);
    }
  }
}

} // namespace

std::optional<int64_t>
DimExpr::evaluate(const std::function<std::optional<int64_t>(int64_t)> &symbol) const {
  if (isConstant())
    return constant;
  Evaluator evaluator{symbol, {}};
  if (!compute(*this, evaluator))
    return std::nullopt;
  return evaluator.stack.back();
}

std::vector<int64_t> DimExpr::program(const std::function<int64_t(int64_t)> &slot) const {
  ProgramWriter writer{slot, {}};
  compute(*this, writer);
  return std::move(writer.code);
}

std::vector<int64_t> DimExpr::symbols() const {
  std::vector<int64_t> ids;
  collectSymbols(*this, ids);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::optional<DimExpr>
DimExpr::substitute(const std::function<std::optional<DimExpr>(int64_t)> &symbol) const {
  DimExpr sum;
  for (const DimTerm &term : DimTerms(*this)) {
    std::optional<DimExpr> value = DimExpr(term.coefficient);
    for (const DimAtomRef &atom : term.atoms) {
      std::optional<DimExpr> factor;
      if (atom->kind == DimAtomKind::Symbol) {
        factor = symbol(atom->id);
      } else {
        std::vector<DimExpr> arguments;
        for (const DimExpr &argument : atom->arguments) {
          std::optional<DimExpr> replaced = argument.substitute(symbol);
          if (!replaced)
            return std::nullopt;
          arguments.push_back(std::move(*replaced));
        }
        factor = applyFunction(atom->kind, std::move(arguments));
      }
      value = factor ? mul(*value, *factor) : std::nullopt;
      if (!value)
        return std::nullopt;
    }
    std::optional<DimExpr> next = add(sum, *value);
    if (!next)
      return std::nullopt;
    sum = std::move(*next);
  }
  return sum;
}

} // namespace keratin::ir
