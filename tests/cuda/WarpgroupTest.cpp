// wgmma: operands in every layout that a descriptor can say, what a product does with its sums, the
// faults of each missing fence and wait, and a kernel of nvcc's.
#include "tests/cuda/Launcher.h"
#include "tests/cuda/Mutants.h"
#include "tests/cuda/emulator/Formats.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

using namespace keratin::ptx;

namespace {

// The canonical layouts of the PTX manual, as CuTe writes them: a coordinate is taken apart by
// sizes, the first the fastest, and each part goes a stride.
struct Mode {
  uint32_t size, stride;
};
using Modes = std::vector<Mode>;

uint32_t along(const Modes &modes, uint32_t coordinate) {
  uint32_t result = 0;
  for (const Mode &mode : modes) {
    result += coordinate % mode.size * mode.stride;
    coordinate /= mode.size;
  }
  return result;
}

// An operand of so many lines and 32 bytes of depths: in bytes.
struct Layout {
  uint32_t lines;
  uint32_t swizzle; // 0, 32, 64, 128: bytes of a row
  bool isTransposed;
  uint32_t leading, stride;
  uint32_t elementBytes = 2;

  static Layout of(uint32_t lines, uint32_t swizzle, bool isTransposed) {
    uint32_t row = swizzle ? swizzle : 16;
    // Far enough apart for what lies in between, and not tight.
    if (!isTransposed)
      return {lines, swizzle, false, swizzle ? 16 : lines * 16 + 128,
              swizzle ? 8 * row + 1024 : 128};
    if (!swizzle)
      return {lines, 0, true, lines * 16 + 128, 128};
    return {lines, swizzle, true, /*panels*/ 16 * row + 1024, /*depths*/ 8 * row};
  }

  uint32_t place(uint32_t line, uint32_t depth) const {
    constexpr uint32_t big = 1u << 20;
    const uint32_t t = 16 / elementBytes; // elements of 16 bytes
    uint32_t s = stride / elementBytes, l = leading / elementBytes, w = swizzle / 16;
    Modes ofLine, ofDepth;
    if (!isTransposed) {
      ofLine = {{8, swizzle ? w * t : t}, {big, s}};
      ofDepth = swizzle ? Modes{{t, 1}, {big, t}} : Modes{{t, 1}, {2, l}};
    } else if (swizzle) {
      ofLine = {{t, 1}, {w, t}, {big, l}};
      ofDepth = {{8, w * t}, {big, s}};
    } else {
      ofLine = {{t, 1}, {big, s}};
      ofDepth = {{8, t}, {big, l}};
    }
    uint32_t bytes = elementBytes * (along(ofLine, line) + along(ofDepth, depth));
    // Swizzle<log2 w, 4, 3>.
    for (uint32_t bit = 0; w > 1u << bit; ++bit)
      bytes ^= (bytes >> (7 + bit) & 1) << (4 + bit);
    return bytes;
  }
  uint32_t bytes() const {
    uint32_t most = 0;
    for (uint32_t line = 0; line < lines; ++line)
      for (uint32_t depth = 0; depth < 32 / elementBytes; ++depth)
        most = std::max(most, place(line, depth) + elementBytes);
    return (most + 1023) / 1024 * 1024;
  }
  uint64_t descriptor(uint32_t address) const {
    uint64_t form = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return form << 62 | uint64_t(stride / 16) << 32 | uint64_t(leading / 16) << 16 | address / 16;
  }
};

std::string list(const std::string &prefix, uint32_t count) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

// Copies `bytes` of %image to shared memory, does `body`, and writes each thread's sums to %sums.
std::string kernelOf(const std::string &body, uint32_t sums, uint32_t bytes) {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 memory[];\n"
      ".visible .entry k(.param .u64 image, .param .u64 sums, .param .u64 left, .param .u64 right) "
      "{\n.reg .pred %p, %never, %always; .reg .b32 %t, %i, %at, %a<4>; .reg .b64 %image, %sums, "
      "%from, %left, %right; .reg .b16 %h; .reg .f32 %d<" +
      std::to_string(sums) +
      ">;\nld.param.u64 %image, [image]; ld.param.u64 %sums, [sums]; ld.param.u64 %left, [left];\n"
      "ld.param.u64 %right, [right]; mov.u32 %t, %tid.x; shl.b32 %i, %t, 1;\n"
      "setp.ne.u32 %never, %t, %t; setp.eq.u32 %always, %t, %t;\n"
      "COPY:\ncvt.u64.u32 %from, %i; add.u64 %from, %from, %image; ld.global.u16 %h, [%from];\n"
      "mov.u32 %at, memory; add.u32 %at, %at, %i; st.shared.u16 [%at], %h;\n"
      "add.u32 %i, %i, 256; setp.lt.u32 %p, %i, " +
      std::to_string(bytes) + "; @%p bra COPY;\n";
  for (uint32_t i = 0; i < sums; ++i)
    text += "mov.f32 %d" + std::to_string(i) + ", 0f3f000000;\n"; // 0.5
  text += body;
  text +=
      "mul.wide.u32 %from, %t, " + std::to_string(4 * sums) + "; add.u64 %sums, %sums, %from;\n";
  for (uint32_t i = 0; i < sums; ++i)
    text += "st.global.f32 [%sums + " + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

const std::string fences =
                      "fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n",
                  waits = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

std::string product(uint32_t n, const std::string &type, const std::string &rest) {
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) +
         (type == "tf32" ? "k8.f32." : "k16.f32.") + type + "." + type + " " + list("%d", n / 2) +
         ", " + rest + ";\n";
}

// Numbers of which all sums are exact.
float left(uint32_t line, uint32_t depth) { return float(int((line * 7 + depth * 3) % 31) - 15); }
float right(uint32_t line, uint32_t depth) {
  return float(int((line * 5 + depth * 11) % 29) - 14) / 2;
}

struct Run {
  std::optional<Fault> fault;
  std::vector<float> sums; // of a thread after the other
  Counters counters;

