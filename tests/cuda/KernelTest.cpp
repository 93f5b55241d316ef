// Kernels that nvcc and clang compiled: their results, their traffic, and that mutants of them are
// caught.
#include "tests/cuda/Launcher.h"
#include "tests/cuda/Mutants.h"
#include "tests/cuda/emulator/Formats.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace keratin::ptx;

namespace {

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(int(i * 37 % 101) - 50) / 8;
  return values;
}

void requireNoFault(const std::optional<Fault> &fault) {
  INFO((fault ? fault->message : ""));
  REQUIRE_FALSE(fault);
}

// Each kernel on inputs that show a mistake: whether its result is right, or the fault.
struct Trial {
  std::optional<Fault> fault;
  bool right = false;
};

Trial trySaxpy(Launcher &on) {
  std::vector<float> x = ramp(1000), y = ramp(1000);
  uint64_t yAt = on.upload(y), xAt = on.upload(x);
  Trial trial{on.run("saxpy", {4}, {256}, Arguments().add(yAt).add(xAt).add(2.0f).add(1000))};
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = 2.0f * x[i] + y[i];
  trial.right = on.download<float>(yAt, 1000) == y;
  return trial;
}

Trial trySum(Launcher &on) {
  std::vector<float> x = ramp(1000);
  uint64_t sums = on.memory->allocate(16), xAt = on.upload(x);
  Trial trial{on.run("sum", {4}, {256}, Arguments().add(sums).add(xAt).add(1000))};
  std::vector<float> got = on.download<float>(sums, 4);
  float all = std::accumulate(x.begin(), x.end(), 0.0f);
  trial.right = std::fabs(got[0] + got[1] + got[2] + got[3] - all) < 1e-3f;
  return trial;
}

Trial tryTranspose(Launcher &on, const char *kernel) {
  std::vector<float> x = ramp(64 * 64);
  uint64_t y = on.memory->allocate(64 * 64 * 4), xAt = on.upload(x);
  Trial trial{on.run(kernel, {2, 2}, {32, 8}, Arguments().add(y).add(xAt).add(64))};
  std::vector<float> got = on.download<float>(y, 64 * 64);
  trial.right = true;
  for (size_t r = 0; r < 64; ++r)
    for (size_t c = 0; c < 64; ++c)
      trial.right &= got[c * 64 + r] == x[r * 64 + c];
  return trial;
}

Trial tryScan(Launcher &on) {
  std::vector<int> x(700), expected(700);
  std::iota(x.begin(), x.end(), -300);
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] = x[i] + (i % 256 ? expected[i - 1] : 0);
  uint64_t y = on.memory->allocate(2800), xAt = on.upload(x);
  Trial trial{on.run("scan", {3}, {256}, Arguments().add(y).add(xAt).add(700), 1024)};
  trial.right = on.download<int>(y, 700) == expected;
  return trial;
}

// One input is shorter than what all blocks take at once: some threads have nothing to do.
Trial tryHistogram(Launcher &on) {
  Trial trial{std::nullopt, true};
  for (size_t size : {3001, 300}) {
    std::vector<uint8_t> x(size);
    std::vector<uint32_t> expected(256);
    for (size_t i = 0; i < x.size(); ++i)
      ++expected[x[i] = uint8_t(i * i / 7)];
    uint64_t counts = on.upload(std::vector<uint32_t>(256)), xAt = on.upload(x);
    trial.fault = on.run("histogram", {3}, {256}, Arguments().add(counts).add(xAt).add(int(size)));
    trial.right &= on.download<uint32_t>(counts, 256) == expected;
    if (trial.fault)
      break;
  }
  return trial;
}

// Every term and every sum is exact. A product of nothing is zero and reads nothing.
Trial tryProduct(Launcher &on) {
  constexpr int n = 64;
  std::vector<float> a = ramp(n * n), b = ramp(n * n);
  uint64_t y = on.memory->allocate(n * n * 4);
  Trial trial{on.run("product", {1, 1}, {256},
                     Arguments().add(y).add(on.upload(a)).add(on.upload(b)).add(n))};
  std::vector<float> got = on.download<float>(y, n * n);
  trial.right = true;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[size_t(r * n + k)] * b[size_t(k * n + c)];
      trial.right &= got[size_t(r * n + c)] == sum;
    }
  uint64_t nothing = on.memory->allocate(0);
  if (!trial.fault)
    trial.fault =
        on.run("product", {1, 1}, {256}, Arguments().add(y).add(nothing).add(nothing).add(0));
  return trial;
}

