// Each kind of fault, with what the message names; and texts that are no PTX.
#include "tests/cuda/Launcher.h"
#include "tests/cuda/emulator/Races.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace keratin::ptx;

namespace {

// A kernel with a pointer, a number and shared memory, whose body begins in line 9.
std::string kernelOf(const std::string &body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 pointer, .param .u64 number) {\n"
         ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n"
         ".shared .align 16 .b8 tile[1024];\n"
         "mov.u32 %r0, %tid.x; mul.wide.u32 %q0, %r0, 4; mov.u64 %q2, tile; add.u64 %q2, %q2, "
         "%q0;\n"
         "ld.param.u64 %q1, [pointer]; mov.u32 %r8, %ctaid.x; ld.param.u32 %r7, [number];\n" +
         body + "\nret;\n}\n";
}

struct Shape {
  uint32_t blocks = 1, threads = 32;
};

std::optional<Fault> run(const std::string &body, Shape shape = {}, size_t elements = 64,
                         LaunchOptions options = {}, bool initialised = true) {
  Launcher on(kernelOf(body));
  on.options = options;
  uint64_t pointer = on.memory->allocate(elements * 4);
  if (initialised) {
    std::memset(on.memory->at(pointer, elements * 4), 0, elements * 4);
    on.memory->setInitialised(pointer, elements * 4);
  }
  return on.run("k", {shape.blocks}, {shape.threads},
                Arguments().add(pointer).add(uint64_t(elements)));
}

void expectFault(const std::optional<Fault> &fault, FaultKind kind, int line,
                 const std::string &part = "") {
  REQUIRE(fault);
  INFO(fault->message);
  CHECK(std::string(name(fault->kind)) == name(kind));
  CHECK(fault->line == line);
  CHECK(fault->message.find(part) != std::string::npos);
}
void expectNone(const std::optional<Fault> &fault) {
  INFO((fault ? fault->message : ""));
  CHECK_FALSE(fault);
}

std::string parseError(const std::string &text) {
  std::string error = "no error";
  Module::parse(text, &error);
  return error;
}

} // namespace

TEST_CASE("accesses out of bounds", "[ptx]") {
  std::string load = "add.u64 %q1, %q1, %q0;\nld.global.f32 %f0, [%q1];";
  expectNone(run(load, {1, 32}, 32));
  expectFault(run(load, {1, 32}, 31), FaultKind::OutOfBounds, 10, "thread (31, 0, 0)");
  expectFault(run("ld.global.u32 %r1, [%q1 + -4];"), FaultKind::OutOfBounds, 9);
  expectFault(run("mov.u64 %q1, 4096;\nst.global.u32 [%q1], %r0;"), FaultKind::OutOfBounds, 10,
              "0x1000");
  expectFault(run("st.shared.u32 [%q2 + 1024], %r0;"), FaultKind::OutOfBounds, 9, "shared memory");
  expectFault(run(".local .b32 own[4];\nmov.u64 %q3, own;\nst.local.u32 [%q3 + 16], %r0;"),
              FaultKind::OutOfBounds, 11, "local memory");
  expectFault(run("cvta.shared.u64 %q2, %q2;\nst.u32 [%q2 + 2048], %r0;"), FaultKind::OutOfBounds,
              10, "shared memory");
  expectNone(
      run("cvta.shared.u64 %q2, %q2;\nst.u32 [%q2], %r0;\nld.u32 %r1, [%q2];\nst.u32 [%q1], %r7;",
          {1, 1}));
}