  float sum(uint32_t n, uint32_t row, uint32_t column) const {
    uint32_t thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    return sums[thread * (n / 2) + column / 8 * 4 + row % 16 / 8 * 2 + column % 2];
  }
};

// `body` with A and B in these layouts, one behind the other.
Run run(const std::string &body, const Layout &a, const Layout &b, bool isBrain = false,
        uint32_t threads = 128, LaunchOptions options = {}, uint32_t depths = 16) {
  uint32_t n = b.lines, second = a.bytes(), bytes = second + b.bytes();
  std::vector<uint16_t> image(bytes / 2);
  auto bits = [&](float value) { return isBrain ? toBfloat(value) : toHalf(value); };
  for (uint32_t depth = 0; depth < depths; ++depth) {
    for (uint32_t line = 0; line < a.lines; ++line)
      image[a.place(line, depth) / 2] = bits(left(line, depth));
    for (uint32_t line = 0; line < b.lines; ++line)
      image[(second + b.place(line, depth)) / 2] = bits(right(line, depth));
  }
  Launcher on(kernelOf(body, n / 2, bytes));
  on.options = options;
  uint64_t sums = on.memory->allocate(threads * n / 2 * 4);
  Run result;
  result.fault = on.run(
      "k", {1}, {threads},
      Arguments().add(on.upload(image)).add(sums).add(a.descriptor(0)).add(b.descriptor(second)),
      bytes);
  if (!result.fault)
    result.sums = on.download<float>(sums, threads * n / 2);
  result.counters = on.counters;
  return result;
}

void requireProduct(const Run &run, uint32_t n, float factor = 1, float added = 0.5f,
                    uint32_t depths = 16) {
  INFO((run.fault ? run.fault->message : ""));
  REQUIRE_FALSE(run.fault);
  uint32_t wrong = 0;
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < n; ++column) {
      float sum = added;
      for (uint32_t depth = 0; depth < depths; ++depth)
        sum += factor * left(row, depth) * right(column, depth);
      wrong += run.sum(n, row, column) != sum;
    }
  CHECK(wrong == 0);
}

std::string transposed(const Layout &a, const Layout &b) {
  return ", " + std::to_string(a.isTransposed) + ", " + std::to_string(b.isTransposed);
}

void expectFault(const std::optional<Fault> &fault, FaultKind kind, const std::string &part) {
  REQUIRE(fault);
  INFO(fault->message);
  CHECK(std::string(name(fault->kind)) == name(kind));
  CHECK(fault->message.find(part) != std::string::npos);
  CHECK(fault->line > 0);
}

const Layout usualA = Layout::of(64, 128, false), usualB = Layout::of(16, 128, false);
const std::string usual = product(16, "f16", "%left, %right, %always, 1, 1, 0, 0");

Run runUsual(const std::string &body, uint32_t threads = 128, LaunchOptions options = {}) {
  return run(body, usualA, usualB, false, threads, options);
}

} // namespace

