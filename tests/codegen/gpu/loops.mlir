// Loops that the device "cuda" does by itself: one launch, whose blocks meet between kernels.

// RUN: keratin-dump %s --target=cuda --stage=kernels --function=recurrent | FileCheck %s --check-prefix=KERNELS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=recurrent | FileCheck %s --check-prefix=RECURRENT
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=numbered | FileCheck %s --check-prefix=NUMBERED
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=multiplied | FileCheck %s --check-prefix=MULTIPLIED
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=looks_up | FileCheck %s --check-prefix=FAILS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=wide | FileCheck %s --check-prefix=WIDE
// RUN: keratin-dump %s --target=cuda --stage=kernels --function=shares | FileCheck %s --check-prefix=SHARES
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=shares | FileCheck %s --check-prefix=PARTS

// RUN: rm -rf %t && mkdir %t
// RUN: env KERATIN_EMULATOR=counters=%t/counters keratin-run %s --function=recurrent --device=emulated --random=1 --check --size=d0=100 | FileCheck %s --check-prefix=CALL
// RUN: FileCheck %s --check-prefix=COUNTERS < %t/counters

// KERNELS: loop 0: one launch of kernels {{[0-9, ]+}}; 256 threads a block, all blocks at once

// One entry for the loop. Behind a barrier of the block one thread comes to the others' counter; the last one opens the gate, which the others watch. What steps write
// and read goes through no cache that other blocks do not see.
// RECURRENT-COUNT-1: .visible .entry model_resident_0(
// RECURRENT:         .minnctapersm 1
// RECURRENT-NOT:     ld.global.nc
// RECURRENT:         bar.sync 0;
// RECURRENT:         ld.volatile.global.u32
// RECURRENT:         membar.gl;
// RECURRENT:         atom.global.inc.u32
// RECURRENT:         membar.gl;
// RECURRENT:         bar.sync 0;
// RECURRENT-NOT:     .local
// RECURRENT-NOT:     .visible .entry

// A hundred steps are one launch.
// CALL: check: 1 call agrees with the reference interpreter
// COUNTERS: "kernel": "keratin_entry_resident_0", "counters": {"launches": 1,
func.func @recurrent(%h: tensor<8xf32> {keratin.kind = "input", keratin.name = "h"},
                     %x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"},
                     %u: tensor<8x8xf32> {keratin.kind = "input", keratin.name = "u"})
    -> (tensor<8xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%u) : (tensor<8xf32>, tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8xf32>, %e: tensor<8xf32>, %w: tensor<8x8xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    %1 = keratin.add %0, %e : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %2 = keratin.tanh %1 : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %2 : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// The number of the step is in a register.
// NUMBERED-COUNT-1: .visible .entry model_resident_0(
// NUMBERED-NOT:     .local
func.func @numbered(%x: tensor<4xi64> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xi64> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<7> init(%x) over() with() : (tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xi64>):
    %0 = keratin.broadcast %t dims = [] : (tensor<i64>) -> tensor<4xi64>
    %1 = keratin.mul %s, %0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    keratin.yield %1 : tensor<4xi64>
  }
  return %y : tensor<4xi64>
}

// Products compute where they read, so it is in the device's memory for them.
// MULTIPLIED-COUNT-1: .visible .entry model_resident_0(
// MULTIPLIED:         st.global.u32
// MULTIPLIED:         st.global.u64
// MULTIPLIED-NOT:     .local
func.func @multiplied(%x: tensor<4xi64> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xi64> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<7> init(%x) over() with() : (tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xi64>):
    %r = keratin.reshape %t : (tensor<i64>) -> tensor<1xi64>
    %0 = keratin.dot_general %s, %r batch = [] x [] contract = [] x [] : (tensor<4xi64>, tensor<1xi64>) -> tensor<4x1xi64>
    %1 = keratin.reshape %0 : (tensor<4x1xi64>) -> tensor<4xi64>
    keratin.yield %1 : tensor<4xi64>
  }
  return %y : tensor<4xi64>
}

