// Reductions of rows on the device "cuda": threads share a row, and meet by shuffles, those of a
// block by its memory, blocks in the device's.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=sums | FileCheck %s --check-prefix=SUMS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=softmax | FileCheck %s --check-prefix=SOFTMAX
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=kept | FileCheck %s --check-prefix=KEPT
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=short_rows | FileCheck %s --check-prefix=SHORT
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=loss | FileCheck %s --check-prefix=LOSS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=few_long | FileCheck %s --check-prefix=PASSES

// CHECK-LABEL: function sums
// CHECK:         nest: kept d0, reduced 1000
// CHECK:         work: units d0, grain 1
// CHECK-NEXT:    schedule: 32 threads a row; 4 elements at once, 4 times before the first is taken
// CHECK-NEXT:    launch: a unit 32 threads; 128 threads a block
// Neighbouring threads read neighbouring sixteens of bytes; in pairs, in pairs of pairs; one thread writes.
// SUMS:          mov.u32 {{%r[0-9]+}}, %laneid;
// SUMS-COUNT-4:  ld.global.v4.f32
// SUMS-DAG:      shfl.sync.down.b32 {{.*}}, 1, 31, -1;
// SUMS-DAG:      shfl.sync.down.b32 {{.*}}, 2, 31, -1;
// SUMS-DAG:      shfl.sync.down.b32 {{.*}}, 4, 31, -1;
// SUMS-DAG:      shfl.sync.down.b32 {{.*}}, 8, 31, -1;
// SUMS-DAG:      shfl.sync.down.b32 {{.*}}, 16, 31, -1;
// SUMS-DAG:      shfl.sync.idx.b32 {{.*}}, 0, 31, -1;
func.func @sums(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// Rows of any length: sums take their rounding errors along.
// CHECK-LABEL: function softmax
// CHECK:         stage 0: reduce_max
// CHECK-NEXT:    stage 1: reduce_sum
// CHECK:         schedule: 32 threads a row; 1 element at once, 4 times before the first is taken; sums with their rounding errors
// One kernel: the largest, the sum, the quotients.
// SOFTMAX-COUNT-1: .visible .entry
// SOFTMAX-NOT:     .visible .entry
func.func @softmax(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output", keratin.name = "y"}) {
  %m = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %c = keratin.sub %x, %mb : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %e = keratin.exp %c : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %sb = keratin.broadcast %s dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %0 = keratin.div %e, %sb : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// Rows of known length that fit are read once: eight times sixteen bytes a thread, the last of them not by all.
// CHECK-LABEL: function kept
// CHECK:         schedule: 32 threads a row; 4 elements at once, 8 times, which stay in registers
// KEPT-COUNT-8:  ld.global.v4.f32
// KEPT-NOT:      ld.global.v4.f32
// KEPT:          st.global.v4.f32
func.func @kept(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "output", keratin.name = "y"}) {
  %m = keratin.reduce_max %x axes = [1] : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1000xf32, #keratin.dims<d0, 1000>>
  %0 = keratin.sub %x, %mb : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>, tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?x1000xf32, #keratin.dims<d0, 1000>>
  return %0 : tensor<?x1000xf32, #keratin.dims<d0, 1000>>
}

// Of short rows a warp does several, which need not wait for each other.
// CHECK-LABEL: function short_rows
// CHECK:         schedule: 2 threads a row; 4 elements at once
// CHECK-NEXT:    launch: a unit 2 threads; 128 threads a block
// SHORT:         shl.b32
// SHORT:         shfl.sync.down.b32 {{.*}}, 1, 7711,
// SHORT:         shfl.sync.idx.b32 {{.*}}, 0, 7711,
// SHORT-NOT:     bar.sync
func.func @short_rows(%x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// A whole tensor is divided over blocks by its size; the block that comes last, by a counter, puts their parts together.
// CHECK-LABEL: function loss
// CHECK:         work: units 128, grain 1
// CHECK-NEXT:    schedule: 256 threads a row; in 128 parts; 4 elements at once, 4 times before the first is taken
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 32 bytes of shared memory, 16 bytes a unit for the others
// LOSS:          st.shared.f32
// LOSS:          bar.sync 0;
// LOSS:          membar.gl;
// LOSS:          atom.global.inc.u32
// LOSS:          membar.gl;
// LOSS:          bar.red.or.pred
func.func @loss(%x: tensor<1048576xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<1048576xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Few rows that do not fit registers: the parts of all of them are done once for each pass. Blocks
// take them in order, and wait for what the pass before has left of their row.
// CHECK-LABEL: function few_long
// CHECK:         schedule: 256 threads a row; in {{[0-9]+}} parts, in 2 passes; 4 elements at once, 4 times before the first is taken
// PASSES-COUNT-1: .visible .entry
// PASSES:         atom.global.inc.u32
// PASSES:         st.volatile.global.u32
// PASSES:         ld.volatile.global.u32
// PASSES-NOT:     .visible .entry
func.func @few_long(%x: tensor<2x100000xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x100000xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %m = keratin.reduce_max %x axes = [1] : (tensor<2x100000xf32>) -> tensor<2xf32>
  %mb = keratin.broadcast %m dims = [0] : (tensor<2xf32>) -> tensor<2x100000xf32>
  %0 = keratin.sub %x, %mb : (tensor<2x100000xf32>, tensor<2x100000xf32>) -> tensor<2x100000xf32>
  return %0 : tensor<2x100000xf32>
}