TEST_CASE("operands of a product lie as their descriptors say", "[ptx]") {
  for (uint32_t swizzle : {0u, 32u, 64u, 128u})
    for (bool isTransposed : {false, true})
      for (bool isA : {false, true}) {
        INFO(swizzle << " " << isTransposed << " " << isA);
        Layout a = isA ? Layout::of(64, swizzle, isTransposed) : Layout::of(64, 128, true);
        Layout b = isA ? Layout::of(128, 64, false) : Layout::of(128, swizzle, isTransposed);
        std::string rest = "%left, %right, %always, 1, 1" + transposed(a, b);
        bool isBrain = swizzle % 64 == 0;
        Run made =
            run(fences + product(128, isBrain ? "bf16" : "f16", rest) + waits, a, b, isBrain);
        requireProduct(made, 128);
        // Of A 64 x 16 halves, of B 128 x 16, once for all warps; chunks of a core matrix meet in
        // no bank where they are swizzled, or follow each other.
        CHECK(made.counters.of(Kind::Matrix) == 4);
        CHECK(made.counters.shared.bytesRead == (64 + 128) * 16 * 2);
        CHECK(made.counters.shared.overIdeal() == 1.0);
      }
}

TEST_CASE("operands in tf32 lie along the depth, and their lowest bits are ignored", "[ptx]") {
  constexpr uint32_t n = 40, depths = 8;
  const std::string text = product(n, "tf32", "%left, %right, %always, 1, -1") +
                           product(n, "tf32", "{%a0, %a1, %a2, %a3}, %right, %always, 1, 1");
  for (uint32_t swizzle : {0u, 32u, 64u, 128u}) {
    INFO(swizzle);
    Layout a = Layout::of(64, swizzle, false), b = Layout::of(n, swizzle, false);
    a.elementBytes = b.elementBytes = 4;
    const uint32_t second = a.bytes(), bytes = second + b.bytes();
    std::vector<uint32_t> image(bytes / 4);
    auto bits = [](float value) { return std::bit_cast<uint32_t>(value) | 0x1fffu; };
    for (uint32_t depth = 0; depth < depths; ++depth) {
      for (uint32_t line = 0; line < 64; ++line)
        image[a.place(line, depth) / 4] = bits(left(line, depth));
      for (uint32_t line = 0; line < n; ++line)
        image[(second + b.place(line, depth)) / 4] = bits(right(line, depth));
    }
    // In registers, of each warp, 32 (lane / 4 + 8 (r % 2)) + lane % 4 + 4 (r / 2): exact in tf32.
    std::string load = "and.b32 %at, %t, 31; and.b32 %i, %at, 3; shr.u32 %at, %at, 2;\n"
                       "mad.lo.u32 %i, %at, 32, %i;\n";
    for (uint32_t r = 0; r < 4; ++r)
      load += "add.u32 %at, %i, " + std::to_string(256 * (r % 2) + 4 * (r / 2)) +
              "; cvt.rn.f32.u32 %d0, %at; mov.b32 %a" + std::to_string(r) + ", %d0;\n";
    Launcher on(
        kernelOf(load + "mov.f32 %d0, 0f3f000000;\n" + fences + text + waits, n / 2, bytes));
    uint64_t sums = on.memory->allocate(128 * n / 2 * 4);
    Run made;
    made.fault = on.run(
        "k", {1}, {128},
        Arguments().add(on.upload(image)).add(sums).add(a.descriptor(0)).add(b.descriptor(second)),
        bytes);
    INFO((made.fault ? made.fault->message : ""));
    REQUIRE_FALSE(made.fault);
    made.sums = on.download<float>(sums, 128 * n / 2);
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t column = 0; column < n; ++column) {
        float sum = 0.5f;
        for (uint32_t depth = 0; depth < depths; ++depth)
          sum += (float(row % 16 * 32 + depth) - left(row, depth)) * right(column, depth);
        wrong += made.sum(n, row, column) != sum;
      }
    CHECK(wrong == 0);
    CHECK(on.counters.shared.overIdeal() == 1.0);
  }
}

TEST_CASE("a step of 16 depths within a row moves the address of its descriptor", "[ptx]") {
  Layout a = Layout::of(64, 128, false), b = Layout::of(64, 128, false);
  std::string body = fences;
  for (uint32_t depth = 0; depth < 64; depth += 16)
    body += product(64, "f16", "%left, %right, %always, 1, 1, 0, 0") +
            "add.u64 %left, %left, 2;\nadd.u64 %right, %right, 2;\n";
  requireProduct(run(body + waits, a, b, false, 128, {}, 64), 64, 1, 0.5f, 64);
}

