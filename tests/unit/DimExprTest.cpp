// Symbolic dimensions against exact arithmetic: random expressions are built twice, as DimExpr and
// as a plain tree evaluated in 128 bits.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/SizeUnits.h"
#include "runtime/abi/keratin_abi.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <limits>
#include <map>
#include <random>

using namespace keratin::ir;

namespace {

using Wide = __int128;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

const DimExpr d0 = DimExpr::symbol(0);
const DimExpr d1 = DimExpr::symbol(1);
const DimExpr d2 = DimExpr::symbol(2);

// The parsed expression; what the tests write is always valid.
DimExpr expr(std::string_view text) {
  std::optional<DimExpr> parsed = DimExpr::parse(text);
  INFO(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

std::string canonical(std::string_view text) { return expr(text).str(); }

enum class Op { Constant, Symbol, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Max, Min, Broadcast };

struct Tree {
  Op op = Op::Constant;
  int64_t value = 0;
  std::vector<Tree> children;
};

using Assignment = std::vector<int64_t>;

Wide wideFloor(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The textbook meaning; nothing for what has no value, or none that 128 bits hold.
std::optional<Wide> exact(const Tree &tree, const Assignment &symbols) {
  if (tree.op == Op::Constant)
    return tree.value;
  if (tree.op == Op::Symbol)
    return symbols[tree.value];
  std::optional<Wide> left = exact(tree.children[0], symbols);
  std::optional<Wide> right = exact(tree.children[1], symbols);
  if (!left || !right)
    return std::nullopt;
  Wide a = *left, b = *right, result = 0;
  switch (tree.op) {
  case Op::Constant:
  case Op::Symbol:
    break;
  case Op::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional<Wide>(result);
  case Op::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional<Wide>(result);
  case Op::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional<Wide>(result);
  case Op::FloorDiv:
    return b == 0 ? std::nullopt : std::optional<Wide>(wideFloor(a, b));
  case Op::CeilDiv:
    return b == 0 ? std::nullopt : std::optional<Wide>(-wideFloor(-a, b));
  case Op::Mod:
    return b == 0 ? std::nullopt : std::optional<Wide>(a - b * wideFloor(a, b));
  case Op::Max:
    return std::max(a, b);
  case Op::Min:
    return std::min(a, b);
  case Op::Broadcast:
    if (a == 1)
      return b;
    return b == 1 || a == b ? std::optional<Wide>(a) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<DimExpr> build(const Tree &tree) {
  if (tree.op == Op::Constant)
    return DimExpr(tree.value);
  if (tree.op == Op::Symbol)
    return DimExpr::symbol(tree.value);
  std::optional<DimExpr> a = build(tree.children[0]), b = build(tree.children[1]);
  if (!a || !b)
    return std::nullopt;
  switch (tree.op) {
  case Op::Constant:
  case Op::Symbol:
    break;
  case Op::Add:
    return add(*a, *b);
  case Op::Sub:
    return sub(*a, *b);
  case Op::Mul:
    return mul(*a, *b);
  case Op::FloorDiv:
    return floordiv(*a, *b);
  case Op::CeilDiv:
    return ceildiv(*a, *b);
  case Op::Mod:
    return mod(*a, *b);
  case Op::Max:
    return max(*a, *b);
  case Op::Min:
    return min(*a, *b);
  case Op::Broadcast:
    return broadcast(*a, *b);
  }
  return std::nullopt;
}

constexpr int kSymbols = 3;

class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  Tree tree(int depth, bool polynomial = false) {
    if (depth == 0 || between(0, 5) == 0) {
      if (between(0, 1))
        return {Op::Symbol, between(0, kSymbols - 1), {}};
      return {Op::Constant, between(-6, 12), {}};
    }
    Op op = static_cast<Op>(
        between(static_cast<int>(Op::Add), static_cast<int>(polynomial ? Op::Mul : Op::Broadcast)));
    return {op, 0, {tree(depth - 1, polynomial), tree(depth - 1, polynomial)}};
  }

  Assignment small() {
    Assignment symbols;
    for (int i = 0; i < kSymbols; ++i)
      symbols.push_back(between(0, 9));
    return symbols;
  }

  // Sizes whose sums and products leave 64 bits often, but not always.
  Assignment large() {
    Assignment symbols;
    for (int i = 0; i < kSymbols; ++i)
      symbols.push_back(between(0, kMax) >> between(0, 50));
    return symbols;
  }

  std::mt19937 random;
};

std::optional<int64_t> evaluate(const DimExpr &expr, const Assignment &symbols) {
  return expr.evaluate([&](int64_t id) -> std::optional<int64_t> {
    return id < static_cast<int64_t>(symbols.size()) ? std::optional(symbols[id]) : std::nullopt;
  });
}

// A reading of the ABI's description of size programs, independent of the implementation's.
std::optional<int64_t> interpret(const std::vector<int64_t> &code,
                                 const std::map<int64_t, int64_t> &slots) {
  std::vector<Wide> stack;
  for (size_t pc = 0; pc < code.size(); ++pc) {
    if (code[pc] == KERATIN_SIZE_CONST) {
      stack.push_back(code.at(++pc));
      continue;
    }
    if (code[pc] == KERATIN_SIZE_SLOT) {
      stack.push_back(slots.at(code.at(++pc)));
      continue;
    }
    REQUIRE(stack.size() >= 2);
    Wide b = stack.back();
    stack.pop_back();
    Wide a = stack.back();
    stack.pop_back();
    Wide result = 0;
    switch (code[pc]) {
    case KERATIN_SIZE_ADD:
      result = a + b;
      break;
    case KERATIN_SIZE_SUB:
      result = a - b;
      break;
    case KERATIN_SIZE_MUL:
      result = a * b;
      break;
    case KERATIN_SIZE_FLOORDIV:
    case KERATIN_SIZE_CEILDIV:
    case KERATIN_SIZE_MOD:
      if (b == 0)
        return std::nullopt;
      result = code[pc] == KERATIN_SIZE_FLOORDIV  ? wideFloor(a, b)
               : code[pc] == KERATIN_SIZE_CEILDIV ? -wideFloor(-a, b)
                                                  : a - b * wideFloor(a, b);
      break;
    case KERATIN_SIZE_MAX:
      result = std::max(a, b);
      break;
    case KERATIN_SIZE_MIN:
      result = std::min(a, b);
      break;
    case KERATIN_SIZE_BROADCAST:
      if (a != 1 && b != 1 && a != b)
        return std::nullopt;
      result = a == 1 ? b : a;
      break;
    default:
      FAIL("no such opcode: " << code[pc]);
    }
    if (result < kMin || result > kMax)
      return std::nullopt;
    stack.push_back(result);
  }
  REQUIRE(stack.size() == 1);
  return static_cast<int64_t>(stack.back());
}

void checkProgram(const DimExpr &expr, const Assignment &symbols) {
  std::map<int64_t, int64_t> slots;
  for (size_t i = 0; i < symbols.size(); ++i)
    slots[100 + 7 * i] = symbols[i];
  std::vector<int64_t> code = expr.program([](int64_t id) { return 100 + 7 * id; });
  REQUIRE(interpret(code, slots) == evaluate(expr, symbols));
}

void checkRoundTrips(const DimExpr &expr) {
  std::vector<int64_t> numbers = expr.encode();
  std::optional<DimExpr> decoded = DimExpr::decode(numbers.data(), numbers.size());
  REQUIRE(decoded.has_value());
  REQUIRE(*decoded == expr);
  REQUIRE(decoded->encode() == numbers);
  std::optional<DimExpr> parsed = DimExpr::parse(expr.str());
  REQUIRE(parsed.has_value());
  REQUIRE(*parsed == expr);
  std::optional<DimExpr> same = expr.substitute([](int64_t id) { return DimExpr::symbol(id); });
  REQUIRE(same.has_value());
  REQUIRE(*same == expr);
}

} // namespace

TEST_CASE("random expressions mean what they say") {
  Generator generator(20240611);
  int defined = 0;
  for (int i = 0; i < 20000; ++i) {
    Tree tree = generator.tree(1 + i % 5);
    std::optional<DimExpr> expr = build(tree);
    if (!expr) // a division by a zero, sizes that never broadcast
      continue;
    INFO("expression " << i << ": " << expr->str());
    checkRoundTrips(*expr);
    for (int j = 0; j < 4; ++j) {
      Assignment symbols = generator.small();
      checkProgram(*expr, symbols);
      std::optional<Wide> want = exact(tree, symbols);
      if (!want)
        continue;
      ++defined;
      std::optional<int64_t> got = evaluate(*expr, symbols);
      INFO("at " << symbols[0] << ", " << symbols[1] << ", " << symbols[2]);
      REQUIRE(got.has_value());
      REQUIRE(*got == static_cast<int64_t>(*want));
      if (std::optional<int64_t> bound = expr->lowerBound())
        REQUIRE(*want >= *bound);
    }
  }
  CHECK(defined > 40000);
}

TEST_CASE("values beyond 64 bits are refused, never wrapped") {
  Generator generator(77);
  int overflows = 0, values = 0;
  for (int i = 0; i < 20000; ++i) {
    Tree tree = generator.tree(1 + i % 4);
    std::optional<DimExpr> expr = build(tree);
    if (!expr)
      continue;
    INFO("expression " << i << ": " << expr->str());
    Assignment symbols = generator.large();
    checkProgram(*expr, symbols);
    std::optional<Wide> want = exact(tree, symbols);
    if (!want)
      continue;
    std::optional<int64_t> got = evaluate(*expr, symbols);
    overflows += !got;
    values += got.has_value();
    if (got)
      REQUIRE(*got == *want);
    else if (tree.op == Op::Symbol || tree.op == Op::Constant)
      FAIL("a leaf always has a value");
  }
  CHECK(overflows > 200);
  CHECK(values > 5000);
}

TEST_CASE("polynomials obey the laws of a ring") {
  Generator generator(5);
  for (int i = 0; i < 3000; ++i) {
    std::optional<DimExpr> a = build(generator.tree(3, true)), b = build(generator.tree(3, true)),
                           c = build(generator.tree(2));
    if (!a || !b || !c)
      continue;
    INFO(a->str() << " | " << b->str() << " | " << c->str());
    REQUIRE(*add(*a, *b) == *add(*b, *a));
    REQUIRE(*mul(*a, *b) == *mul(*b, *a));
    REQUIRE(*add(*add(*a, *b), *c) == *add(*a, *add(*b, *c)));
    REQUIRE(*mul(*mul(*a, *b), *c) == *mul(*a, *mul(*b, *c)));
    REQUIRE(*mul(*a, *add(*b, *c)) == *add(*mul(*a, *b), *mul(*a, *c)));
    REQUIRE(*sub(*add(*a, *b), *b) == *a);
    REQUIRE(*sub(*a, *a) == DimExpr(0));
    // One of less, equal, greater; and equal encodings exactly for equals.
    REQUIRE((*a < *b) + (*b < *a) + (*a == *b) == 1);
    REQUIRE((a->encode() == b->encode()) == (*a == *b));
    if (*b != DimExpr(0)) {
      REQUIRE(*floordiv(*mul(*a, *b), *b) == *a);
      REQUIRE(*ceildiv(*mul(*a, *b), *b) == *a);
      REQUIRE(*mod(*mul(*a, *b), *b) == DimExpr(0));
    }
  }
}

TEST_CASE("substitution commutes with evaluation") {
  Generator generator(11);
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    std::optional<DimExpr> expr = build(generator.tree(3));
    if (!expr)
      continue;
    // Sizes stay sizes: what replaces a symbol is not negative.
    std::vector<DimExpr> replacements = {*add(*mul(d1, d2), 1), *floordiv(d0, 2), 4};
    std::optional<DimExpr> replaced =
        expr->substitute([&](int64_t id) { return replacements[id]; });
    if (!replaced)
      continue;
    Assignment symbols = generator.small(), inner;
    for (const DimExpr &replacement : replacements)
      inner.push_back(*evaluate(replacement, symbols));
    std::optional<int64_t> want = evaluate(*expr, inner);
    if (!want)
      continue;
    INFO(expr->str() << " became " << replaced->str());
    REQUIRE(evaluate(*replaced, symbols) == want);
    ++compared;
  }
  CHECK(compared > 1000);
  CHECK_FALSE(d0.substitute([](int64_t) { return std::nullopt; }).has_value());
  CHECK_FALSE(mul(d0, kMax)->substitute([](int64_t) { return DimExpr(2); }).has_value());
  CHECK_FALSE(floordiv(d1, d0)->substitute([](int64_t) { return DimExpr(0); }).has_value());
  CHECK_FALSE(broadcast(d0, d1)->substitute([](int64_t id) { return DimExpr(id + 3); }));
}

TEST_CASE("text is canonical") {
  CHECK(canonical("2*d0*d1 + floordiv(d2, 3) - 1") == "2*d0*d1 + floordiv(d2, 3) - 1");
  CHECK(canonical("0") == "0");
  CHECK(canonical("d0 - d0") == "0");
  CHECK(canonical("1 + d1*d0 + d1*d0") == "2*d0*d1 + 1");
  CHECK(canonical("-d0+3") == "-d0 + 3");
  CHECK(canonical("-(d0 - 3)*2") == "-2*d0 + 6");
  CHECK(canonical("(d0 + d1)*(d0 - d1)") == "d0*d0 - d1*d1");
  CHECK(canonical("-9223372036854775808") == "-9223372036854775808");
  CHECK(canonical("d1 + -9223372036854775808*d2") == "d1 + -9223372036854775808*d2");
  // The largest number of a symbol, and those that tables keep for themselves.
  CHECK(canonical("d4611686018427387903") == "d4611686018427387903");
  CHECK_FALSE(DimExpr::parse("d4611686018427387904"));
  CHECK_FALSE(DimExpr::parse("d9223372036854775807"));
  CHECK(canonical("max(d2, d0, d1)") == "max(d0, d1, d2)");
}

TEST_CASE("divisions are simplified") {
  CHECK(canonical("floordiv(6*d0*d1, 2*d0)") == "3*d1");
  CHECK(canonical("floordiv(d0, 1)") == "d0");
  CHECK(canonical("mod(d0, 1)") == "0");
  CHECK(canonical("floordiv(4*d0 + 8*d1 - 12, 4)") == "d0 + 2*d1 - 3");
  CHECK(canonical("mod(4*d0 + 8*d1 - 12, 4)") == "0");
  CHECK(canonical("floordiv(d0*d0 - d1*d1, d0 + d1)") == "d0 - d1");
  CHECK(canonical("floordiv(d0 + 4, 2)") == "floordiv(d0, 2) + 2");
  CHECK(canonical("floordiv(6*d0*d1, 4*d0)") == "d1 + floordiv(d1, 2)");
  CHECK(canonical("floordiv(6*d0 + 3, 4)") == "d0 + floordiv(d0 + 1, 2)");
  CHECK(canonical("floordiv(2*d0 + 1, 4)") == "floordiv(d0, 2)");
  CHECK(canonical("mod(2*d0 + 1, 4)") == "2*mod(d0, 2) + 1");
  CHECK(canonical("floordiv(d0*d1, d0*d2)") == "floordiv(d1, d2)");
  CHECK(canonical("floordiv(d0, -2)") == canonical("floordiv(-d0, 2)"));
  CHECK(canonical("ceildiv(d0, 2)") == "floordiv(d0 + 1, 2)");
  CHECK(canonical("ceildiv(d0*d2, d1*d2)") == "ceildiv(d0, d1)");
  // What "valid" and "same" convolutions of stride 2 give, and two in a row.
  CHECK(canonical("floordiv(d0 - 1, 2) + 1") == canonical("ceildiv(d0, 2)"));
  CHECK(canonical("ceildiv(ceildiv(d0, 2), 2)") == canonical("ceildiv(d0, 4)"));
  CHECK(canonical("floordiv(mod(d0, 3), 3)") == "0");
  CHECK(canonical("mod(mod(d0, 3), 3)") == "mod(d0, 3)");
  CHECK(canonical("floordiv(d0, d0 + 1)") == "0");

  CHECK(floordiv(-7, 2) == DimExpr(-4));
  CHECK(ceildiv(-7, 2) == DimExpr(-3));
  CHECK(mod(-7, 2) == DimExpr(1));
  CHECK(mod(7, -2) == DimExpr(-1));
  CHECK_FALSE(floordiv(d0, 0).has_value());
  CHECK_FALSE(ceildiv(d0, 0).has_value());
  CHECK_FALSE(mod(d0, 0).has_value());
  CHECK_FALSE(floordiv(kMin, -1).has_value());
  CHECK(mod(kMin, -1) == DimExpr(0));
  CHECK(floordiv(*mul(d0, kMin), kMin) == d0);
  CHECK_FALSE(floordiv(d0, kMin).has_value());
}

TEST_CASE("max and min drop what never wins") {
  CHECK(max(3, 5) == DimExpr(5));
  CHECK(min(3, 5) == DimExpr(3));
  CHECK(min(*add(d0, d1), std::numeric_limits<int64_t>::max()) == *add(d0, d1));
  CHECK(max(d0, kMin) == d0);
  CHECK(max(d0, d0) == d0);
  CHECK(max(d0, 0) == d0);
  CHECK(max(0, *floordiv(d0, 3)) == *floordiv(d0, 3));
  CHECK(max(d0, *add(d0, d1)) == *add(d0, d1));
  CHECK(min(d0, *add(d0, d1)) == d0);
  CHECK(max(*max(d0, d1), d0) == *max(d1, d0));
  CHECK(max(*sub(d0, 2), 0)->str() == "max(0, d0 - 2)");
  CHECK(max(*sub(d0, 2), 0)->lowerBound() == 0);
  CHECK_FALSE(max(*sub(d0, 2), 0)->isConstant());
  CHECK_FALSE(sub(d0, d1)->lowerBound().has_value());
  CHECK(sub(d0, *min(d1, 4))->lowerBound() == -4);
  CHECK(add(*mul(d0, d1), 3)->lowerBound() == 3);
}

TEST_CASE("broadcasting of sizes") {
  CHECK(broadcast(d0, d0) == d0);
  CHECK(broadcast(1, d0) == d0);
  CHECK(broadcast(d0, 1) == d0);
  CHECK(broadcast(1, 1) == DimExpr(1));
  CHECK(broadcast(d0, 7) == DimExpr(7));
  CHECK(broadcast(0, d0) == DimExpr(0));
  CHECK_FALSE(broadcast(3, 4).has_value());
  CHECK_FALSE(broadcast(0, 4).has_value());
  CHECK(broadcast(d1, d0)->str() == "broadcast(d0, d1)");
  CHECK(broadcast(*broadcast(d0, d1), d0) == *broadcast(d0, d1));
  CHECK(broadcast(*broadcast(d0, d1), 3) == DimExpr(3));
  CHECK(evaluate(*broadcast(d0, d1), {1, 5}) == 5);
  CHECK(evaluate(*broadcast(d0, d1), {5, 1}) == 5);
  CHECK_FALSE(evaluate(*broadcast(d0, d1), {5, 4}).has_value());
}

TEST_CASE("overflow of constants and coefficients") {
  CHECK_FALSE(add(kMax, 1).has_value());
  CHECK_FALSE(sub(kMin, 1).has_value());
  CHECK_FALSE(sub(0, kMin).has_value());
  CHECK_FALSE(mul(kMin, -1).has_value());
  CHECK_FALSE(mul(*mul(d0, kMax), 2).has_value());
  CHECK(sub(*add(d0, -1), kMin) == *add(d0, kMax));
  CHECK_FALSE(product({int64_t{1} << 32, d0, int64_t{1} << 31}).has_value());
  CHECK(product({int64_t{1} << 32, d0, int64_t{1} << 32, 0}) == DimExpr(0));
  CHECK(product({}) == DimExpr(1));
  CHECK(product({d0, 2, d1}) == expr("2*d0*d1"));
  CHECK(evaluate(*mul(d0, d1), {int64_t{1} << 31, int64_t{1} << 31}) == int64_t{1} << 62);
  CHECK_FALSE(evaluate(*mul(d0, d1), {int64_t{1} << 32, int64_t{1} << 31}).has_value());
  CHECK_FALSE(evaluate(*add(d0, 1), {kMax}).has_value());
  CHECK_FALSE(evaluate(d2, {1, 2}).has_value());
  CHECK_FALSE(evaluate(*floordiv(d0, d1), {1, 0}).has_value());
}

TEST_CASE("queries") {
  CHECK(DimExpr().isConstant());
  CHECK(DimExpr().constantValue() == 0);
  CHECK(d2.isSymbol());
  CHECK(d2.symbolId() == 2);
  CHECK_FALSE(mul(d0, 2)->isSymbol());
  CHECK_FALSE(floordiv(d0, 2)->isSymbol());
  CHECK(expr("d7*d1 + floordiv(d3, d7)").symbols() == std::vector<int64_t>{1, 3, 7});
  CHECK(DimExpr(4).symbols().empty());
  CHECK(DimExpr(4).program([](int64_t) { return 0; }) ==
        std::vector<int64_t>{KERATIN_SIZE_CONST, 4});
}

TEST_CASE("decode refuses what encode does not produce") {
  auto refused = [](std::vector<int64_t> numbers) {
    return !DimExpr::decode(numbers.data(), numbers.size()).has_value();
  };
  CHECK(refused({}));
  CHECK(refused({1, 0, 0}));                         // a zero term
  CHECK(refused({-1}));                              // a negative count
  CHECK(refused({kMax}));                            // a count beyond the data
  CHECK(refused({1, 1, kMax, 0, 0}));                // the same, of atoms
  CHECK(refused({1, 1, 1, 0, -1}));                  // a negative symbol
  CHECK(refused({1, 1, 1, 9, 1, 0}));                // no such function
  CHECK(refused({1, 5, 0, 0}));                      // numbers left over
  CHECK(refused({2, 1, 0, 1, 1, 0, 0}));             // the constant first
  CHECK(refused({2, 1, 0, 1, 0}));                   // two constants
  CHECK(refused({1, 1, 2, 0, 1, 0, 0}));             // d1*d0
  CHECK(refused({1, 1, 1, 4, 2, 1, 2, 0, 1, 3, 0})); // max(2, 3)
  CHECK(refused({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}));    // floordiv of one argument
  CHECK(refused({1, 1, 1, 4, 0}));                   // max of none

  // max(d0, max(d1, …)), which even flattened is too deep to read.
  std::vector<int64_t> deep;
  for (int i = 0; i < 300; ++i)
    deep.insert(deep.end(), {1, 1, 1, 1, 2});
  CHECK(refused(deep));
  for (int i = 0; i < 301; ++i)
    deep.insert(deep.end(), {1, 1, 1, 0, i});
  CHECK(refused(deep));
  CHECK(refused(std::vector<int64_t>(100000, 1)));

  Generator generator(3);
  for (int i = 0; i < 4000; ++i) {
    std::optional<DimExpr> source = build(generator.tree(4));
    if (!source)
      continue;
    const std::vector<int64_t> numbers = source->encode();
    INFO(source->str());
    for (size_t size = 0; size < numbers.size(); ++size)
      REQUIRE_FALSE(DimExpr::decode(numbers.data(), size).has_value());
    std::vector<int64_t> changed = numbers;
    changed[generator.between(0, changed.size() - 1)] =
        generator.between(0, 3) ? generator.between(-2, 8) : generator.between(kMin, kMax);
    std::optional<DimExpr> decoded = DimExpr::decode(changed.data(), changed.size());
    if (decoded)
      REQUIRE(decoded->encode() == changed);
  }
}

TEST_CASE("nesting up to the bound survives the round trips") {
  DimExpr nested = d0;
  unsigned depth = 0;
  for (;;) {
    // A different divisor and offset at each level, so that no level folds away.
    std::optional<DimExpr> next = floordiv(*add(*mul(nested, 2), d1), *add(d2, depth + 2));
    if (!next)
      break;
    nested = *next;
    ++depth;
  }
  CHECK(depth == DimExpr::kMaxDepth);
  checkRoundTrips(nested);
  checkProgram(nested, {1000, 5, 1});
}

TEST_CASE("parse refuses hostile text") {
  auto refused = [](const std::string &text) { return !DimExpr::parse(text).has_value(); };
  auto repeat = [](std::string_view piece, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += piece;
    return text;
  };
  for (const char *text : {"",
                           " ",
                           "d",
                           "d-1",
                           "x",
                           "d0 d1",
                           "d0 +",
                           "+",
                           "*d0",
                           "d0)",
                           "(d0",
                           "()",
                           "floordiv",
                           "floordiv(",
                           "floordiv(d0)",
                           "floordiv(d0, 2, 3)",
                           "floordiv(d0, 2",
                           "max(d0)",
                           "max()",
                           "max(d0,)",
                           "floordiv(d0, 0)",
                           "mod(1, 0)",
                           "9223372036854775808",
                           "-9223372036854775809",
                           "d9223372036854775808",
                           "9223372036854775807 + 1",
                           "--9223372036854775808",
                           "1.5",
                           "0x10",
                           "broadcast(2, 3)",
                           "d0\n",
                           "sin(d0)"}) {
    INFO(text);
    CHECK(refused(text));
  }
  CHECK(refused(std::string("d0\0", 3)));
  CHECK(refused(std::string("\0", 1)));

  // The processor's time: that of the wall is the neighbours' too.
  const std::clock_t start = std::clock();
  CHECK(refused(repeat("(", 60000)));
  CHECK(refused(repeat("(", 1000) + "d0" + repeat(")", 1000)));
  CHECK(refused(repeat("-", 60000) + "d0"));
  CHECK(refused(repeat("max(d0, ", 7000)));
  CHECK(refused(repeat("max(d0, ", 1000) + "d1" + repeat(")", 1000)));
  CHECK(refused("d0" + repeat("*d0", 20000)));
  std::string wide = "d0";
  for (int i = 1; i < 100; ++i)
    wide += " + d" + std::to_string(i);
  CHECK(refused("(" + wide + ")*(" + wide + ")*(" + wide + ")"));
  CHECK(refused("(" + wide + ")" + repeat("*-1", 20000)));
  CHECK(refused("(d0+d1)" + repeat("*(d0-d1)", 8000)));
  CHECK(refused(repeat("floordiv(d0*d1, d0-1) - ", 10000) + "d0"));
  std::string many = "max(d0";
  for (int i = 1; i < 2000; ++i)
    many += ", d" + std::to_string(i);
  CHECK(refused(many + ")"));
  // A bound on the work, loose enough for a slow machine under a sanitizer.
  CHECK(double(std::clock() - start) / CLOCKS_PER_SEC < 60);
}

TEST_CASE("parse of broken text does not break") {
  Generator generator(9);
  const std::string_view alphabet = "d0123456789+-*(), maxinfloorvcebst";
  for (int i = 0; i < 4000; ++i) {
    std::optional<DimExpr> source = build(generator.tree(4));
    if (!source)
      continue;
    std::string text = source->str();
    for (int64_t j = generator.between(1, 3); j > 0; --j)
      text[generator.between(0, text.size() - 1)] =
          alphabet[generator.between(0, alphabet.size() - 1)];
    INFO(text);
    if (std::optional<DimExpr> parsed = DimExpr::parse(text))
      checkRoundTrips(*parsed);
  }
}

TEST_CASE("the content divides every coefficient") {
  CHECK(DimExpr(0).content() == 0);
  CHECK(DimExpr(-6).content() == 6);
  CHECK(DimExpr(kMin).content() == uint64_t(1) << 63);
  CHECK(expr("24*d0 + 12*d1*d1").content() == 12);
  CHECK(expr("24*d0 - 36").content() == 12);
  CHECK(expr("4*d0 + 1").content() == 1);
  CHECK(expr("8*max(d0, 6*d1)").content() == 8);
}

TEST_CASE("element counts and bytes of a million shapes are exact or refused") {
  std::mt19937_64 random(20);
  auto next = [&](uint64_t below) { return random() % below; };
  int refused = 0;
  for (int round = 0; round < 1'000'000; ++round) {
    std::vector<DimExpr> dims;
    // The product exactly while it fits 64 bits; one that does not never fits again.
    Wide count = 1;
    bool fits = true, empty = false;
    for (uint64_t rank = next(9); rank > 0; --rank) {
      int64_t dim = int64_t(random() >> (1 + next(63)));
      dims.push_back(DimExpr(dim));
      empty |= dim == 0;
      if (fits)
        count *= dim;
      fits = fits && count <= std::numeric_limits<int64_t>::max();
    }
    std::optional<DimExpr> found = product(dims);
    if (empty) {
      count = 0;
      fits = true;
    }
    REQUIRE(found.has_value() == fits);
    if (!fits) {
      ++refused;
      continue;
    }
    REQUIRE(Wide(found->constantValue()) == count);
    int64_t width = int64_t(1) << next(4);
    std::optional<DimExpr> bytes = mul(*found, DimExpr(width));
    bool bytesFit = count * width <= std::numeric_limits<int64_t>::max();
    REQUIRE(bytes.has_value() == bytesFit);
    if (bytesFit)
      REQUIRE(Wide(bytes->constantValue()) == count * width);
  }
  // Both sides of the boundary were seen often.
  CHECK(refused > 100'000);
  CHECK(refused < 900'000);
}

TEST_CASE("what a size is at most") {
  auto bound = [](int64_t id) -> std::optional<DimExpr> {
    return id == 9 ? DimExpr::parse("d0 + 2") : std::nullopt;
  };
  auto most = [&](const char *text) {
    std::optional<DimExpr> found = DimExpr::parse(text)->atMost(bound);
    return found ? found->str() : "unknown";
  };
  auto same = [](const char *text) { return DimExpr::parse(text)->str(); };
  CHECK(most("3*d0 - 1") == same("3*d0 - 1"));
  CHECK(most("2*d9*d0 + 3") == same("2*d0*(d0 + 2) + 3"));
  CHECK(most("d9*d9") == same("(d0 + 2)*(d0 + 2)"));
  CHECK(most("d1 - d9") == same("d1"));
  CHECK(most("d1 - floordiv(d9, 2)") == same("d1"));
  CHECK(most("floordiv(d9 + 3, 4)") == same("floordiv(d0 + 5, 4)"));
  CHECK(most("floordiv(d1, d9)") == same("d1"));
  CHECK(most("floordiv(d1, d9 - 1)") == same("d1")); // no more where the divisor is negative
  CHECK(most("d1 - floordiv(6, d9 - 1)") == "unknown");
  CHECK(most("mod(d9, d1)") == same("min(d0 + 2, d1)"));
  CHECK(most("max(d9, 7)") == same("max(d0 + 2, 7)"));
  CHECK(most("min(d9, d1)") == same("min(d0 + 2, d1)"));
  CHECK(most("broadcast(d9, d1)") == same("max(d0 + 2, d1)"));
  CHECK(most("d0*floordiv(d9 - 1*d1, 3)") == "unknown"); // a factor that may be negative
}

TEST_CASE("no value is above what a size is at most") {
  const char *const texts[] = {"d9",
                               "3*d9*d1 - d9 + 2",
                               "floordiv(5*d9 + 1, 3)",
                               "floordiv(d1 + 7, max(d9, 1))",
                               "d1 - 2*d9",
                               "mod(7*d9 + 1, 5)",
                               "max(d9, d1) - min(d9, d1)",
                               "max(d1 - d9, 0)*d9",
                               "d9*d9 - d9",
                               "floordiv(d1, 2*d9 - 5)",
                               "ceildiv(d1, 2*d9 - 5)",
                               "max(d9 - d1, d9 - 4)",
                               "min(d9 - d1, d1 - 2)"};
  for (const char *text : texts) {
    DimExpr size = *DimExpr::parse(text);
    std::optional<DimExpr> most = size.atMost([](int64_t id) -> std::optional<DimExpr> {
      return id == 9 ? std::optional(DimExpr::symbol(0)) : std::nullopt;
    });
    REQUIRE(most);
    for (int64_t d0 = 0; d0 < 6; ++d0)
      for (int64_t d1 = 0; d1 < 6; ++d1)
        for (int64_t d9 = 0; d9 <= d0; ++d9) {
          auto value = [&](int64_t id) -> std::optional<int64_t> {
            return id == 0 ? d0 : id == 1 ? d1 : d9;
          };
          INFO(text << " " << d0 << " " << d1 << " " << d9);
          CHECK(*size.evaluate(value) <= *most->evaluate(value));
        }
  }
}

TEST_CASE("sizes of which symbols count parts") {
  // d1 counts eights.
  auto unit = [](int64_t id) { return id == 1 ? 8 : 1; };
  const std::pair<const char *, const char *> cases[] = {
      {"8*d1", "d1"},
      {"24*d0*d1 + 3", "3*d0*d1 + 3"},
      {"64*d1*d1", "d1*d1"},
      {"4*d1", "floordiv(d1, 2)"},
      {"d1", "floordiv(d1, 8)"},
      {"-12*d1", "-3*floordiv(d1, 2)"},
      {"max(16*d1, d0)", "max(2*d1, d0)"},
      {"floordiv(d1 + d0, 3)", "floordiv(floordiv(d1, 8) + d0, 3)"}};
  for (auto [parts, wholes] : cases) {
    std::optional<DimExpr> found = inWholes(expr(parts), unit);
    REQUIRE(found);
    CHECK(found->str() == expr(wholes).str());
    for (int64_t d0 = 0; d0 < 3; ++d0)
      for (int64_t count = 0; count < 5; ++count)
        CHECK(expr(parts).evaluate([&](int64_t id) { return id == 1 ? count : d0; }) ==
              found->evaluate([&](int64_t id) { return id == 1 ? 8 * count : d0; }));
  }
  std::string deep = "d1";
  for (unsigned i = 0; i < DimExpr::kMaxDepth; ++i)
    deep = "floordiv(" + deep + " + d0, 3)";
  CHECK(!inWholes(expr(deep), unit));
}