Trial tryProductF16(Launcher &on) {
  constexpr int n = 64;
  Trial trial{std::nullopt, true};
  for (int depth : {128, 32, 0}) { // more steps than stages, fewer, none
    std::vector<uint16_t> a(size_t(n * depth)), b(size_t(n * depth));
    for (int i = 0; i < n * depth; ++i) {
      a[size_t(i)] = toHalf(float(i * 7 % 31 - 15) / 4);
      b[size_t(i)] = toHalf(float(i * 5 % 29 - 14) / 4);
    }
    uint64_t y = on.memory->allocate(n * n * 4), aAt = on.upload(a), bAt = on.upload(b);
    trial.fault =
        on.run("productF16", {1, 1}, {128}, Arguments().add(y).add(aAt).add(bAt).add(n).add(depth));
    if (trial.fault)
      break;
    std::vector<float> got = on.download<float>(y, n * n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        float sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += fromHalf(a[size_t(r * depth + k)]) * fromHalf(b[size_t(c * depth + k)]);
        trial.right &= got[size_t(r * n + c)] == sum;
      }
  }
  return trial;
}

const char *const producers[] = {"simple.nvcc.ptx", "simple.clang.ptx"};

// Runs all mutants of one kernel; gives those that nobody noticed.
std::vector<std::string> unnoticed(const std::string &file, const std::string &kernel,
                                   Trial (*trial)(Launcher &), size_t *count) {
  std::string text = readKernels(file);
  std::vector<std::string> survivors;
  for (const Mutant &mutant : mutants(text)) {
    // Lines of other kernels make no difference.
    size_t begin = text.find(".entry " + kernel + "("), end = text.find("\n}", begin);
    long first = std::count(text.begin(), text.begin() + long(begin), '\n');
    long last = std::count(text.begin(), text.begin() + long(end), '\n');
    if (mutant.line < first || mutant.line > last)
      continue;
    ++*count;
    bool caught = false;
    for (Order order : {Order::Fixed, Order::Reversed}) {
      Launcher on(mutant.text);
      on.options.warps = on.options.blocks = order;
      on.options.maxInstructions = 1 << 22;
      Trial result = trial(on);
      caught |= result.fault || !result.right;
    }
    if (!caught)
      survivors.push_back(std::to_string(mutant.line) + " " + mutant.what);
  }
  return survivors;
}

} // namespace

TEST_CASE("kernels of nvcc and clang compute what they should in any order", "[ptx]") {
  for (const char *file : producers)
    for (Order order : {Order::Fixed, Order::Reversed, Order::Seeded}) {
      INFO(file);
      Launcher on = Launcher::fromFile(file);
      on.options.blocks = on.options.warps = order;
      on.options.seed = 7;
      for (Trial (*trial)(Launcher &) : {trySaxpy, trySum, tryScan, tryHistogram, tryProduct}) {
        Trial result = trial(on);
        requireNoFault(result.fault);
        CHECK(result.right);
      }
      for (const char *kernel : {"transpose32", "transpose33"}) {
        Trial result = tryTranspose(on, kernel);
        requireNoFault(result.fault);
        CHECK(result.right);
      }
    }
}

TEST_CASE("functions, loops of each lane's own length and switches", "[ptx]") {
  for (const char *file : producers) {
    INFO(file);
    Launcher on = Launcher::fromFile(file);
    uint64_t y = on.memory->allocate(400);
    requireNoFault(on.run("steps", {4}, {32}, Arguments().add(y).add(100)));
    std::vector<int> got = on.download<int>(y, 100);
    for (int i = 0; i < 100; ++i) {
      int x = i + 1, steps = 0;
      for (; x != 1; ++steps)
        x = x % 2 ? 3 * x + 1 : x / 2;
      CHECK(got[size_t(i)] == steps);
    }
    std::vector<int> choices(100);
    for (size_t i = 0; i < choices.size(); ++i)
      choices[i] = int(i * i % 8);
    requireNoFault(
        on.run("choose", {4}, {32}, Arguments().add(y).add(on.upload(choices)).add(100)));
    got = on.download<int>(y, 100);
    for (int i = 0; i < 100; ++i) {
      const int expected[] = {7 * i, i * i, i - 3, i ^ 55, 1 << (i & 7), -i, 0, 0};
      CHECK(got[size_t(i)] == expected[choices[size_t(i)]]);
    }
  }
}