TEST_CASE("products of every width add, replace and negate", "[ptx]") {
  for (uint32_t n : {8u, 24u, 104u, 256u}) {
    Layout b = Layout::of(n, 128, false);
    std::string rest = "%left, %right, %always, 1, 1, 0, 0";
    requireProduct(run(fences + product(n, "f16", rest) + waits, usualA, b), n);
  }
  auto made = [](const std::string &rest) {
    return runUsual(fences + product(16, "f16", "%left, %right, " + rest) + waits);
  };
  requireProduct(made("%never, 1, 1, 0, 0"), 16, 1, 0);
  requireProduct(made("!%always, 1, 1, 0, 0"), 16, 1, 0);
  requireProduct(made("%always, -1, 1, 0, 0"), 16, -1);
  requireProduct(made("%always, 1, -1, 0, 0"), 16, -1);
  requireProduct(made("%always, -1, -1, 0, 0"), 16, 1);
  // Twice, in two groups; both are done when none may be left.
  requireProduct(runUsual(fences + usual + "wgmma.commit_group.sync.aligned;\n" + usual + waits),
                 16, 2);
}

TEST_CASE("A comes out of registers as for mma.sync", "[ptx]") {
  // Thread by thread from where B's lines are: A is B, of 16 lines for each warp.
  std::string load;
  for (uint32_t r = 0; r < 4; ++r) {
    // Row lane / 4 + 8 (r % 2), depth 2 (lane % 4) + 8 (r / 2), in rows of 32 bytes.
    load += "and.b32 %at, %t, 31; shr.u32 %i, %at, 2; and.b32 %at, %at, 3; shl.b32 %at, %at, 2;\n"
            "shl.b32 %i, %i, 5; add.u32 %at, %at, %i; add.u32 %at, %at, " +
            std::to_string(r % 2 * 256 + r / 2 * 16) +
            ";\nadd.u64 %from, %image, 0; cvt.u64.u32 %sums, %at; add.u64 %from, %from, %sums;\n"
            "ld.global.u32 %a" +
            std::to_string(r) + ", [%from + 2048];\n";
  }
  // Lines of 16 depths one after the other: 32 bytes each.
  constexpr uint32_t n = 16;
  Layout b = Layout::of(n, 0, true);
  std::vector<uint16_t> image(4096 / 2);
  for (uint32_t line = 0; line < n; ++line)
    for (uint32_t depth = 0; depth < 16; ++depth) {
      image[b.place(line, depth) / 2] = toHalf(right(line, depth));
      image[1024 + line * 16 + depth] = toHalf(left(line, depth));
    }
  REQUIRE(b.bytes() <= 2048);
  std::string body = load + "ld.param.u64 %sums, [sums];\n" + fences +
                     product(n, "f16", "{%a0, %a1, %a2, %a3}, %right, %always, 1, 1, 1") + waits;
  Launcher on(kernelOf(body, n / 2, 4096));
  uint64_t sums = on.memory->allocate(128 * n / 2 * 4);
  Run made;
  made.fault = on.run(
      "k", {1}, {128},
      Arguments().add(on.upload(image)).add(sums).add(uint64_t(0)).add(b.descriptor(0)), 4096);
  INFO((made.fault ? made.fault->message : ""));
  REQUIRE_FALSE(made.fault);
  made.sums = on.download<float>(sums, 128 * n / 2);
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < n; ++column) {
      float sum = 0.5f;
      for (uint32_t depth = 0; depth < 16; ++depth)
        sum += left(row % 16, depth) * right(column, depth);
      CHECK(made.sum(n, row, column) == sum);
    }
}