TEST_CASE("reads of what nothing has written", "[ptx]") {
  expectFault(run("ld.global.u32 %r1, [%q1];", {}, 64, {}, false), FaultKind::Uninitialised, 9);
  expectFault(run("ld.shared.u32 %r1, [%q2];"), FaultKind::Uninitialised, 9);
  expectFault(run("st.shared.u8 [%q2], %r0;\nld.shared.u16 %r1, [%q2];"), FaultKind::Uninitialised,
              10);
  expectFault(run(".local .b32 own[4];\nmov.u64 %q3, own;\nld.local.u32 %r1, [%q3];"),
              FaultKind::Uninitialised, 11);
  expectFault(run("add.u32 %r1, %r2, %r0;"), FaultKind::Uninitialised, 9, "%r2");
  // Written on one way only, and moved about before it matters.
  std::string oneWay = "setp.lt.u32 %p0, %r0, 8;\n@%p0 mov.u32 %r1, 5;\nmov.u32 %r2, %r1;\n";
  expectNone(run(oneWay));
  expectFault(run(oneWay + "add.u32 %r3, %r2, 1;"), FaultKind::Uninitialised, 12,
              "thread (8, 0, 0)");
  expectNone(run(oneWay + "@%p0 add.u32 %r3, %r2, 1;"));
  // A vector may have parts that nobody has written, if nobody reads them.
  std::string half = "mov.b64 %q3, {%r1, %r0};\nmov.u64 %q4, %q3;\nmov.b64 {%r2, %r3}, %q4;\n";
  expectNone(run(half + "add.u32 %r4, %r3, 1;"));
  expectFault(run(half + "add.u32 %r4, %r2, 1;"), FaultKind::Uninitialised, 12, "%r2");
  expectFault(run(half + "add.u64 %q4, %q3, 1;"), FaultKind::Uninitialised, 12, "%q3");
  // Or if a mask leaves them out: of %q3 the upper half is written.
  expectNone(run(half + "and.b64 %q4, %q3, -4294967296;"));
  expectFault(run(half + "and.b64 %q4, %q3, 4294967295;"), FaultKind::Uninitialised, 12, "%q3");
  expectFault(run(half + "and.b64 %q4, %q3, -65536;"), FaultKind::Uninitialised, 12, "%q3");
  LaunchOptions unchecked;
  unchecked.checks = false;
  expectNone(run("ld.shared.u32 %r1, [%q2];", {}, 64, unchecked));
}

TEST_CASE("misaligned accesses", "[ptx]") {
  expectFault(run("ld.global.u32 %r1, [%q1 + 2];"), FaultKind::Misaligned, 9, "multiple of 4");
  expectFault(run("st.shared.v4.f32 [%q2], {0f00000000, 0f00000000, 0f00000000, 0f00000000};"),
              FaultKind::Misaligned, 9, "thread (1, 0, 0)");
}