// Whether something has failed, one thread asks for all.
// FAILS-COUNT-1: .visible .entry model_resident_0(
// FAILS:         atom.global.inc.u32
// FAILS:         ld.volatile.global.u32
// FAILS:         bar.red.or.pred
// FAILS:         atom.global.min.u32
func.func @looks_up(%x: tensor<8x4xf32> {keratin.kind = "input", keratin.name = "x"},
                    %i: tensor<?x3xi32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "i"})
    -> (tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<d0> init() over(%i) with(%x) : (tensor<?x3xi32, #keratin.dims<d0, 3>>, tensor<8x4xf32>) -> tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>> {
  ^bb0(%t: tensor<i64>, %e: tensor<3xi32>, %w: tensor<8x4xf32>):
    %0 = keratin.gather %w, %e : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
    keratin.yield %0 : tensor<3x4xf32>
  }
  return %y : tensor<?x3x4xf32, #keratin.dims<d0, 3, 4>>
}

// Blocks share the depth of a product, and meet: what each leaves is in memory of the launch, for as many units as some kernel of the loop has.
// SHARES: depth: in 8 parts, which meet
// SHARES: loop 0: one launch of kernels 0, 1; 256 threads a block, all blocks at once, {{[0-9]+}} bytes of shared memory, 4096 bytes a unit for the others
// PARTS-COUNT-1: .visible .entry model_resident_0(
// A block of the product is the first 64 threads; the last of them to come in either part adds.
// PARTS:         st.global.v4.f32
// PARTS:         atom.global.inc.u32 %r{{[0-9]+}}, [%rd{{[0-9]+}}], 7;
// PARTS-NEXT:    membar.gl;
// PARTS:         bar.red.or.pred %p2, 1, 64
// PARTS-NOT:     .visible .entry
func.func @shares(%h: tensor<8x256xf32> {keratin.kind = "input", keratin.name = "h"}, %w: tensor<256x256xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<8x256xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with(%w) : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8x256xf32>, %v: tensor<256x256xf32>):
    %0 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0] : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
    %1 = keratin.sin %s : (tensor<8x256xf32>) -> tensor<8x256xf32>
    %2 = keratin.transpose %1 permutation = [1, 0] : (tensor<8x256xf32>) -> tensor<256x8xf32>
    %3 = keratin.reshape %2 : (tensor<256x8xf32>) -> tensor<8x256xf32>
    %4 = keratin.add %0, %3 : (tensor<8x256xf32>, tensor<8x256xf32>) -> tensor<8x256xf32>
    keratin.yield %4 : tensor<8x256xf32>
  }
  return %y : tensor<8x256xf32>
}

// The step and places are read anew in each step, and addresses follow from few registers. Where they begin on multiples of 16 bytes, groups are read at once, as in kernels by themselves.
// WIDE-COUNT-1: .visible .entry model_resident_0(
// WIDE:         bar.red.or.pred
// WIDE:         begin inline asm
// WIDE-NEXT:    mov.u64 %rd{{[0-9]+}}, %rd{{[0-9]+}};
// WIDE:         mov.u32 %r{{[0-9]+}}, %nctaid.x;
// WIDE:         bar.sync 0;
// WIDE:         begin inline asm
// WIDE-NEXT:    mov.u64 %rd{{[0-9]+}}, %rd{{[0-9]+}};
// WIDE:         mov.u32 %r{{[0-9]+}}, %ctaid.x;
// WIDE:         or.b64
// WIDE:         and.b32 {{.*}}, 15;
// WIDE:         ld.global.v4.f32
// WIDE:         ld.global.v4.f32
// WIDE:         st.global.v4.f32
// WIDE-NOT:     .visible .entry
func.func @wide(%h: tensor<64x64xf32> {keratin.kind = "input", keratin.name = "h"}, %x: tensor<5x64x64xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = #keratin.dims<5> init(%h) over(%x) with() : (tensor<64x64xf32>, tensor<5x64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<64x64xf32>, %e: tensor<64x64xf32>):
    %0 = keratin.mul %s, %e : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    keratin.yield %0 : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}