TEST_CASE("registers of a product belong to it until it is waited for", "[ptx]") {
  requireProduct(runUsual(fences + usual + waits), 16);
  const std::string open = fences + usual + "wgmma.commit_group.sync.aligned;\n";
  expectFault(runUsual(open).fault, FaultKind::AsyncProduct,
              "reads the register %d0, which a wgmma.mma_async may still use: no wgmma.wait_group");
  expectFault(runUsual(fences + usual + "wgmma.wait_group.sync.aligned 0;\n").fault,
              FaultKind::AsyncProduct, "reads the register %d0");
  expectFault(runUsual(open + "wgmma.wait_group.sync.aligned 1;\n").fault, FaultKind::AsyncProduct,
              "reads the register %d0");
  expectFault(runUsual(open + "mov.f32 %d3, 0f00000000;\n").fault, FaultKind::AsyncProduct,
              "writes the register %d3");
  // Without checks the sums are those of before.
  LaunchOptions unchecked;
  unchecked.checks = false;
  CHECK(runUsual(open, 128, unchecked).sums[0] == 0.5f);

  const std::string unfenced = "fence.proxy.async;\nbar.sync 0;\n";
  expectFault(runUsual(unfenced + usual + waits).fault, FaultKind::AsyncProduct,
              "is the first product of its warpgroup, with no wgmma.fence since");
  expectFault(runUsual(fences + "mov.f32 %d1, 0f00000000;\n" + usual + waits).fault,
              FaultKind::AsyncProduct, "uses the register %d1, which is used in line");
  expectFault(
      runUsual(fences + usual + product(8, "f16", "%left, %right, %always, 1, 1, 0, 0") + waits)
          .fault,
      FaultKind::AsyncProduct, "as a product of 16 columns does");
  expectFault(runUsual("mov.u32 %a0, 0; mov.u32 %a1, 0; mov.u32 %a2, 0; mov.u32 %a3, 0;\n" +
                       fences +
                       product(16, "f16", "{%a0, %a1, %a2, %a3}, %right, %always, 1, 1, 0") +
                       "mov.u32 %a2, 1;\n" + waits)
                  .fault,
              FaultKind::AsyncProduct, "writes the register %a2");
}

TEST_CASE("memory of a product stays as it is until it is waited for", "[ptx]") {
  const std::string write = "mov.u32 %at, memory; st.shared.u16 [%at + 16], %h;\n",
                    commit = "wgmma.commit_group.sync.aligned;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n";
  expectFault(runUsual(fences + usual + commit + write + wait).fault, FaultKind::AsyncProduct,
              "may still read: no wgmma.wait_group has been made for it");
  expectFault(
      runUsual(fences + usual + commit +
               "add.u64 %from, %image, 0; cp.async.cg.shared.global [memory], [%from], 16;\n" +
               wait)
          .fault,
      FaultKind::AsyncProduct, "may still read");
  // Other warps may still read, too, when this one has waited: a barrier is needed.
  expectFault(runUsual(fences + usual + commit + wait + write).fault, FaultKind::Race, "reads");
  requireProduct(runUsual(fences + usual + commit + wait +
                          "bar.sync 0;\nsetp.eq.u32 %p, %t, 0;\n"
                          "mov.u32 %at, memory;\n"
                          "@%p st.shared.u16 [%at + 16], %h;\n"),
                 16);
  // What other instructions have written.
  expectFault(runUsual("bar.sync 0;\nwgmma.fence.sync.aligned;\n" + usual + waits).fault,
              FaultKind::AsyncProduct, "has written with no fence.proxy.async since");
  expectFault(
      runUsual("fence.proxy.async;\nbar.sync 0;\nmov.u32 %at, memory; setp.eq.u32 %p, %t, 5;\n"
               "@%p st.shared.u16 [%at + 16], %h;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" +
               usual + waits)
          .fault,
      FaultKind::AsyncProduct, "which thread (5, 0, 0) has written");
  expectFault(runUsual("fence.proxy.async;\nwgmma.fence.sync.aligned;\n" + usual + waits).fault,
              FaultKind::Uninitialised, "which nothing has written");
  // The fence may also be behind the barrier.
  requireProduct(
      runUsual("bar.sync 0;\nfence.proxy.async;\nwgmma.fence.sync.aligned;\n" + usual + waits), 16);
}