TEST_CASE("variables of a module keep their values between launches", "[ptx]") {
  for (const char *file : producers) {
    Launcher on = Launcher::fromFile(file);
    std::vector<float> x{1, 2, 4, 8, 16};
    uint64_t y = on.upload(std::vector<float>(5));
    Arguments arguments = Arguments().add(y).add(on.upload(x)).add(5);
    requireNoFault(on.run("smooth", {1}, {32}, arguments));
    CHECK(on.download<float>(y, 5) == std::vector<float>{0, 4.5f, 9, 18, 0});
    requireNoFault(on.run("smooth", {1}, {32}, arguments));
    Memory::Range visits = on.module->variable("visits");
    CHECK(visits.bytes == 16);
    CHECK(on.download<int>(visits.address, 4) == std::vector<int>{21, 22, 23, 24});
  }
}

TEST_CASE("a barrier of the grid makes progress and orders what it should", "[ptx]") {
  for (const char *file : producers)
    for (Order order : {Order::Fixed, Order::Reversed}) {
      Launcher on = Launcher::fromFile(file);
      on.options.cooperative = true;
      on.options.blocks = on.options.warps = order;
      std::vector<float> x(256);
      std::iota(x.begin(), x.end(), 0.0f);
      uint64_t xAt = on.upload(x), y = on.memory->allocate(1024),
               arrived = on.upload(std::vector<uint32_t>(1));
      requireNoFault(on.run("relax", {4}, {64}, Arguments().add(xAt).add(y).add(arrived).add(3)));
      for (int round = 0; round < 3; ++round) {
        std::vector<float> next(256);
        for (size_t i = 0; i < 256; ++i)
          next[i] = x[i] + x[(i + 1) % 256];
        x = next;
      }
      CHECK(on.download<float>(y, 256) == x);
    }
}

TEST_CASE("products on tensor cores", "[ptx]") {
  for (bool permuted : {false, true}) {
    Launcher on = Launcher::fromFile("tensor.nvcc.ptx");
    on.options.permuteMatrix = permuted;
    Trial half = tryProductF16(on);
    requireNoFault(half.fault);
    CHECK(half.right);
    // No conflict of banks, no sector too many.
    CHECK(on.counters.shared.overIdeal() == 1.0);
    // 4 warps, 8 products a step of 16, 10 steps in all.
    CHECK(on.counters.of(Kind::Matrix) == 4 * 8 * 10);
    CHECK(on.counters.of(Kind::LoadMatrix) * 2 == on.counters.of(Kind::Matrix));

    constexpr size_t k = 32;
    std::vector<float> a = ramp(16 * k), b = ramp(k * 8);
    uint64_t y = on.memory->allocate(512);
    requireNoFault(on.run("productTf32", {1}, {32},
                          Arguments().add(y).add(on.upload(a)).add(on.upload(b)).add(int(k))));
    std::vector<float> got = on.download<float>(y, 128);
    std::vector<double> wideA(a.begin(), a.begin() + 8 * k), wideB(b.begin(), b.end());
    requireNoFault(
        on.run("productF64", {1}, {32},
               Arguments().add(y).add(on.upload(wideA)).add(on.upload(wideB)).add(int(k))));
    std::vector<double> gotWide = on.download<double>(y, 64);
    for (size_t r = 0; r < 16; ++r)
      for (size_t c = 0; c < 8; ++c) {
        double sum = 0;
        for (size_t i = 0; i < k; ++i)
          sum += double(a[r * k + i]) * b[i * 8 + c];
        CHECK(got[r * 8 + c] == sum);
        if (r < 8)
          CHECK(gotWide[r * 8 + c] == sum);
      }
  }
}