TEST_CASE("races within a block", "[ptx]") {
  std::string neighbour = "xor.b32 %r1, %r0, 33;\nmul.wide.u32 %q3, %r1, 4;\nmov.u64 %q4, "
                          "tile;\nadd.u64 %q3, %q3, %q4;\n";
  std::string store = "st.shared.u32 [%q2], %r0;\n", load = "ld.shared.u32 %r2, [%q3];\n",
              barrier = "bar.sync 0;\n";
  expectNone(run(neighbour + store + barrier + load, {1, 64}));
  // Without the barrier the first warp reads what nobody has written, or what somebody else writes.
  expectFault(run(neighbour + store + load, {1, 64}), FaultKind::Uninitialised, 14,
              "shared memory");
  expectFault(run(neighbour + store + barrier + store + load, {1, 64}), FaultKind::Race, 15,
              "shared memory");
  // Read, then written by another.
  std::string twice = store + barrier + load;
  expectNone(run(neighbour + twice + barrier + store, {1, 64}));
  expectFault(run(neighbour + twice + store, {1, 64}), FaultKind::Race, 15);
  // Within a warp a meeting of its lanes is enough, and needed.
  std::string inWarp = "xor.b32 %r1, %r0, 1;\nmul.wide.u32 %q3, %r1, 4;\nmov.u64 %q4, "
                       "tile;\nadd.u64 %q3, %q3, %q4;\n";
  expectNone(run(inWarp + store + "bar.warp.sync -1;\n" + load));
  expectFault(run(inWarp + store + load), FaultKind::Race, 14);
  // A thread alone does not race with itself, in shared or in global memory.
  expectNone(run(store + "bar.sync 0;\nld.shared.u32 %r1, [%q2];\nst.shared.u32 [%q2], "
                         "%r1;\nld.shared.u32 %r1, [%q2];\n"
                         "st.shared.u32 [%q2], %r0;",
                 {1, 64}));
  expectNone(run("add.u64 %q1, %q1, %q0;\nld.global.u32 %r1, [%q1];\nst.global.u32 [%q1], "
                 "%r0;\nld.global.u32 %r1, [%q1];\n"
                 "st.global.u32 [%q1], %r1;",
                 {1, 64}));
  // Writes of the same value are none, of another one they are; atomics are none.
  expectNone(run("st.shared.u32 [tile], 5;", {1, 64}));
  expectFault(run("st.shared.u32 [tile], %r0;", {1, 64}), FaultKind::Race, 9);
  expectNone(
      run("st.shared.u32 [%q2], 0;\nbar.sync 0;\natom.shared.add.u32 %r1, [tile], 1;", {1, 64}));
  expectFault(run("st.shared.u32 [%q2], 0;\nbar.sync 0;\natom.shared.add.u32 %r1, [tile], "
                  "1;\nld.shared.u32 %r2, [tile];",
                  {1, 64}),
              FaultKind::Race, 12);
}

TEST_CASE("races between blocks", "[ptx]") {
  expectFault(run("st.global.u32 [%q1], %r8;", {2, 1}), FaultKind::Race, 9, "of block 0");
  expectNone(run("red.global.add.u32 [%q1], 1;", {4, 32}));
  std::string flag = "setp.ne.u32 %p0, %r8, 0;\n@%p0 bra WAIT;\nst.global.u32 [%q1], 7;\n";
  std::string set = "st.volatile.global.u32 [%q1 + 4], 1;\nbra "
                    "DONE;\nWAIT:\nld.volatile.global.u32 %r1, [%q1 + 4];\n"
                    "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n";
  std::string read = "ld.global.u32 %r2, [%q1];\nDONE:";
  LaunchOptions reversed;
  reversed.blocks = Order::Reversed;
  for (const LaunchOptions &options : {LaunchOptions(), reversed}) {
    expectNone(run(flag + "membar.gl;\n" + set + "membar.gl;\n" + read, {2, 1}, 64, options));
    expectFault(run(flag + set + "membar.gl;\n" + read, {2, 1}, 64, options), FaultKind::Race, 19);
    expectFault(run(flag + "membar.gl;\n" + set + read, {2, 1}, 64, options), FaultKind::Race, 19);
  }
  // Release and acquire say it in one instruction each.
  std::string released = "st.release.gpu.global.u32 [%q1 + 4], 1;\nbra "
                         "DONE;\nWAIT:\nld.acquire.gpu.global.u32 %r1, [%q1 + 4];\n"
                         "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n";
  expectNone(run(flag + released + read, {2, 1}));
}

// Whoever reads the last log knows of the first what was published there until now, though another
// log, of which the last one says too, had been told less of it.
TEST_CASE("what is known in several ways is known as the latest of them says", "[ptx]") {
  SyncLog first, another;
  first.publish(/*block=*/0, /*warp=*/0, /*clock=*/1);
  SyncLog::Seen early{&first, first.length()};
  another.publish(early);
  first.publish(/*block=*/1, /*warp=*/0, /*clock=*/5);
  SyncLog::Seen late{&first, first.length()}, byAnother{&another, another.length()};
  Access access = Access::of(/*block=*/1, /*warp=*/0, /*lane=*/0, /*clock=*/5, /*strong=*/false);
  for (auto [one, next] : {std::pair(byAnother, late), std::pair(late, byAnother)}) {
    SyncLog last;
    last.publish(one);
    CHECK(last.holds(last.length(), access) == (one.log == &first));
    last.publish(next);
    CHECK(last.holds(last.length(), access));
  }
}

