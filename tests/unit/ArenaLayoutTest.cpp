// Arena layouts against the definition: no two buffers alive at the same time share a byte, all are
// aligned and inside, for every value of the symbols; and against what is live at once.
#include "passes/memory/ArenaLayout.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <iostream>
#include <limits>
#include <random>

using namespace keratin::ir;
using namespace keratin::passes;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
using Sizes = std::vector<int64_t>;

DimExpr expr(std::string_view text) {
  std::optional<DimExpr> parsed = DimExpr::parse(text);
  INFO(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

int64_t valueOf(const DimExpr &expr, const Sizes &symbols) {
  std::optional<int64_t> value = expr.evaluate([&](int64_t id) -> std::optional<int64_t> {
    return id < int64_t(symbols.size()) ? std::optional<int64_t>(symbols[id]) : std::nullopt;
  });
  REQUIRE(value.has_value());
  return *value;
}

// What the layout does at one assignment; `arena` and `live` sum up over many.
struct Usage {
  double arena = 0;
  double live = 0;
  double worst = 1;
};

// REQUIRE in the innermost loop would take most of the time, so the loop counts violations.
void checkLayout(const std::vector<ArenaBuffer> &buffers, const ArenaLayout &layout,
                 const Sizes &symbols, Usage *usage = nullptr) {
  REQUIRE(layout.offsets.size() == buffers.size());
  int64_t total = valueOf(layout.totalBytes, symbols);
  std::vector<int64_t> offsets, bytes;
  int outside = 0, misaligned = 0, overlapping = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    offsets.push_back(valueOf(layout.offsets[i], symbols));
    bytes.push_back(valueOf(buffers[i].bytes, symbols));
    outside += offsets[i] < 0 || bytes[i] > total - offsets[i];
    misaligned += offsets[i] % 64 != 0;
    for (size_t j = 0; j < i; ++j) {
      bool bothLive = buffers[i].live.first <= buffers[j].live.last &&
                      buffers[j].live.first <= buffers[i].live.last;
      overlapping += bothLive && offsets[i] < offsets[j] + bytes[j] &&
                     offsets[j] < offsets[i] + bytes[i] && bytes[i] > 0 && bytes[j] > 0;
    }
  }
  CAPTURE(symbols, layout.totalBytes.str());
  REQUIRE(outside == 0);
  REQUIRE(misaligned == 0);
  REQUIRE(overlapping == 0);
  REQUIRE(total % 64 == 0);
  if (!usage)
    return;
  std::vector<LiveRange> ranges;
  for (const ArenaBuffer &buffer : buffers)
    ranges.push_back(buffer.live);
  int64_t live = maxLiveBytes(ranges, bytes).value();
  REQUIRE(total >= live);
  usage->arena += double(total);
  usage->live += double(live);
  if (live > 0)
    usage->worst = std::max(usage->worst, double(total) / double(live));
}

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t upTo(int64_t high) { return std::uniform_int_distribution<int64_t>(0, high)(engine); }

  // Mostly short lives, some through everything, as activations and saved values are.
  LiveRange range(int64_t length) {
    int64_t first = upTo(length - 1);
    int64_t longest = upTo(3) ? std::min<int64_t>(8, length - 1 - first) : length - 1 - first;
    return {first, first + upTo(longest)};
  }

private:
  std::mt19937_64 engine;
};

} // namespace

TEST_CASE("the most that is live at once is found where ranges begin") {
  CHECK(maxLiveBytes({}, {}) == 0);
  CHECK(maxLiveBytes({{0, 0}, {1, 1}}, {5, 7}) == 7);
  CHECK(maxLiveBytes({{0, 1}, {1, 1}}, {5, 7}) == 12);
  CHECK(maxLiveBytes({{0, 9}, {2, 3}, {4, 5}, {5, 6}}, {1, 10, 20, 30}) == 51);
  CHECK(busiestPosition({{0, 9}, {2, 3}, {4, 5}, {5, 6}}, {1, 10, 20, 30}) == 5);
  CHECK_FALSE(maxLiveBytes({{0, 1}, {1, 1}}, {kMax, 1}).has_value());
}

TEST_CASE("a gap that fits exactly is used") {
  // Two long-lived buffers around one that ends early; the last takes its place.
  std::optional<PackedBuffers> packed =
      packBuffers({64, 128, 64, 128}, {{0, 9}, {0, 3}, {0, 9}, {4, 9}});
  REQUIRE(packed);
  CHECK(packed->total == 256);
  CHECK(packed->offsets[1] == packed->offsets[3]);
}

