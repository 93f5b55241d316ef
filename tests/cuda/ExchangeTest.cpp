// What lanes and blocks tell each other: shuffles, votes, matches, barriers that reduce, atomics;
// carry chains; ldmatrix.
#include "tests/cuda/Launcher.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>

using namespace keratin::ptx;

namespace {

// Runs `body` on threads that have their number in %r0 and a word of input in %r1; what is in %r2
// comes back.
std::vector<uint32_t> run(const std::string &body, const std::vector<uint32_t> &input,
                          uint32_t threads = 32) {
  Launcher on(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 y, .param .u64 "
      "x) {\n"
      ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %q<9>;\n.shared .align 16 .b8 tile[4096];\n"
      "mov.u32 %r0, %tid.x; mul.wide.u32 %q0, %r0, 4; ld.param.u64 %q1, [y]; ld.param.u64 %q2, "
      "[x];\n"
      "add.u64 %q1, %q1, %q0; add.u64 %q3, %q2, %q0; ld.global.u32 %r1, [%q3];\n" +
      body + "\nst.global.u32 [%q1], %r2;\nret;\n}\n");
  uint64_t y = on.memory->allocate(threads * 4), x = on.upload(input);
  std::optional<Fault> fault = on.run("k", {1}, {threads}, Arguments().add(y).add(x));
  INFO((fault ? fault->message : ""));
  REQUIRE_FALSE(fault);
  return on.download<uint32_t>(y, threads);
}

std::vector<uint32_t> numbers(uint32_t count, uint32_t factor = 1) {
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i)
    values[i] = i * factor;
  return values;
}

template <class Function> std::vector<uint32_t> expected(Function function, uint32_t count = 32) {
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i)
    values[i] = uint32_t(function(i));
  return values;
}

} // namespace

TEST_CASE("shuffles stay within their segments", "[ptx]") {
  std::vector<uint32_t> input = numbers(32, 10);
  CHECK(run("shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;", input) ==
        expected([](uint32_t l) { return (l ^ 5) * 10; }));
  CHECK(run("shfl.sync.up.b32 %r2, %r1, 3, 0, -1;", input) ==
        expected([](uint32_t l) { return (l < 3 ? l : l - 3) * 10; }));
  CHECK(run("shfl.sync.down.b32 %r2, %r1, 3, 31, -1;", input) ==
        expected([](uint32_t l) { return (l > 28 ? l : l + 3) * 10; }));
  CHECK(run("shfl.sync.idx.b32 %r2, %r1, 7, 31, -1;", input) ==
        expected([](uint32_t) { return 70; }));
  // Segments of 8: the mask of segments is 0x18 in bits 8 to 12.
  CHECK(run("shfl.sync.down.b32 %r2|%p1, %r1, 3, 0x181f, -1;\n@!%p1 add.u32 %r2, %r2, 1;", input) ==
        expected([](uint32_t l) { return l % 8 + 3 < 8 ? (l + 3) * 10 : l * 10 + 1; }));
  CHECK(run("shfl.sync.up.b32 %r2, %r1, 1, 0x1800, -1;", input) ==
        expected([](uint32_t l) { return (l % 8 ? l - 1 : l) * 10; }));
  CHECK(run("shfl.sync.idx.b32 %r2, %r1, 2, 0x181f, -1;", input) ==
        expected([](uint32_t l) { return (l / 8 * 8 + 2) * 10; }));
}

TEST_CASE("parts of a warp shuffle by themselves, together or at different times", "[ptx]") {
  std::vector<uint32_t> input = numbers(32, 10);
  // Eight lanes each: %r4 are those of a lane's part.
  std::string part = "and.b32 %r3, %r0, 24;\nshl.b32 %r4, 255, %r3;\n";
  std::string shuffle = "shfl.sync.down.b32 %r2, %r1, 1, 0x181f, %r4;\n";
  std::vector<uint32_t> next = expected([](uint32_t l) { return (l % 8 == 7 ? l : l + 1) * 10; });
  CHECK(run(part + shuffle, input) == next);
  CHECK(
      run(part + "mov.u32 %r2, 0;\nsetp.lt.u32 %p0, %r0, 16;\n@%p0 bra DONE;\n" + shuffle + "DONE:",
          input) == expected([&](uint32_t l) { return l < 16 ? 0 : next[l]; }));
}