TEST_CASE("barriers that not all reach", "[ptx]") {
  expectFault(run("setp.lt.u32 %p0, %r0, 8;\n@%p0 bar.sync 0;"), FaultKind::DivergentBarrier, 10,
              "lanes 0xffffff00");
  expectFault(run("setp.lt.u32 %p0, %r0, 8;\n@!%p0 bra NEXT;\nbar.sync 0;\nNEXT:"),
              FaultKind::DivergentBarrier, 11);
  expectFault(run("setp.lt.u32 %p0, %r0, 32;\n@%p0 exit;\nbar.sync 0;", {1, 64}),
              FaultKind::DivergentBarrier, 11, "32 threads of the block have left");
  LaunchOptions reversed;
  reversed.warps = Order::Reversed;
  expectFault(run("setp.lt.u32 %p0, %r0, 32;\n@%p0 exit;\nbar.sync 0;", {1, 64}, 64, reversed),
              FaultKind::DivergentBarrier, 10, "leaves while others wait");
  expectFault(run("setp.lt.u32 %p0, %r0, 8;\n@%p0 bar.warp.sync 255;\n@!%p0 bar.warp.sync -1;"),
              FaultKind::DivergentBarrier, 11, "elsewhere");
  expectFault(run("setp.lt.u32 %p0, %r0, 8;\n@%p0 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"),
              FaultKind::DivergentBarrier, 10);
  expectFault(
      run("setp.lt.u32 %p0, %r0, 32;\n@%p0 bar.sync 1, 64;\n@!%p0 bar.sync 2, 64;", {1, 64}),
      FaultKind::Deadlock, 10, "32 of 64 threads");
  // Producers and consumers by named barriers are in order.
  expectNone(run("setp.lt.u32 %p0, %r0, 32;\n@%p0 bra MAKE;\nbar.sync 1, 64;\nld.shared.u32 %r1, "
                 "[%q2 + -128];\nbra DONE;\n"
                 "MAKE:\nst.shared.u32 [%q2], %r0;\nbar.arrive 1, 64;\nDONE:",
                 {1, 64}));
}

TEST_CASE("asynchronous copies", "[ptx]") {
  std::string copy = "mov.u64 %q3, tile;\nmul.wide.u32 %q4, %r0, 16;\nadd.u64 %q3, %q3, "
                     "%q4;\nadd.u64 %q5, %q1, %q4;\n"
                     "cp.async.cg.shared.global [%q3], [%q5], 16;\ncp.async.commit_group;\n";
  std::string read = "ld.shared.u32 %r1, [%q3];";
  expectNone(run(copy + "cp.async.wait_group 0;\n" + read, {}, 128));
  expectNone(run(copy + "cp.async.wait_all;\n" + read, {}, 128));
  expectFault(run(copy + read, {}, 128), FaultKind::AsyncCopy, 15);
  expectFault(run(copy + "cp.async.wait_group 1;\n" + read, {}, 128), FaultKind::AsyncCopy, 16);
  expectFault(run(copy + "cp.async.wait_group 0;\nld.shared.u32 %r1, [tile];", {}, 128),
              FaultKind::Race, 16);
  expectFault(run(copy, {}, 127), FaultKind::OutOfBounds, 13);
  // Fewer bytes than the place has: zeros follow, and nothing beyond is read.
  expectNone(run("cp.async.cg.shared.global [tile], [%q1], 16, "
                 "12;\ncp.async.wait_all;\nld.shared.u32 %r1, [tile + 12];",
                 {1, 1}, 3));
  expectFault(run("cp.async.cg.shared.global [tile], [%q1], 16, 13;", {1, 1}, 3),
              FaultKind::OutOfBounds, 9);
  expectFault(run("cp.async.cg.shared.global [tile], [%q1 + 4], 16, 8;", {1, 1}, 4),
              FaultKind::Misaligned, 9, "multiple of 16");
  expectNone(run("cp.async.ca.shared.global [tile], [%q1], 4, "
                 "0;\ncp.async.wait_all;\nld.shared.u32 %r1, [tile];",
                 {1, 1}, 0));
}

