// What keratin-bench derives of kernels for CUDA devices: occupancy, roofline, inner loops.
#include "benchmarks/keratin-bench/InnerLoops.h"
#include "benchmarks/keratin-bench/Occupancy.h"

#include <catch2/catch.hpp>

using namespace keratin::bench;

TEST_CASE("occupancy is bounded by warps, blocks, registers of partitions and shared memory") {
  CHECK(occupancy(256, 32, 0) == 1.0);
  CHECK(occupancy(32, 16, 0) == 0.5);           // 32 blocks of a warp
  CHECK(occupancy(128, 128, 0) == 0.25);        // four warps in each partition
  CHECK(occupancy(128, 129, 0) == 12.0 / 64);   // 4352 registers a warp: three
  CHECK(occupancy(128, 255, 0) == 0.125);       // two
  CHECK(occupancy(128, 16, 48 * 1024) == 0.25); // four blocks of 49 KiB
  CHECK(occupancy(1024, 64, 0) == 0.5);         // two blocks would need twice the registers
  CHECK(occupancy(96, 32, 0) == 63.0 / 64);     // whole blocks of three warps
  CHECK(occupancy(1024, 255, 0) == 0.0);        // no room for one
}

TEST_CASE("a kernel takes as long as the slowest of what it does, and its launches") {
  CHECK(rooflineSeconds({.launches = 2}) == 6e-6);
  CHECK(rooflineSeconds({.bytes = 3.35e12}) == Approx(1));
  CHECK(rooflineSeconds({.bytes = 3.35e12, .floatFlops = 2 * 66.9e12}) == Approx(2));
  CHECK(rooflineSeconds({.warpInstructions = 66.9e12 / 64}) == Approx(1));
  CHECK(rooflineSeconds({.launches = 1, .matrixFlops = 989e12}) == Approx(1 + 3e-6));
  // One of 132 multiprocessors.
  CHECK(rooflineSeconds({.floatFlops = 66.9e12, .blocks = 1}) == Approx(132));
  CHECK(rooflineSeconds({.bytes = 126.7e9, .blocks = 1}) == Approx(1).epsilon(0.01));
  CHECK(rooflineSeconds({.floatFlops = 66.9e12, .blocks = 1000}) == Approx(1));
}

TEST_CASE("the inner loop of PTX is the one with most products and no loop in it") {
  auto loops = innerLoopsOfPtx(R"(
.visible .entry a(
	.param .u64 a_param_0
)
{
	.reg .b32 %r<3>;
	mov.u32 %r1, 0;
$L__BB0_1: // outer
	mov.u32 %r2, 0;
$L__BB0_2:
	fma.rn.f32 %f1, %f2, %f3, %f1;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p1, %r2, 8;
	@%p1 bra $L__BB0_2;
	@%p2 bra $L__BB0_1;
	@!%p3 bra $L__BB0_3;
	ret;
$L__BB0_3:
	ret;
}
.visible .entry b()
{
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};
	ret;
}
)");
  REQUIRE(loops.size() == 2);
  CHECK(loops["a"].instructions == 4);
  CHECK(loops["a"].products == 1);
  CHECK(loops["b"].instructions == 2); // the whole kernel
  CHECK(loops["b"].products == 1);
}

TEST_CASE("the inner loop of machine code, as nvdisasm prints it") {
  auto loops =
      innerLoopsOfSass("\t.section\t.text.a,\"ax\",@progbits\n"
                       "a:\n"
                       ".text.a:\n"
                       "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
                       ".L_x_0:\n"
                       "        /*0010*/                   FFMA R2, R3, R4, R2 ;\n"
                       "        /*0020*/                   FFMA R5, R3, R4, R5 ;\n"
                       "        /*0030*/                   ISETP.GE.AND P0, PT, R0, R6, PT ;\n"
                       "        /*0040*/              @!P0 BRA `(.L_x_0) ;\n"
                       "        /*0050*/                   EXIT ;\n"
                       ".L_x_1:\n"
                       "        /*0060*/                   BRA `(.L_x_1);\n"
                       "        /*0070*/                   NOP;\n");
  REQUIRE(loops.size() == 1);
  CHECK(loops["a"].instructions == 4);
  CHECK(loops["a"].products == 2);
  CHECK(loops["a"].share() == 0.5);
}