TEST_CASE("votes, matches, reductions and elections", "[ptx]") {
  std::vector<uint32_t> input = numbers(32);
  std::string odd = "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p0, %r3, 0;\n";
  CHECK(run(odd + "vote.sync.ballot.b32 %r2, %p0, -1;", input) ==
        expected([](uint32_t) { return 0xaaaaaaaa; }));
  CHECK(run(odd + "vote.sync.ballot.b32 %r2, !%p0, -1;", input) ==
        expected([](uint32_t) { return 0x55555555; }));
  CHECK(run(odd + "vote.sync.any.pred %p1, %p0, -1;\nselp.u32 %r2, 1, 0, %p1;", input) ==
        expected([](uint32_t) { return 1; }));
  CHECK(run(odd + "vote.sync.all.pred %p1, %p0, -1;\nselp.u32 %r2, 1, 0, %p1;", input) ==
        expected([](uint32_t) { return 0; }));
  CHECK(run(odd + "mov.u32 %r2, 9;\n@%p0 activemask.b32 %r2;", input) ==
        expected([](uint32_t l) { return l % 2 ? 0xaaaaaaaa : 9; }));
  CHECK(run("shr.u32 %r3, %r1, 4;\nmatch.any.sync.b32 %r2, %r3, -1;", input) ==
        expected([](uint32_t l) { return l < 16 ? 0xffff : 0xffff0000; }));
  CHECK(run("mov.u32 %r3, 4;\nmatch.all.sync.b32 %r2|%p0, %r3, -1;\n@!%p0 mov.u32 %r2, 0;",
            input) == expected([](uint32_t) { return 0xffffffff; }));
  CHECK(run("redux.sync.add.s32 %r2, %r1, -1;", input) == expected([](uint32_t) { return 496; }));
  CHECK(run("sub.s32 %r1, %r1, 5;\nredux.sync.min.s32 %r2, %r1, -1;", input) ==
        expected([](uint32_t) { return -5; }));
  CHECK(run("sub.s32 %r1, %r1, 5;\nredux.sync.max.u32 %r2, %r1, -1;", input) ==
        expected([](uint32_t) { return -1; }));
  CHECK(run("elect.sync %r3|%p0, -1;\nselp.u32 %r2, 1, 0, %p0;", input) ==
        expected([](uint32_t l) { return l == 0; }));
}

TEST_CASE("barriers that reduce", "[ptx]") {
  std::vector<uint32_t> input = numbers(64);
  std::string small = "setp.lt.u32 %p0, %r1, 40;\n";
  CHECK(run(small + "barrier.cta.red.popc.aligned.u32 %r2, 0, %p0;", input, 64) ==
        expected([](uint32_t) { return 40; }, 64));
  CHECK(run(small + "bar.red.and.pred %p1, 0, %p0;\nselp.u32 %r2, 1, 0, %p1;", input, 64) ==
        expected([](uint32_t) { return 0; }, 64));
  CHECK(run(small + "bar.red.or.pred %p1, 0, 64, !%p0;\nselp.u32 %r2, 1, 0, %p1;", input, 64) ==
        expected([](uint32_t) { return 1; }, 64));
}

TEST_CASE("atomics give what was there before", "[ptx]") {
  std::vector<uint32_t> input = numbers(32);
  auto at = [&](const std::string &op, uint32_t first) {
    return run("mov.u32 %r3, " + std::to_string(first) +
                   ";\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 st.shared.u32 [tile], %r3;\nbar.sync 0;\n" +
                   op + "\nbar.sync 0;\nld.shared.u32 %r2, [tile];",
               input)[0];
  };
  CHECK(at("red.shared.add.u32 [tile], %r1;", 4) == 500);
  CHECK(at("atom.shared.max.s32 %r4, [tile], %r1;", uint32_t(-7)) == 31);
  CHECK(at("atom.shared.min.u32 %r4, [tile], %r1;", 5) == 0);
  CHECK(at("atom.shared.and.b32 %r4, [tile], %r1;", 31) == 0);
  CHECK(at("atom.shared.or.b32 %r4, [tile], %r1;", 32) == 63);
  CHECK(at("atom.shared.inc.u32 %r4, [tile], 9;", 0) == 2); // 32 steps through 0 to 9
  CHECK(at("atom.shared.dec.u32 %r4, [tile], 9;", 0) == 8);
  CHECK(at("atom.shared.cas.b32 %r4, [tile], 3, 77;", 3) == 77);
  CHECK(at("atom.shared.add.f32 %r4, [tile], 0f3F800000;", 0) == std::bit_cast<uint32_t>(32.0f));
  // Each lane sees another old value.
  std::vector<uint32_t> old =
      run("setp.eq.u32 %p0, %r0, 0;\n@%p0 st.shared.u32 [tile], 0;\nbar.sync 0;\n"
          "atom.shared.add.u32 %r2, [tile], 1;",
          input);
  std::sort(old.begin(), old.end());
  CHECK(old == numbers(32));
}