TEST_CASE("traps, loops without end and bad launches", "[ptx]") {
  expectFault(run("setp.eq.u32 %p0, %r0, 3;\n@%p0 trap;"), FaultKind::Trap, 10, "thread (3, 0, 0)");
  LaunchOptions few;
  few.maxInstructions = 10000;
  expectFault(run("AGAIN:\nbra AGAIN;", {}, 64, few), FaultKind::InfiniteLoop, 10);
  expectFault(run("", {1, 1025}), FaultKind::BadLaunch, 0, "1 to 1024 threads");
  Launcher on(kernelOf(""));
  expectFault(on.run("k", {1}, {32}, Arguments().add(1)), FaultKind::BadLaunch, 0, "expected 16");
  Launcher fixed(".version 8.0 .target sm_80 .address_size 64 .entry f() .reqntid 64 { ret; } "
                 ".entry g() .maxntid 32 { ret; }");
  expectFault(fixed.run("f", {1}, {32}, {}), FaultKind::BadLaunch, 0, ".reqntid");
  expectFault(fixed.run("g", {1}, {64}, {}), FaultKind::BadLaunch, 0, ".maxntid");
  expectNone(fixed.run("f", {1}, {64}, {}));
}

TEST_CASE("memory knows its allocations", "[ptx]") {
  Memory memory(1024);
  uint64_t a = memory.allocate(100), b = memory.allocate(924);
  CHECK(a % 256 == 0);
  CHECK(b % 256 == 0);
  CHECK(memory.allocate(1) == 0);
  CHECK(memory.bytesInUse() == 1024);
  CHECK(memory.at(a, 100) != nullptr);
  CHECK(memory.at(a, 101) == nullptr);
  CHECK(memory.at(a + 100, 0) != nullptr);
  CHECK(*memory.at(a, 1) == memory.fillingByte());
  memory.setInitialised(a + 3, 60);
  CHECK(memory.isInitialised(a + 3, 60));
  CHECK_FALSE(memory.isInitialised(a + 2, 2));
  memory.copyInitialised(b, a, 100);
  CHECK(memory.isInitialised(b + 3, 60));
  CHECK_FALSE(memory.isInitialised(b + 63, 1));
  CHECK(memory.release(a));
  CHECK_FALSE(memory.release(a));
  CHECK(memory.allocations() == 1);
  CHECK(memory.ranges()[0].address == b);
  CHECK(memory.allocate(100) != a);
}