TEST_CASE("a warpgroup is four warps that do the same", "[ptx]") {
  expectFault(runUsual(fences + usual + waits, 64).fault, FaultKind::DivergentBarrier,
              "a warpgroup is four warps, the block ends after 2");
  const std::string part = "setp.lt.u32 %p, %t, 96;\n";
  expectFault(
      runUsual(part + fences + "@%p bra GO;\nbra LEAVE;\nGO:\n" + usual + "LEAVE:\n" + waits).fault,
      FaultKind::DivergentBarrier, "a warpgroup does the same in all its warps");
  expectFault(runUsual(part + fences + usual + waits + "@%p bra GO;\nret;\nGO:\n" +
                       "wgmma.fence.sync.aligned;\n")
                  .fault,
              FaultKind::DivergentBarrier, "a warpgroup does the same in all its warps");
  expectFault(runUsual(part + "@%p add.u64 %left, %left, 2;\n" + fences + usual + waits).fault,
              FaultKind::DivergentBarrier, "other descriptors");
  expectFault(
      runUsual("setp.lt.u32 %p, %t, 5;\n@%p add.u64 %left, %left, 2;\n" + fences + usual + waits)
          .fault,
      FaultKind::DivergentBarrier, "the lanes of a warp give different descriptors of A");
  expectFault(runUsual("setp.lt.u32 %p, %t, 5;\n" + fences +
                       product(16, "f16", "%left, %right, %p, 1, 1, 0, 0") + waits)
                  .fault,
              FaultKind::DivergentBarrier, "different predicates");
  expectFault(runUsual("or.b64 %left, %left, 0x2000000000000;\n" + fences + usual + waits).fault,
              FaultKind::Unsupported, "the base offset 1 in a matrix descriptor");
  expectFault(runUsual("add.u64 %left, %left, 4096;\n" + fences + usual + waits).fault,
              FaultKind::OutOfBounds, "shared memory");
}

namespace {

struct Trial {
  std::optional<Fault> fault;
  bool right = true;
  Counters counters;
};

Trial tryProduct(std::string_view text, bool byRows, Order order) {
  constexpr int m = 128, n = 128;
  Trial trial;
  for (int depth : {64, 320}) { // fewer steps than stages, more
    Launcher on(text);
    on.options.warps = on.options.blocks = order;
    on.options.maxInstructions = 1 << 22;
    std::vector<uint16_t> a(size_t(m * depth)), b(size_t(n * depth));
    for (int k = 0; k < depth; ++k) {
      for (int r = 0; r < m; ++r)
        a[size_t(r * depth + k)] = toHalf(left(uint32_t(r), uint32_t(k)));
      for (int c = 0; c < n; ++c)
        b[size_t(byRows ? k * n + c : c * depth + k)] = toHalf(right(uint32_t(c), uint32_t(k)));
    }
    uint64_t y = on.memory->allocate(m * n * 4), aAt = on.upload(a), bAt = on.upload(b);
    trial.fault = on.run(byRows ? "productByRows" : "productByLines", {1, m / 64}, {128},
                         Arguments().add(y).add(aAt).add(bAt).add(n).add(depth), 3 * 24576);
    trial.counters = on.counters;
    if (trial.fault)
      return trial;
    std::vector<float> got = on.download<float>(y, m * n);
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) {
        float sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += left(uint32_t(r), uint32_t(k)) * right(uint32_t(c), uint32_t(k));
        trial.right &= got[size_t(r * n + c)] == sum;
      }
  }
  return trial;
}

} // namespace

TEST_CASE("a pipeline of nvcc's multiplies by warpgroups", "[ptx]") {
  const std::string text = readKernels("warpgroup.nvcc.ptx");
  for (bool byRows : {false, true})
    for (Order order : {Order::Fixed, Order::Reversed, Order::Seeded}) {
      Trial trial = tryProduct(text, byRows, order);
      INFO((trial.fault ? trial.fault->message : ""));
      REQUIRE_FALSE(trial.fault);
      CHECK(trial.right);
      CHECK(trial.counters.shared.overIdeal() == 1.0);
      // Two blocks of 4 warps, 4 products for each of 5 stages.
      CHECK(trial.counters.of(Kind::Matrix) == 2 * 4 * 4 * 5);
    }
}

TEST_CASE("each fence and wait of a pipeline that is left out is noticed", "[ptx]") {
  const std::string text = readKernels("warpgroup.nvcc.ptx");
  size_t begin = text.find(".entry productByRows("), end = text.find(".entry ", begin + 1),
         count = 0;
  long first = std::count(text.begin(), text.begin() + long(begin), '\n');
  long last = std::count(text.begin(), text.begin() + long(std::min(end, text.size())), '\n');
  for (const Mutant &mutant : mutants(text)) {
    if (mutant.line < first || mutant.line > last || mutant.kind == Mutant::Guard)
      continue;
    ++count;
    INFO(mutant.line << " " << mutant.what);
    bool caught = false;
    for (Order order : {Order::Fixed, Order::Reversed}) {
      Trial trial = tryProduct(mutant.text, true, order);
      caught |= trial.fault || !trial.right;
    }
    CHECK(caught);
  }
  // Two barriers, three waits, two fences and a commit.
  CHECK(count == 8);
}
