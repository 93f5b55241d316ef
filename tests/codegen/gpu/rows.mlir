// Reductions of rows on the device "cuda": a warp walks a row, and its threads meet by shuffles.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=sums | FileCheck %s --check-prefix=SUMS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=softmax | FileCheck %s --check-prefix=SOFTMAX
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=short_rows | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: function sums
// CHECK:         nest: kept d0, reduced 1000
// CHECK:         work: units d0, grain 1
// CHECK-NEXT:    schedule: 32 threads a row, a warp, which meet by shuffles
// CHECK-NEXT:    launch: a unit 32 threads; 128 threads a block
// Neighbouring threads read neighbouring elements; in pairs, in pairs of pairs; one thread writes.
// SUMS:          mov.u32 {{%r[0-9]+}}, %laneid;
// SUMS-DAG:      ld.global.f32
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
// CHECK:         schedule: 32 threads a row, a warp, which meet by shuffles; sums with their rounding errors
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

// A warp would wait for most of its threads.
// CHECK-LABEL: function short_rows
// CHECK:         schedule: 1 thread a row
// CHECK-NEXT:    launch: a unit a thread
// SHORT-NOT:     shfl
func.func @short_rows(%x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}