TEST_CASE("static sizes are rounded up to the alignment") {
  std::optional<ArenaLayout> layout =
      layOutArena({{DimExpr(1), {0, 1}}, {DimExpr(65), {0, 1}}, {DimExpr(0), {0, 1}}});
  REQUIRE(layout);
  CHECK(layout->totalBytes == DimExpr(192));
  checkLayout({{DimExpr(1), {0, 1}}, {DimExpr(65), {0, 1}}, {DimExpr(0), {0, 1}}}, *layout, {});
}

TEST_CASE("sizes of one symbol are packed against each other") {
  // Activations of a perceptron: 256, 128 and 10 floats a row; the first ends before the third.
  std::vector<ArenaBuffer> buffers{
      {expr("1024*d0"), {0, 1}}, {expr("512*d0"), {1, 2}}, {expr("40*d0"), {2, 3}}};
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  REQUIRE(layout);
  for (int64_t batch : {0, 1, 2, 7, 32, 1000}) {
    checkLayout(buffers, *layout, {batch});
    CHECK(valueOf(layout->totalBytes, {batch}) <= 1536 * batch + 64);
  }
}

TEST_CASE("a buffer that ends between two multiples of 64 costs at most 64 bytes") {
  std::vector<ArenaBuffer> buffers{
      {expr("4*d0"), {0, 3}}, {expr("12*d0"), {0, 3}}, {expr("20*d0"), {1, 2}}};
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  REQUIRE(layout);
  for (int64_t batch = 0; batch < 200; ++batch) {
    checkLayout(buffers, *layout, {batch});
    CHECK(valueOf(layout->totalBytes, {batch}) <= 36 * batch + 4 * 64);
  }
}

TEST_CASE("sizes that share no factor take turns where their lives allow it") {
  std::vector<ArenaBuffer> buffers{{expr("4*d0"), {0, 1}},
                                   {expr("4*d1"), {2, 3}},
                                   {expr("4*d0*d1"), {3, 4}},
                                   {expr("4*max(d0, 7)"), {4, 5}}};
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  REQUIRE(layout);
  CHECK(layout->offsets[0] == layout->offsets[1]);
  CHECK(layout->offsets[0] != layout->offsets[2]);
  for (int64_t a : {0, 1, 9, 100})
    for (int64_t b : {0, 3, 64})
      checkLayout(buffers, *layout, {a, b});
}

TEST_CASE("gradients of weights take the room that activations leave") {
  // Forwards six layers are saved; backwards one after the other ends while a gradient of static
  // size stays until all variables are updated.
  std::vector<ArenaBuffer> buffers;
  std::vector<LiveRange> ranges;
  constexpr int64_t kLayers = 6;
  for (int64_t i = 0; i < kLayers; ++i) {
    buffers.push_back({expr("4096*d0"), {i, 2 * kLayers - i}});
    buffers.push_back({DimExpr(65536), {2 * kLayers - i, 2 * kLayers + 1}});
  }
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  REQUIRE(layout);
  for (int64_t batch : {0, 1, 2, 7, 16, 31, 32, 33, 100, 1000})
    checkLayout(buffers, *layout, {batch});
  Usage usage;
  checkLayout(buffers, *layout, {32}, &usage);
  CAPTURE(layout->totalBytes.str());
  // In regions of their own they would need 1.38 times as much as is live.
  CHECK(usage.arena / usage.live < 1.01);
}

TEST_CASE("a factor that could be negative moves nothing into its neighbours") {
  std::vector<ArenaBuffer> buffers{
      {expr("64*d0 - 128"), {0, 3}}, {expr("64*d0 - 128"), {0, 3}}, {expr("4*d0"), {0, 3}}};
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  REQUIRE(layout);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t size : {0, 1, 2})
      CHECK(valueOf(layout->offsets[i], {size}) >= 0);
  checkLayout(buffers, *layout, {2});
  checkLayout(buffers, *layout, {50});
}

TEST_CASE("what does not fit 64 bits is refused") {
  CHECK_FALSE(layOutArena({{DimExpr(kMax), {0, 0}}}));
  CHECK_FALSE(layOutArena({{DimExpr(kMax - 63), {0, 1}}, {DimExpr(64), {0, 1}}}));
  CHECK_FALSE(layOutArena({{DimExpr(-1), {0, 0}}}));
  DimExpr huge = mul(DimExpr::symbol(0), kMax / 2).value();
  CHECK_FALSE(layOutArena({{huge, {0, 1}}, {huge, {0, 1}}, {huge, {0, 1}}}));
  // Not alive together: no sum is needed.
  CHECK(layOutArena({{DimExpr(kMax - 63), {0, 0}}, {DimExpr(64), {1, 1}}}));
}

