// Instructions over special values, against what the PTX manual says, computed another way than the
// emulator does.
#include "tests/cuda/OneInstruction.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

using namespace keratin::ptx;

namespace {

using Values = std::vector<uint64_t>;

// All results at once, so that a difference names its operands.
void check(const std::string &mnemonic, const std::vector<int> &sizes,
           const std::vector<Values> &operands,
           const std::function<uint64_t(const std::vector<uint64_t> &)> &expected,
           const std::string &last = "") {
  for (bool wide : {true, false}) {
    Values got = evaluate(mnemonic, sizes, operands, last, wide);
    for (size_t k = 0; k < got.size(); ++k) {
      std::vector<uint64_t> x;
      for (const Values &operand : operands)
        x.push_back(operand[k]);
      uint64_t want = expected(x);
      if (got[k] != want) {
        INFO(mnemonic << (wide ? "" : " on any processor") << " of " << std::hex << x[0] << ", "
                      << (x.size() > 1 ? x[1] : 0) << ", " << (x.size() > 2 ? x[2] : 0) << ", "
                      << (x.size() > 3 ? x[3] : 0));
        CHECK(std::to_string(got[k]) == std::to_string(want));
        return;
      }
    }
  }
  CHECK(true);
}

float f32(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
double f64(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t bitsOf(float value) {
  return value != value ? 0x7fffffff : std::bit_cast<uint32_t>(value);
}
uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// Halves and bfloats by a table of all of them.
double halfValue(uint64_t word) {
  int exponent = int(word >> 10 & 31), fraction = int(word & 1023);
  double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return word & 0x8000 ? -value : value;
}
double bfloatValue(uint64_t word) { return f32(word << 16); }

enum class Mode { Nearest, Zero, Down, Up };

// The word of a format whose value is the neighbour of x: found in the sorted table of all finite
// values, with one more place above the last one, so that ties and overflow fall as they should.
uint64_t nearestWord(double (*value)(uint64_t), uint64_t infinity, double overflow, long double x,
                     Mode mode) {
  if (x != x)
    return 0x7fff;
  uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  long double size = std::fabs(x);
  uint64_t low = 0, high = infinity;
  auto place = [&](uint64_t word) {
    return word >= infinity ? (long double)overflow : (long double)value(word);
  };
  if (std::isinf(size))
    return sign | infinity;
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    (place(middle) <= size ? low : high) = middle;
  }
  if (size >= place(high))
    low = high;
  bool exact = place(low) == size && low < infinity, up = false;
  bool outwards = (mode == Mode::Up && !sign) || (mode == Mode::Down && sign);
  long double half = low < infinity ? (place(low) + place(low + 1)) / 2 : 0;
  if (low >= infinity)
    return sign | (mode == Mode::Nearest || outwards ? infinity : infinity - 1);
  up = mode == Mode::Nearest ? size > half || (size == half && (low & 1)) : outwards;
  return sign | (exact ? low : low + up);
}
uint64_t toHalf(long double x, Mode mode = Mode::Nearest) {
  return nearestWord(halfValue, 0x7c00, 65536.0, x, mode);
}
uint64_t toBfloat(long double x, Mode mode = Mode::Nearest) {
  return nearestWord(bfloatValue, 0x7f80, 0x1p128, x, mode);
}

int64_t extend(uint64_t value, int bytes) {
  return int64_t(value << (64 - bytes * 8)) >> (64 - bytes * 8);
}
uint64_t cut(uint64_t value, int bytes) {
  return bytes == 8 ? value : value & ((uint64_t(1) << (bytes * 8)) - 1);
}

} // namespace

TEST_CASE("integer arithmetic wraps, and its upper halves are exact", "[ptx]") {
  for (int bytes : {2, 4, 8}) {
    std::string bits = std::to_string(bytes * 8);
    auto pairs = combinations(specialIntegers(bytes), 2),
         triples = combinations(specialIntegers(bytes), 3);
    std::vector<int> two{bytes, bytes, bytes}, three{bytes, bytes, bytes, bytes};
    check("add.u" + bits, two, pairs, [&](auto &x) { return cut(x[0] + x[1], bytes); });
    check("sub.s" + bits, two, pairs, [&](auto &x) { return cut(x[0] - x[1], bytes); });
    check("mul.lo.s" + bits, two, pairs, [&](auto &x) { return cut(x[0] * x[1], bytes); });
    check("mad.lo.u" + bits, three, triples,
          [&](auto &x) { return cut(x[0] * x[1] + x[2], bytes); });
    check("mul.hi.u" + bits, two, pairs, [&](auto &x) {
      return cut(uint64_t((unsigned __int128)(x[0]) * x[1] >> (bytes * 8)), bytes);
    });
    check("mul.hi.s" + bits, two, pairs, [&](auto &x) {
      return cut(uint64_t((__int128)(extend(x[0], bytes))*extend(x[1], bytes) >> (bytes * 8)),
                 bytes);
    });
    check("min.s" + bits, two, pairs, [&](auto &x) {
      return cut(uint64_t(std::min(extend(x[0], bytes), extend(x[1], bytes))), bytes);
    });
    check("max.u" + bits, two, pairs, [&](auto &x) { return std::max(x[0], x[1]); });
    check("neg.s" + bits, {bytes, bytes}, {pairs[0]},
          [&](auto &x) { return cut(0 - x[0], bytes); });
    check("abs.s" + bits, {bytes, bytes}, {pairs[0]}, [&](auto &x) {
      int64_t value = extend(x[0], bytes);
      return cut(value < 0 ? 0 - uint64_t(value) : uint64_t(value), bytes);
    });
    check("div.u" + bits, two, pairs,
          [&](auto &x) { return x[1] ? x[0] / x[1] : cut(~uint64_t(0), bytes); });
    check("rem.s" + bits, two, pairs, [&](auto &x) {
      int64_t a = extend(x[0], bytes), b = extend(x[1], bytes);
      return b == 0 ? x[0] : b == -1 ? 0 : cut(uint64_t(a % b), bytes);
    });
    check("sad.s" + bits, three, triples, [&](auto &x) {
      __int128 a = extend(x[0], bytes), b = extend(x[1], bytes);
      return cut(x[2] + uint64_t(a < b ? b - a : a - b), bytes);
    });
  }
  auto pairs = combinations(specialIntegers(4), 2);
  check("mul.wide.s32", {8, 4, 4}, pairs,
        [](auto &x) { return uint64_t(extend(x[0], 4) * extend(x[1], 4)); });
  check("mul.wide.u32", {8, 4, 4}, pairs, [](auto &x) { return x[0] * x[1]; });
  check("add.sat.s32", {4, 4, 4}, pairs, [](auto &x) {
    return cut(
        uint64_t(std::clamp<int64_t>(extend(x[0], 4) + extend(x[1], 4), INT32_MIN, INT32_MAX)), 4);
  });
}

TEST_CASE("shifts clamp and funnels wrap or clamp", "[ptx]") {
  for (int bytes : {2, 4, 8}) {
    std::string bits = std::to_string(bytes * 8);
    auto pairs = combinations(specialIntegers(bytes), 2);
    Values amounts =
        combinations({0, 1, 5, 15, 16, 31, 32, 33, 63, 64, 65, 1000, 0xffffffff}, 1)[0];
    amounts.resize(pairs[0].size());
    for (size_t i = 0; i < amounts.size(); ++i)
      amounts[i] = Values{0, 1, 5, 15, 16, 31, 32, 33, 63, 64, 65, 1000, 0xffffffff}[i % 13];
    uint64_t width = uint64_t(bytes) * 8;
    check("shl.b" + bits, {bytes, bytes, 4}, {pairs[0], amounts},
          [&](auto &x) { return x[1] >= width ? 0 : cut(x[0] << x[1], bytes); });
    check("shr.u" + bits, {bytes, bytes, 4}, {pairs[0], amounts},
          [&](auto &x) { return x[1] >= width ? 0 : x[0] >> x[1]; });
    check("shr.s" + bits, {bytes, bytes, 4}, {pairs[0], amounts}, [&](auto &x) {
      return cut(uint64_t(extend(x[0], bytes) >> std::min<uint64_t>(x[1], width - 1)), bytes);
    });
  }
  auto triples = combinations({0, 1, 31, 32, 33, 63, 0x80000000, 0x12345678, 0xffffffff}, 3);
  auto funnel = [](uint64_t a, uint64_t b) { return b << 32 | a; };
  check("shf.l.wrap.b32", {4, 4, 4, 4}, triples, [&](auto &x) {
    return cut(uint64_t(((unsigned __int128)funnel(x[0], x[1]) << (x[2] & 31)) >> 32), 4);
  });
  check("shf.r.wrap.b32", {4, 4, 4, 4}, triples,
        [&](auto &x) { return cut(funnel(x[0], x[1]) >> (x[2] & 31), 4); });
  check("shf.r.clamp.b32", {4, 4, 4, 4}, triples,
        [&](auto &x) { return cut(funnel(x[0], x[1]) >> std::min<uint64_t>(x[2], 32), 4); });
  check("shf.l.clamp.b32", {4, 4, 4, 4}, triples,
        [&](auto &x) { return x[2] >= 32 ? x[0] : cut(funnel(x[0], x[1]) << x[2] >> 32, 4); });
}

TEST_CASE("fields and bits follow the manual bit by bit", "[ptx]") {
  for (int bytes : {4, 8}) {
    std::string bits = std::to_string(bytes * 8);
    int msb = bytes * 8 - 1;
    Values words = bytes == 4 ? Values{0, 1, 0x80000000, 0x89abcdef, 0xffffffff, 0x7fffffff}
                              : Values{0, 1, 0x8000000000000000, 0x0123456789abcdef, ~uint64_t(0)};
    Values places{0, 1, 7, 31, 32, 33, 63, 64, 200, 255, 256 + 4};
    std::vector<Values> operands(3), inserted(4);
    for (uint64_t word : words)
      for (uint64_t position : places)
        for (uint64_t length : places) {
          operands[0].push_back(word), operands[1].push_back(position),
              operands[2].push_back(length);
          inserted[0].push_back(word), inserted[1].push_back(~word & cut(~uint64_t(0), bytes)),
              inserted[2].push_back(position), inserted[3].push_back(length);
        }
    auto extract = [&](bool isSigned) {
      return [=](const std::vector<uint64_t> &x) {
        int position = int(x[1] & 255), length = int(x[2] & 255);
        uint64_t sign = isSigned && length ? x[0] >> std::min(position + length - 1, msb) & 1 : 0,
                 d = 0;
        for (int i = 0; i <= msb; ++i)
          d |= (i < length && position + i <= msb ? x[0] >> (position + i) & 1 : sign) << i;
        return d;
      };
    };
    check("bfe.u" + bits, {bytes, bytes, 4, 4}, operands, extract(false));
    check("bfe.s" + bits, {bytes, bytes, 4, 4}, operands, extract(true));
    check("bfi.b" + bits, {bytes, bytes, bytes, 4, 4}, inserted, [&](auto &x) {
      int position = int(x[2] & 255), length = int(x[3] & 255);
      uint64_t f = x[1];
      for (int i = 0; i < length && position + i <= msb; ++i)
        f = (f & ~(uint64_t(1) << (position + i))) | (x[0] >> i & 1) << (position + i);
      return f;
    });
    auto one = combinations(specialIntegers(bytes), 1);
    check("popc.b" + bits, {4, bytes}, one, [](auto &x) { return uint64_t(std::popcount(x[0])); });
    check("clz.b" + bits, {4, bytes}, one,
          [&](auto &x) { return uint64_t(std::countl_zero(x[0]) - (64 - bytes * 8)); });
    check("bfind.s" + bits, {4, bytes}, one, [&](auto &x) {
      uint64_t word = extend(x[0], bytes) < 0 ? cut(~x[0], bytes) : x[0];
      return word ? uint64_t(63 - std::countl_zero(word)) : 0xffffffff;
    });
    check("bfind.shiftamt.u" + bits, {4, bytes}, one, [&](auto &x) {
      return x[0] ? uint64_t(std::countl_zero(x[0]) - (64 - bytes * 8)) : 0xffffffff;
    });
    check("brev.b" + bits, {bytes, bytes}, one, [&](auto &x) {
      uint64_t d = 0;
      for (int i = 0; i <= msb; ++i)
        d |= (x[0] >> i & 1) << (msb - i);
      return d;
    });
  }
}

TEST_CASE("prmt and lop3 look up bytes and bits", "[ptx]") {
  std::vector<Values> operands(3);
  for (uint64_t a : {0x03020100u, 0x83828180u, 0xffffffffu})
    for (uint64_t b : {0x07060504u, 0xf7e6d5c4u})
      for (uint64_t c : {0x3210u, 0x7654u, 0x0123u, 0xfedcu, 0x8888u, 0x5410u, 0u, 1u, 2u, 3u})
        operands[0].push_back(a), operands[1].push_back(b), operands[2].push_back(c);
  auto byte = [](const std::vector<uint64_t> &x, int i) {
    return (x[1] << 32 | x[0]) >> (8 * i) & 255;
  };
  check("prmt.b32", {4, 4, 4, 4}, operands, [&](auto &x) {
    uint64_t d = 0;
    for (int i = 0; i < 4; ++i) {
      uint64_t selector = x[2] >> (4 * i) & 15, chosen = byte(x, int(selector & 7));
      d |= (selector & 8 ? (chosen & 128 ? 255 : 0) : chosen) << (8 * i);
    }
    return d;
  });
  // The manual's tables: the source bytes of d, highest first.
  struct Table {
    const char *mode;
    int bytes[4][4];
  };
  for (const Table &table :
       {Table{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
        Table{"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
        Table{"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
        Table{"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
        Table{"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
        Table{"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}})
    check(std::string("prmt.b32.") + table.mode, {4, 4, 4, 4}, operands, [&](auto &x) {
      uint64_t d = 0;
      for (int i = 0; i < 4; ++i)
        d = d << 8 | byte(x, table.bytes[x[2] & 3][i]);
      return d;
    });
  for (int lut : {0x96, 0xe8, 0x80, 0xfe, 0xca, 0x01, 0x00})
    check(
        "lop3.b32", {4, 4, 4, 4},
        combinations({0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0, 0xffffffff}, 3),
        [&](auto &x) {
          uint64_t d = 0;
          for (int i = 0; i < 32; ++i)
            d |=
                uint64_t(lut >> ((x[0] >> i & 1) << 2 | (x[1] >> i & 1) << 1 | (x[2] >> i & 1)) & 1)
                << i;
          return d;
        },
        ", " + std::to_string(lut));
}

TEST_CASE("comparisons know NaN", "[ptx]") {
  auto pairs = combinations(specialFloats(), 2);
  struct Relation {
    const char *name;
    bool (*holds)(float, float);
  };
  for (const Relation &relation :
       {Relation{"eq", [](float a, float b) { return a == b; }},
        Relation{"ne", [](float a, float b) { return a < b || a > b; }},
        Relation{"lt", [](float a, float b) { return a < b; }},
        Relation{"ge", [](float a, float b) { return a >= b; }},
        Relation{"equ", [](float a, float b) { return !(a < b || a > b); }},
        Relation{"neu", [](float a, float b) { return a != b; }},
        Relation{"ltu", [](float a, float b) { return !(a >= b); }},
        Relation{"gtu", [](float a, float b) { return !(a <= b); }},
        Relation{"num", [](float a, float b) { return !std::isnan(a) && !std::isnan(b); }},
        Relation{"nan", [](float a, float b) { return std::isnan(a) || std::isnan(b); }}})
    check(std::string("setp.") + relation.name + ".f32", {1, 4, 4}, pairs,
          [&](auto &x) { return uint64_t(relation.holds(f32(x[0]), f32(x[1]))); });
  auto integers = combinations(specialIntegers(4), 2);
  check("setp.lt.s32", {1, 4, 4}, integers,
        [](auto &x) { return uint64_t(extend(x[0], 4) < extend(x[1], 4)); });
  check("setp.hi.u32", {1, 4, 4}, integers, [](auto &x) { return uint64_t(x[0] > x[1]); });
  auto flags = integers;
  flags.push_back(Values(integers[0].size()));
  for (size_t i = 0; i < flags[2].size(); ++i)
    flags[2][i] = i / 7 % 2;
  check("setp.ge.and.s32", {1, 4, 4, 1}, flags,
        [](auto &x) { return uint64_t(extend(x[0], 4) >= extend(x[1], 4)) & x[2]; });
  check("setp.eq.xor.u32", {1, 4, 4, 1}, flags,
        [](auto &x) { return uint64_t(x[0] == x[1]) ^ x[2]; });
  check("selp.b32", {4, 4, 4, 1}, flags, [](auto &x) { return x[2] ? x[0] : x[1]; });
  check("set.lt.u32.s32", {4, 4, 4}, integers,
        [](auto &x) { return extend(x[0], 4) < extend(x[1], 4) ? 0xffffffff : 0; });
}

TEST_CASE("arithmetic in f32 and f64 rounds to nearest", "[ptx]") {
  auto pairs = combinations(specialFloats(), 2);
  check("add.rn.f32", {4, 4, 4}, pairs,
        [](auto &x) { return bitsOf(float(double(f32(x[0])) + double(f32(x[1])))); });
  check("mul.f32", {4, 4, 4}, pairs,
        [](auto &x) { return bitsOf(float(double(f32(x[0])) * double(f32(x[1])))); });
  check("div.rn.f32", {4, 4, 4}, pairs,
        [](auto &x) { return bitsOf(float(double(f32(x[0])) / double(f32(x[1])))); });
  check("sqrt.rn.f32", {4, 4}, {pairs[0]},
        [](auto &x) { return bitsOf(float(std::sqrt(double(f32(x[0]))))); });
  check("rcp.rn.f32", {4, 4}, {pairs[0]},
        [](auto &x) { return bitsOf(float(1 / double(f32(x[0])))); });
  check("fma.rn.f32", {4, 4, 4, 4}, combinations(specialFloats(), 3),
        [](auto &x) { return bitsOf(std::fma(f32(x[0]), f32(x[1]), f32(x[2]))); });
  check("add.sat.f32", {4, 4, 4}, pairs, [](auto &x) {
    float sum = f32(x[0]) + f32(x[1]);
    return bitsOf(sum > 1 ? 1.0f : sum > 0 ? sum : 0.0f);
  });
  auto flushed = [](float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; };
  check("mul.ftz.f32", {4, 4, 4}, pairs,
        [&](auto &x) { return bitsOf(flushed(flushed(f32(x[0])) * flushed(f32(x[1])))); });
  check("min.f32", {4, 4, 4}, pairs, [](auto &x) {
    float a = f32(x[0]), b = f32(x[1]);
    return a == b ? bitsOf(std::signbit(a) ? a : b) : bitsOf(std::fmin(a, b));
  });
  check("max.NaN.f32", {4, 4, 4}, pairs, [](auto &x) {
    float a = f32(x[0]), b = f32(x[1]);
    return a == b ? bitsOf(std::signbit(a) ? b : a)
                  : bitsOf(a != a || b != b ? NAN : std::fmax(a, b));
  });
  check("testp.subnormal.f32", {1, 4}, {pairs[0]},
        [](auto &x) { return uint64_t(std::fpclassify(f32(x[0])) == FP_SUBNORMAL); });
  check("testp.normal.f32", {1, 4}, {pairs[0]},
        [](auto &x) { return uint64_t(std::isnormal(f32(x[0]))); });
  check("copysign.f32", {4, 4, 4}, pairs,
        [](auto &x) { return (x[0] & 0x80000000) | (x[1] & 0x7fffffff); });
  auto doubles = combinations(specialDoubles(), 2);
  auto same = [](double x) { return x != x ? uint64_t(1) : bitsOf(x); };
  for (auto [name, f] : {std::pair<const char *, double (*)(double, double)>{
                             "add.f64", [](double a, double b) { return a + b; }},
                         {"mul.rn.f64", [](double a, double b) { return a * b; }},
                         {"div.rn.f64", [](double a, double b) { return a / b; }}}) {
    Values got = evaluate(name, {8, 8, 8}, doubles);
    for (size_t k = 0; k < got.size(); ++k)
      REQUIRE(same(f64(got[k])) == same(f(f64(doubles[0][k]), f64(doubles[1][k]))));
  }
}

// The exact sum and product of two floats are doubles or a double and a rest; directed results
// follow from neighbours.
TEST_CASE("arithmetic rounds towards zero, down and up", "[ptx]") {
  auto pairs = combinations(specialFloats(), 2);
  auto directed = [](long double exact, char mode) {
    float nearest = float(exact);
    if (std::isnan(nearest) || std::isinf(exact) || (long double)nearest == exact)
      return nearest;
    bool tooLarge = (long double)nearest > exact;
    bool down = mode == 'm' || (mode == 'z' && exact > 0),
         up = mode == 'p' || (mode == 'z' && exact < 0);
    if (tooLarge && down)
      return std::nextafter(nearest, -INFINITY);
    return !tooLarge && up ? std::nextafter(nearest, INFINITY) : nearest;
  };
  for (char mode : {'z', 'm', 'p'}) {
    std::string suffix = std::string(".r") + mode + ".f32";
    check("mul" + suffix, {4, 4, 4}, pairs, [&](auto &x) {
      long double exact = (long double)f32(x[0]) * f32(x[1]);
      return bitsOf(directed(exact, mode));
    });
    check("add" + suffix, {4, 4, 4}, pairs, [&](auto &x) -> uint64_t {
      float a = f32(x[0]), b = f32(x[1]);
      if (a == -b && a != 0 && std::isfinite(a))
        return mode == 'm' ? 0x80000000 : 0;
      if (a == 0 && b == 0)
        return std::signbit(a) == std::signbit(b) ? x[0] : mode == 'm' ? 0x80000000 : 0;
      // A small operand stands for any that is not zero: the sum of the special values needs fewer
      // than 64 bits, or one operand is beyond the other's last place.
      long double exact = (long double)a + b;
      if (std::isfinite(a) && std::isfinite(b) && exact == a && b != 0)
        exact = std::nextafter(exact, b > 0 ? (long double)INFINITY : -(long double)INFINITY);
      if (std::isfinite(a) && std::isfinite(b) && exact == b && a != 0)
        exact = std::nextafter(exact, a > 0 ? (long double)INFINITY : -(long double)INFINITY);
      return bitsOf(directed(exact, mode));
    });
  }
}

TEST_CASE("half precision is rounded once", "[ptx]") {
  auto halves = combinations(specialHalves(), 2), bfloats = combinations(specialBfloats(), 2);
  auto same = [](uint64_t word) { return word; };
  check("add.f16", {2, 2, 2}, halves,
        [&](auto &x) { return same(toHalf((long double)halfValue(x[0]) + halfValue(x[1]))); });
  check("mul.rn.f16", {2, 2, 2}, halves,
        [&](auto &x) { return toHalf((long double)halfValue(x[0]) * halfValue(x[1])); });
  check("fma.rn.f16", {2, 2, 2, 2}, combinations(specialHalves(), 3), [&](auto &x) {
    return toHalf((long double)halfValue(x[0]) * halfValue(x[1]) + halfValue(x[2]));
  });
  check("fma.rn.bf16", {2, 2, 2, 2}, combinations(specialBfloats(), 3), [&](auto &x) {
    // Where the sum needs more bits than a long double has, its last one says that something
    // follows.
    long double product = (long double)bfloatValue(x[0]) * bfloatValue(x[1]), c = bfloatValue(x[2]),
                sum = product + c;
    if (std::isfinite(sum) && product != 0 && c != 0 && (sum == product || sum == c))
      sum = std::nextafter(sum, (sum == product ? c : product) > 0 ? (long double)INFINITY
                                                                   : -(long double)INFINITY);
    return toBfloat(sum);
  });
  check("add.rn.f16x2", {4, 4, 4},
        combinations({0x3c000001, 0x7c00fc00, 0x00010400, 0xfbff7bff, 0x42483c00}, 2),
        [&](auto &x) {
          auto sum = [&](int shift) {
            return toHalf((long double)halfValue(x[0] >> shift & 0xffff) +
                          halfValue(x[1] >> shift & 0xffff));
          };
          return sum(16) << 16 | sum(0);
        });
  check("min.f16", {2, 2, 2}, halves, [&](auto &x) -> uint64_t {
    double a = halfValue(x[0]), b = halfValue(x[1]);
    if (a != a && b != b)
      return 0x7fff;
    return a != a ? x[1] : b != b ? x[0] : a < b || (a == b && std::signbit(a)) ? x[0] : x[1];
  });
  check("setp.gt.f16", {1, 2, 2}, halves,
        [&](auto &x) { return uint64_t(halfValue(x[0]) > halfValue(x[1])); });
}

TEST_CASE("conversions between floating-point formats", "[ptx]") {
  Values all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  check("cvt.f32.f16", {4, 2}, {all}, [](auto &x) {
    double value = halfValue(x[0]);
    return value != value ? (x[0] & 0x8000) << 16 | 0x7f800000 | (x[0] & 0x3ff) << 13
                          : bitsOf(float(value));
  });
  check("cvt.f32.bf16", {4, 2}, {all}, [](auto &x) {
    float value = f32(x[0] << 16);
    return value != value ? x[0] << 16 : bitsOf(value);
  });
  check("cvt.f64.f16", {8, 2}, {all}, [](auto &x) {
    double value = halfValue(x[0]);
    return value != value ? 0x7ff8000000000000 | (x[0] & 0x8000) << 48 | (x[0] & 0x3ff) << 42
                          : bitsOf(value);
  });
  Values floats = specialFloats();
  for (uint32_t word = 0x33000000; word < 0x48000000; word += 0x1357)
    floats.push_back(word | (word % 3 ? 0 : 0x80000000));
  floats.resize(floats.size() / 64 * 64);
  struct Named {
    const char *name;
    Mode mode;
  };
  for (const Named &mode : {Named{"rn", Mode::Nearest}, Named{"rz", Mode::Zero}}) {
    std::string rounding = std::string("cvt.") + mode.name;
    check(rounding + ".f16.f32", {2, 4}, {floats},
          [&](auto &x) { return toHalf(f32(x[0]), mode.mode); });
    check(rounding + ".bf16.f32", {2, 4}, {floats},
          [&](auto &x) { return toBfloat(f32(x[0]), mode.mode); });
    check(rounding + ".f16x2.f32", {4, 4, 4}, {floats, floats}, [&](auto &x) {
      return toHalf(f32(x[0]), mode.mode) << 16 | toHalf(f32(x[1]), mode.mode);
    });
  }
  check("cvt.rn.f16.f64", {2, 8}, {specialDoubles()}, [](auto &x) { return toHalf(f64(x[0])); });
  check("cvt.rn.f32.f64", {4, 8}, {specialDoubles()},
        [](auto &x) { return bitsOf(float(f64(x[0]))); });
  check("cvt.rz.f32.f64", {4, 8}, {specialDoubles()}, [](auto &x) {
    double value = f64(x[0]);
    float nearest = float(value);
    return bitsOf(std::isfinite(value) && std::fabs(double(nearest)) > std::fabs(value)
                      ? std::nextafter(nearest, 0.0f)
                      : nearest);
  });
  check("cvt.rna.tf32.f32", {4, 4}, {specialFloats()}, [](auto &x) -> uint64_t {
    if (f32(x[0]) != f32(x[0]))
      return 0x7fffffff;
    return std::isinf(f32(x[0])) ? x[0] : (x[0] + 0x1000) & 0xffffe000;
  });
  check("cvt.sat.f32.f32", {4, 4}, {specialFloats()}, [](auto &x) {
    float value = f32(x[0]);
    return bitsOf(value > 1 ? 1.0f : value > 0 ? value : 0.0f);
  });
  check("cvt.rmi.f32.f32", {4, 4}, {specialFloats()},
        [](auto &x) { return bitsOf(std::floor(f32(x[0]))); });
}

TEST_CASE("conversions to integers clamp, from integers round", "[ptx]") {
  struct Named {
    const char *name;
    double (*round)(double);
  };
  for (const Named &mode : {Named{"rni", [](double x) { return std::nearbyint(x); }},
                            Named{"rzi", [](double x) { return std::trunc(x); }},
                            Named{"rmi", [](double x) { return std::floor(x); }},
                            Named{"rpi", [](double x) { return std::ceil(x); }}})
    for (auto [type, bytes, isSigned] : {std::tuple{"s32", 4, true},
                                         {"u32", 4, false},
                                         {"s64", 8, true},
                                         {"u64", 8, false},
                                         {"s16", 2, true},
                                         {"u16", 2, false}}) {
      auto expected = [&, bytes = bytes, isSigned = isSigned](double value, bool wide) -> uint64_t {
        if (value != value)
          return wide || bytes == 8 ? uint64_t(1) << (bytes * 8 - 1) : 0;
        long double whole = mode.round(value), one = std::ldexp(1.0L, bytes * 8 - isSigned);
        whole = std::clamp(whole, isSigned ? -one : 0.0L, one - 1);
        return cut(whole < 0 ? uint64_t(int64_t(whole)) : uint64_t(whole), bytes);
      };
      std::string name = std::string("cvt.") + mode.name + "." + type;
      check(name + ".f32", {bytes, 4}, {specialFloats()},
            [&](auto &x) { return expected(f32(x[0]), false); });
      check(name + ".f64", {bytes, 8}, {specialDoubles()},
            [&](auto &x) { return expected(f64(x[0]), true); });
      check(name + ".f16", {bytes, 2}, {specialHalves()},
            [&](auto &x) { return expected(halfValue(x[0]), false); });
    }
  Values integers = specialIntegers(8);
  for (uint64_t value : Values{0x8000000000000400u, 0x8000008000000000u, 0x8000008000000001u,
                               0x00000000ffffff80u, 0x01000001u})
    integers.push_back(value);
  check("cvt.rn.f32.s64", {4, 8}, {integers},
        [](auto &x) { return bitsOf(float((long double)int64_t(x[0]))); });
  check("cvt.rz.f32.u64", {4, 8}, {integers}, [](auto &x) {
    float nearest = float((long double)x[0]);
    return bitsOf((long double)nearest > (long double)x[0] ? std::nextafter(nearest, 0.0f)
                                                           : nearest);
  });
  check("cvt.rp.f32.s32", {4, 4}, {specialIntegers(4)}, [](auto &x) {
    double value = double(int32_t(x[0]));
    float nearest = float(value);
    return bitsOf(double(nearest) < value ? std::nextafter(nearest, INFINITY) : nearest);
  });
  check("cvt.rn.f16.s64", {2, 8}, {integers},
        [](auto &x) { return toHalf((long double)int64_t(x[0])); });
  check("cvt.rn.f64.u64", {8, 8}, {integers},
        [](auto &x) { return bitsOf(double((long double)x[0])); });
  // Between integers: cut, extended by the source's sign, or clamped.
  check("cvt.s64.s16", {8, 2}, {specialIntegers(2)},
        [](auto &x) { return uint64_t(extend(x[0], 2)); });
  check("cvt.u64.s32", {8, 4}, {specialIntegers(4)},
        [](auto &x) { return uint64_t(extend(x[0], 4)); });
  check("cvt.s32.u8", {4, 4}, {specialIntegers(4)}, [](auto &x) { return x[0] & 255; });
  check("cvt.s32.s8", {4, 4}, {specialIntegers(4)},
        [](auto &x) { return cut(uint64_t(extend(x[0], 1)), 4); });
  check("cvt.s8.s32", {4, 4}, {specialIntegers(4)},
        [](auto &x) { return cut(uint64_t(extend(x[0], 1)), 4); });
  check("cvt.s8.s32", {2, 4}, {specialIntegers(4)},
        [](auto &x) { return cut(uint64_t(extend(x[0], 1)), 2); });
  check("cvt.u8.u32", {2, 4}, {specialIntegers(4)}, [](auto &x) { return x[0] & 255; });
  check("cvt.u16.s16", {2, 2}, {specialIntegers(2)}, [](auto &x) { return x[0]; });
  check("cvt.u32.s32", {4, 4}, {specialIntegers(4)}, [](auto &x) { return x[0]; });
  check("cvt.u16.u64", {2, 8}, {specialIntegers(8)}, [](auto &x) { return cut(x[0], 2); });
  check("cvt.sat.u8.s32", {4, 4}, {specialIntegers(4)},
        [](auto &x) { return uint64_t(std::clamp<int64_t>(extend(x[0], 4), 0, 255)); });
  check("cvt.sat.s16.s64", {2, 8}, {specialIntegers(8)}, [](auto &x) {
    return cut(uint64_t(std::clamp<int64_t>(int64_t(x[0]), -32768, 32767)), 2);
  });
}

TEST_CASE("approximations are close", "[ptx]") {
  Values inputs;
  for (float value = -3.0f; value < 40.0f; value += 0.37f)
    inputs.push_back(std::bit_cast<uint32_t>(value));
  for (auto [name, f] :
       {std::pair<const char *, double (*)(double)>{"ex2", [](double x) { return std::exp2(x); }},
        {"lg2", [](double x) { return std::log2(x); }},
        {"sin", [](double x) { return std::sin(x); }},
        {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
        {"tanh", [](double x) { return std::tanh(x); }}}) {
    Values got = evaluate(std::string(name) + ".approx.f32", {4, 4}, {inputs});
    for (size_t k = 0; k < got.size(); ++k) {
      double want = f(f32(inputs[k]));
      if (want == want)
        CHECK(f32(got[k]) == Approx(want).epsilon(1e-6).margin(1e-6));
      else
        CHECK(std::isnan(f32(got[k])));
    }
  }
  CHECK(evaluate("ex2.approx.ftz.f32", {4, 4}, {Values{std::bit_cast<uint32_t>(-130.0f)}}) ==
        Values{0});
  CHECK(evaluate("div.full.f32", {4, 4, 4}, {Values{0x40c00000}, Values{0x40000000}}) ==
        Values{0x40400000});
  CHECK(evaluate("tanh.approx.f16", {2, 2}, {Values{0x3c00}}) == Values{toHalf(std::tanh(1.0L))});
}