// Each lane's words of A, then of B, come from memory as they are.
TEST_CASE("tensor cores ignore what tf32 has no room for", "[ptx]") {
  Launcher on(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry multiply(.param .u64 y, .param .u64 x) {
.reg .b32 %r<8>; .reg .f32 %f<5>; .reg .b64 %q<5>;
mov.u32 %r0, %tid.x; mul.wide.u32 %q0, %r0, 16; mul.wide.u32 %q1, %r0, 8;
ld.param.u64 %q2, [y]; ld.param.u64 %q3, [x]; add.u64 %q2, %q2, %q0; add.u64 %q0, %q3, %q0; add.u64 %q1, %q3, %q1;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%q0]; ld.global.v2.u32 {%r5, %r6}, [%q1+512];
mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};
st.global.v4.f32 [%q2], {%f1, %f2, %f3, %f4};
ret;
}
)");
  auto a = [](uint32_t row, uint32_t k) { return float(int(row * 7 + k * 3) % 19 - 9); };
  auto b = [](uint32_t k, uint32_t column) { return float(int(k * 5 + column) % 13 - 6) / 4; };
  std::vector<uint32_t> words;
  auto add = [&](float exact) { words.push_back(std::bit_cast<uint32_t>(exact) | 0x1fff); };
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      add(a(lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4));
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 2; ++i)
      add(b(lane % 4 + i * 4, lane / 4));
  uint64_t y = on.memory->allocate(512);
  requireNoFault(on.run("multiply", {1}, {32}, Arguments().add(y).add(on.upload(words))));
  std::vector<float> got = on.download<float>(y, 128);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      float sum = 1;
      for (uint32_t k = 0; k < 8; ++k)
        sum += a(lane / 4 + i / 2 * 8, k) * b(k, lane % 4 * 2 + i % 2);
      CHECK(got[lane * 4 + i] == sum);
    }
}

TEST_CASE("tensor cores multiply matrices of f64 of every size", "[ptx]") {
  for (uint32_t k : {4u, 8u, 16u}) {
    INFO(k);
    const uint32_t ofA = k / 2, ofB = k / 4;
    auto list = [](const char *name, uint32_t count) {
      std::string text = "{";
      for (uint32_t i = 0; i < count; ++i)
        text += (i ? ", %" : "%") + (name + std::to_string(i));
      return text + "}";
    };
    // A lane's numbers of A, then those of B, one after the other.
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry multiply(.param .u64 y, .param .u64 x) {\n"
                       ".reg .b32 %t; .reg .f64 %a<8>, %b<4>, %c<4>; .reg .b64 %x, %y, %at;\n"
                       "mov.u32 %t, %tid.x; ld.param.u64 %x, [x]; ld.param.u64 %y, [y];\n"
                       "mul.wide.u32 %at, %t, " +
                       std::to_string(8 * (ofA + ofB)) + "; add.u64 %x, %x, %at;\n";
    for (uint32_t i = 0; i < ofA + ofB; ++i)
      text += "ld.global.f64 " +
              (i < ofA ? "%a" + std::to_string(i) : "%b" + std::to_string(i - ofA)) + ", [%x+" +
              std::to_string(8 * i) + "];\n";
    for (uint32_t i = 0; i < 4; ++i)
      text += "mov.f64 %c" + std::to_string(i) + ", 0d3FF0000000000000;\n";
    text += "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f64.f64.f64.f64 " +
            list("c", 4) + ", " + list("a", ofA) + ", " + list("b", ofB) + ", " + list("c", 4) +
            ";\nmul.wide.u32 %at, %t, 32; add.u64 %y, %y, %at;\n";
    for (uint32_t i = 0; i < 4; ++i)
      text += "st.global.f64 [%y+" + std::to_string(8 * i) + "], %c" + std::to_string(i) + ";\n";
    Launcher on(text + "ret;\n}\n");
    auto a = [](uint32_t row, uint32_t depth) { return double(int(row * 7 + depth * 3) % 19 - 9); };
    auto b = [](uint32_t depth, uint32_t column) {
      return double(int(depth * 5 + column) % 13) / 4;
    };
    std::vector<double> numbers;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t i = 0; i < ofA; ++i)
        numbers.push_back(a(lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4));
      for (uint32_t i = 0; i < ofB; ++i)
        numbers.push_back(b(lane % 4 + i * 4, lane / 4));
    }
    uint64_t y = on.memory->allocate(1024);
    requireNoFault(on.run("multiply", {1}, {32}, Arguments().add(y).add(on.upload(numbers))));
    std::vector<double> got = on.download<double>(y, 128);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < 4; ++i) {
        double sum = 1;
        for (uint32_t depth = 0; depth < k; ++depth)
          sum += a(lane / 4 + i / 2 * 8, depth) * b(depth, lane % 4 * 2 + i % 2);
        CHECK(got[lane * 4 + i] == sum);
      }
  }
}