TEST_CASE("random static lifetimes") {
  Random random(11);
  Usage usage;
  for (int64_t done = 0; done < 50'000;) {
    int64_t count = 1 + random.upTo(60);
    std::vector<ArenaBuffer> buffers;
    for (int64_t i = 0; i < count; ++i)
      buffers.push_back({DimExpr(random.upTo(3) ? 64 * random.upTo(64) : random.upTo(5000)),
                         random.range(1 + count)});
    std::optional<ArenaLayout> layout = layOutArena(buffers);
    REQUIRE(layout);
    checkLayout(buffers, *layout, {}, &usage);
    done += count;
  }
  std::cout << "arena / max live, static sizes: " << usage.arena / usage.live << " (worst "
            << usage.worst << ")\n";
  CHECK(usage.arena / usage.live < 1.10);
}

TEST_CASE("random symbolic lifetimes") {
  const std::vector<DimExpr> factors{expr("d0"),           expr("d0*d1"),          expr("d1 + 1"),
                                     expr("d0*d0 + 3*d1"), expr("max(d0, d1)"),    expr("d2 - 2"),
                                     expr("d0*d1*d2"),     expr("floordiv(d2, 3)")};
  Random random(12);
  Usage oneSymbol, anySymbol;
  for (int64_t done = 0; done < 50'000;) {
    int64_t count = 1 + random.upTo(50);
    // Half of the functions have one batch size, as most models do.
    bool batchOnly = random.upTo(1);
    std::vector<ArenaBuffer> buffers;
    for (int64_t i = 0; i < count; ++i) {
      int64_t factor = random.upTo(2) ? 4 * (1 + random.upTo(300)) : 256 * (1 + random.upTo(8));
      const DimExpr &unit = batchOnly ? factors[0] : factors[random.upTo(factors.size() - 1)];
      DimExpr bytes = !batchOnly && random.upTo(4) == 0 ? DimExpr(factor) : *mul(unit, factor);
      buffers.push_back({bytes, random.range(1 + count)});
    }
    std::optional<ArenaLayout> layout = layOutArena(buffers);
    REQUIRE(layout);
    Usage small;
    for (const Sizes &symbols : {Sizes{0, 0, 2}, Sizes{1, 1, 3}, Sizes{7, 2, 1000}})
      checkLayout(buffers, *layout, symbols, &small);
    checkLayout(buffers, *layout, {32, 33, 34}, batchOnly ? &oneSymbol : &anySymbol);
    checkLayout(buffers, *layout, {random.upTo(2000), random.upTo(2000), 2 + random.upTo(2000)});
    done += count;
  }
  std::cout << "arena / max live, one symbol: " << oneSymbol.arena / oneSymbol.live << " (worst "
            << oneSymbol.worst << "), several: " << anySymbol.arena / anySymbol.live << " (worst "
            << anySymbol.worst << ")\n";
  CHECK(oneSymbol.arena / oneSymbol.live < 1.15);
}

TEST_CASE("thousands of buffers are laid out in a moment") {
  Random random(13);
  std::vector<ArenaBuffer> buffers;
  for (int64_t i = 0; i < 10'000; ++i) {
    DimExpr bytes = i % 2 ? DimExpr(64 * (1 + random.upTo(100)))
                          : *mul(DimExpr::symbol(0), 4 * (1 + random.upTo(300)));
    buffers.push_back({bytes, {i, std::min<int64_t>(9'999, i + random.upTo(40))}});
  }
  auto begin = std::chrono::steady_clock::now();
  std::optional<ArenaLayout> layout = layOutArena(buffers);
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  REQUIRE(layout);
  std::cout << "layout of 10,000 buffers: " << spent.count() << " ms\n";
  checkLayout(buffers, *layout, {3});
}

TEST_CASE("tens of thousands of buffers that live long") {
  Random random(14);
  // Above 4,096 of a kind they are placed in the order of time alone.
  constexpr int64_t count = 20'000;
  for (bool symbolic : {false, true}) {
    DimExpr unit = symbolic ? DimExpr::symbol(0) : DimExpr(1);
    std::vector<ArenaBuffer> nested, mixed;
    for (int64_t i = 0; i < count; ++i) {
      nested.push_back({*mul(unit, 64), {i, 2 * count - i}});
      mixed.push_back({*mul(unit, 4 * (1 + random.upTo(300))),
                       {i, i + (random.upTo(3) ? random.upTo(20) : random.upTo(count))}});
    }
    std::optional<ArenaLayout> layout = layOutArena(nested);
    REQUIRE(layout);
    checkLayout(nested, *layout, {3});
    CHECK(valueOf(layout->totalBytes, {3}) == 64 * (symbolic ? 3 : 1) * count);
    layout = layOutArena(mixed);
    REQUIRE(layout);
    Usage usage;
    checkLayout(mixed, *layout, {32}, &usage);
    CHECK(usage.arena / usage.live < 1.5);
  }
}