TEST_CASE("carries go from word to word", "[ptx]") {
  // (x, x + 1) as 64 bits times 2^32 - 1 and plus itself, by words.
  std::vector<uint32_t> input{0xffffffff, 0x80000000, 1,          0,
                              0x7fffffff, 0xfffffffe, 0x12345678, 0xdeadbeef};
  input.resize(32, 3);
  std::string wide = "not.b32 %r4, %r1;\n";
  auto word = [&](uint32_t l) { return uint64_t(input[l]) << 32 | uint32_t(~input[l]); };
  CHECK(run(wide + "add.cc.u32 %r5, %r4, 5;\naddc.u32 %r2, %r1, 0;", input) ==
        expected([&](uint32_t l) { return uint32_t((word(l) + 5) >> 32); }));
  CHECK(run(wide + "sub.cc.u32 %r5, %r4, 0xfffffff0;\nsubc.u32 %r2, %r1, 3;", input) ==
        expected([&](uint32_t l) { return uint32_t((word(l) - 0x3fffffff0) >> 32); }));
  CHECK(run(wide + "mad.lo.cc.u32 %r5, %r4, %r1, %r4;\nmadc.hi.u32 %r2, %r4, %r1, %r1;", input) ==
        expected([&](uint32_t l) {
          uint64_t low = uint32_t(~input[l]);
          return uint32_t((low * input[l] + word(l)) >> 32);
        }));
}

TEST_CASE("ldmatrix hands out rows, or columns", "[ptx]") {
  // Element (r, c) of matrix m is 64 m + 8 r + c.
  std::string fill = "mul.lo.u32 %r3, %r0, 16;\nmov.u32 %r4, tile;\nadd.u32 %r3, %r3, "
                     "%r4;\nmul.lo.u32 %r5, %r0, 8;\n"
                     "mov.u32 %r6, 0;\nAGAIN:\nadd.u32 %r7, %r5, %r6;\nshl.b32 %r8, %r6, "
                     "1;\nadd.u32 %r8, %r8, %r3;\n"
                     "st.shared.u16 [%r8], %r7;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, "
                     "8;\n@%p0 bra AGAIN;\nbar.sync 0;\n";
  std::vector<uint32_t> input = numbers(32);
  auto pair = [](uint32_t low, uint32_t high) { return high << 16 | low; };
  for (uint32_t m : {0u, 1u, 3u}) {
    std::string load = "ldmatrix.sync.aligned.m8n8.x4",
                to = ".shared.b16 {%r10, %r11, %r12, %r13}, [%r3];\nmov.b32 %r2, %r1" +
                     std::to_string(m) + ";";
    CHECK(run(fill + load + to, input) == expected([&](uint32_t l) {
            uint32_t first = 64 * m + 8 * (l / 4) + 2 * (l % 4);
            return pair(first, first + 1);
          }));
    CHECK(run(fill + load + ".trans" + to, input) == expected([&](uint32_t l) {
            uint32_t first = 64 * m + 16 * (l % 4) + l / 4;
            return pair(first, first + 8);
          }));
  }
}

TEST_CASE("special registers, vectors and packing", "[ptx]") {
  std::vector<uint32_t> input = numbers(64);
  CHECK(run("mov.u32 %r2, %laneid;", input, 64) == expected([](uint32_t l) { return l % 32; }, 64));
  CHECK(run("mov.u32 %r2, %lanemask_lt;", input, 64) ==
        expected([](uint32_t l) { return (1u << l % 32) - 1; }, 64));
  CHECK(run("mov.u32 %r3, %ntid.x;\nmov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %warpid;\nmad.lo.u32 "
            "%r2, %r3, %r4, %r5;",
            input, 64) == expected([](uint32_t l) { return 64 + l / 32; }, 64));
  CHECK(run("mov.b64 %q4, {%r1, %r0};\nshr.u64 %q4, %q4, 16;\nmov.b64 {_, %r2}, %q4;", input) ==
        expected([](uint32_t l) { return l >> 16; }));
  CHECK(run("mul.wide.u32 %q4, %r0, 16;\nmov.u64 %q5, tile;\nadd.u64 %q4, %q4, %q5;\n"
            "st.shared.v4.u32 [%q4], {%r0, %r1, 7, %r1};\nld.shared.v2.u32 {%r3, %r4}, [%q4 + "
            "8];\nsub.u32 %r2, %r3, %r4;",
            input) == expected([](uint32_t l) { return 7 - l; }));
  CHECK(run(".reg .b16 %h<3>;\nmov.b32 {%h0, %h1}, %r1;\nmov.b32 %r2, {%h1, %h0};",
            numbers(32, 0x10001)) == expected([](uint32_t l) { return l * 0x10001; }));
  CHECK(run("brx.idx %r0, LIST;\nLIST: .branchtargets A, B, A, C;\nA: mov.u32 %r2, 1;\nbra "
            "END;\nB: mov.u32 %r2, 2;\nbra END;\n"
            "C: mov.u32 %r2, 3;\nEND:",
            numbers(4), 4) == std::vector<uint32_t>{1, 2, 1, 3});
}