TEST_CASE("a transpose with a pitch of 32 needs 16 times the wavefronts of one with 33", "[ptx]") {
  auto count = [](const char *kernel) {
    Launcher on = Launcher::fromFile("simple.nvcc.ptx");
    tryTranspose(on, kernel);
    CHECK(on.counters.global.overIdeal() == 1.0);
    // Each element is read once and written once.
    CHECK(on.counters.global.onceUnits == on.counters.global.units);
    return on.counters;
  };
  Counters narrow = count("transpose32"), wide = count("transpose33");
  CHECK(wide.shared.overIdeal() == 1.0);
  // Writes of rows are as good; reads of columns meet one bank 32 times.
  CHECK(narrow.shared.units == narrow.shared.idealUnits / 2 * 33);
  CHECK(narrow.shared.overIdeal() > 16);
}

TEST_CASE("counters say what a kernel did", "[ptx]") {
  Launcher on = Launcher::fromFile("simple.nvcc.ptx");
  on.options.countLines = true;
  trySaxpy(on);
  const Counters &counted = on.counters;
  CHECK(counted.launches == 1);
  CHECK(counted.blocks == 4);
  CHECK(counted.global.bytesRead == 8000);
  CHECK(counted.global.bytesWritten == 4000);
  CHECK(counted.global.units == 375);
  CHECK(counted.of(Kind::LoadGlobal) == 64);
  CHECK(counted.of(Kind::FloatFma) == 32);
  CHECK(counted.json().find("\"ld.global\": 64") != std::string::npos);
  CHECK(counted.table().find("ld.global") != std::string::npos);
  uint64_t ofLines = 0;
  for (const auto &[line, counts] : counted.lines)
    ofLines += counts.instructions;
  CHECK(ofLines == counted.instructions);
  Counters twice = counted;
  twice += counted;
  CHECK(twice.instructions == 2 * counted.instructions);
}

TEST_CASE("each barrier, wait and guard that is left out is noticed", "[ptx]") {
  struct Subject {
    const char *file, *kernel;
    Trial (*trial)(Launcher &);
    size_t least, harmless;
  };
  for (const Subject &subject : {Subject{"simple.nvcc.ptx", "saxpy", trySaxpy, 1, 0},
                                 Subject{"simple.nvcc.ptx", "scan", tryScan, 4, 1},
                                 Subject{"simple.nvcc.ptx", "product", tryProduct, 2, 2},
                                 Subject{"simple.nvcc.ptx", "histogram", tryHistogram, 3, 0},
                                 Subject{"simple.clang.ptx", "saxpy", trySaxpy, 1, 0},
                                 Subject{"simple.clang.ptx", "scan", tryScan, 4, 1},
                                 Subject{"tensor.nvcc.ptx", "productF16", tryProductF16, 2, 4}}) {
    size_t count = 0;
    INFO(subject.file << " " << subject.kernel);
    std::vector<std::string> survivors =
        unnoticed(subject.file, subject.kernel, subject.trial, &count);
    INFO(Catch::StringMaker<std::vector<std::string>>::convert(survivors));
    // Harmless are the scan's last barrier, after which each thread reads what it wrote itself, and
    // guards against threads beyond the block's size.
    CHECK(survivors.size() == subject.harmless);
    CHECK(count >= subject.least);
  }
}

TEST_CASE("LLVM's intrinsics come through its code generator", "[ptx]") {
  Launcher on = Launcher::fromFile("intrinsics.llc.ptx");
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) * 1e9f;
  uint64_t y = on.upload(std::vector<int>(36, 1000));
  requireNoFault(on.run("k", {1}, {32}, Arguments().add(on.upload(x)).add(y).add(uint64_t(31))));
  std::vector<int> got = on.download<int>(y, 36);
  for (size_t t = 0; t < 32; ++t) {
    // fma(max(min(sqrt x, x), 1) rounded / 3, x, sqrt x) as an integer that saturates
    float root = std::sqrt(x[t]),
          quotient = std::nearbyint(std::fmax(std::fmin(root, x[t]), 1.0f)) / 3.0f;
    float sum = std::fma(quotient, x[t], root);
    int saturated = sum >= 0x1p31f ? 0x7fffffff : int(sum);
    INFO(t);
    if (t % 6 == 0)
      CHECK(got[t + 4] == 7);
    if (t % 6 == 3)
      CHECK(got[t + 4] == saturated);
    if (t % 6 == 4)
      CHECK(got[t + 4] == 99);
    if (t % 6 == 5)
      CHECK(got[t + 4] == int(t));
  }
  // A thread beyond the limit stops the kernel.
  std::optional<Fault> fault =
      on.run("k", {1}, {32}, Arguments().add(on.upload(x)).add(y).add(uint64_t(30)));
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::Trap);
  CHECK(fault->thread == Dim3{31, 0, 0});
}