TEST_CASE("texts that are no PTX are refused with their line", "[ptx]") {
  CHECK(parseError("") ==
        "line 1: found 'the end of the text', expected '.version': a module of PTX begins with it");
  CHECK(parseError(".version 12.1\n") ==
        "line 1: version 12.1 of PTX is newer than 9, the newest that is known");
  CHECK(parseError(kernelOf("frob.u32 %r0, %r1;")) ==
        "line 9: 'frob.u32 %r0, %r1': the instruction 'frob' is not known");
  CHECK(parseError(kernelOf("add.u32 %r0, %r1;")) ==
        "line 9: 'add.u32 %r0, %r1': found 2 operands, expected 3");
  CHECK(parseError(kernelOf("add.u64 %q0, %r1, %q2;")) ==
        "line 9: 'add.u64 %q0, %r1, %q2': the register %r1 has 32 bits, expected 64 bits");
  CHECK(
      parseError(kernelOf("add.u32.wide %r0, %r1, %r2;")).find("'add.wide.u32' is not emulated") !=
      std::string::npos);
  CHECK(parseError(kernelOf("ld.global.q32 %r0, [%q1];")).find("expected a type") !=
        std::string::npos);
  CHECK(parseError(kernelOf("bra NOWHERE;")) ==
        "line 9: 'NOWHERE' is neither declared nor a label of k");
  CHECK(parseError(kernelOf("mov.u32 %r0, %frob;")).find("'%frob' is not declared") !=
        std::string::npos);
  CHECK(parseError(kernelOf("call missing, ();")).find("line 9") == 0);
  CHECK(parseError(kernelOf("add.u32 %r0, %r1, %r2")) == "line 10: found 'ret', expected ';'");
  CHECK(parseError(kernelOf("mov.f32 %f0, 0f123;")) ==
        "line 9: '0f123' is no floating-point constant: 8 hexadecimal digits are needed");
  CHECK(parseError(kernelOf("tcgen05.commit [%q0];")).find("'tcgen05' is not known") !=
        std::string::npos);
  auto product = [](const std::string &text) {
    std::string kernel = kernelOf("wgmma.mma_async.sync.aligned." + text);
    return parseError(kernel.replace(kernel.find("sm_80"), 5, "sm_90a"));
  };
  CHECK(product("m64n12k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q0, %q1, 1, 1, 1, 0, 0;")
            .find("expected .m64nNk16 or .m64nNk8, with N a multiple of 8 up to 256") !=
        std::string::npos);
  CHECK(product("m64n8k16.f16.f16.f16 {%r0, %r1}, %q0, %q1, 1, 1, 1, 0, 0;")
            .find("a product of these types is not emulated") != std::string::npos);
  CHECK(product("m64n8k16.f32.f16.f16 {%f0, %f1}, %q0, %q1, 1, 1, 1, 0, 0;")
            .find("found 2 registers, expected 4") != std::string::npos);
  CHECK(product("m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q0, %q1, 1, 2, 1, 0, 0;")
            .find("found '2', expected the number 1 or -1") != std::string::npos);
  CHECK(parseError(kernelOf("wgmma.fence.sync.aligned;")).find("found .target sm_80, expected") !=
        std::string::npos);
}

// Nothing that a damaged text says may end the process: it is refused, or it runs to some end.
TEST_CASE("damaged texts are refused or run", "[ptx]") {
  std::mt19937 random(13);
  size_t refused = 0, ran = 0;
  for (const char *file : {"simple.clang.ptx", "tensor.nvcc.ptx"}) {
    const std::string text = readKernels(file);
    for (int repeat = 0; repeat < 150; ++repeat) {
      std::string damaged = text;
      for (int wound = 0; wound < 2; ++wound) {
        size_t from = random() % damaged.size(), length = random() % 8,
               to = random() % damaged.size();
        if (repeat % 3 == 0)
          damaged.erase(from, length);
        else if (repeat % 3 == 1)
          damaged.insert(to, damaged.substr(from, length));
        else
          damaged[from] = damaged[to];
      }
      Memory memory(1 << 24);
      std::string error;
      std::unique_ptr<Module> module = Module::parse(damaged, &error);
      if (!module) {
        CHECK(error.starts_with("line "));
        ++refused;
        continue;
      }
      REQUIRE(module->load(memory));
      uint64_t buffer = memory.allocate(1 << 16);
      memory.setInitialised(buffer, 1 << 16);
      for (const Kernel *kernel : module->kernels()) {
        std::vector<uint64_t> words(kernel->parameterBytes() / 8 + 1, buffer);
        LaunchOptions options;
        options.maxInstructions = 20000;
        launch(*kernel, {2}, {64}, 1024, words.data(), kernel->parameterBytes(), memory, options);
        ++ran;
      }
    }
  }
  CHECK(refused > 50);
  CHECK(ran > 50);
}
