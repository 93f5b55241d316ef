// Reductions of columns on the device "cuda": neighbouring threads have neighbouring columns, and
// share them with others through the memory of a block.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=bias_gradient | FileCheck %s --check-prefix=BIAS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=few_rows | FileCheck %s --check-prefix=FEW
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=softmax | FileCheck %s --check-prefix=SOFTMAX

// Of any number of rows, divided over blocks that meet.
// CHECK-LABEL: function bias_gradient
// CHECK:         work: units max(min(floordiv(d0 + 127, 128), 512), 1), grain 1
// CHECK-NEXT:    schedule: 16 threads next to each other, 16 threads a column; in max(min(floordiv(d0 + 127, 128), 512), 1) parts; 4 elements at once, 4 times before the first is taken; sums with their rounding errors
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 2048 bytes of shared memory, 256 bytes a unit for the others
// BIAS-COUNT-4:  ld.global.v4.f32
// Two threads of a column in each warp; then the eight warps; then the blocks.
// BIAS:          shfl.sync.down.b32 {{.*}}, 16, 31, -1;
// BIAS:          bar.sync 0;
// BIAS:          st.shared.v4.f32
// BIAS:          bar.sync 0;
// BIAS-COUNT-8:  ld.shared.v4.f32
// BIAS:          atom.global.inc.u32
func.func @bias_gradient(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// A thread for a group of columns.
// CHECK-LABEL: function few_rows
// CHECK:         schedule: 1 thread a column; 1 element at once, 4 times before the first is taken
// CHECK-NEXT:    launch: a unit a thread; 128 threads a block
// FEW-NOT:       shfl
// FEW-NOT:       bar.sync
func.func @few_rows(%x: tensor<8x?xf32, #keratin.dims<8, d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<8x?xf32, #keratin.dims<8, d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// Columns of any number: the last block may have some that are none.
// CHECK-LABEL: function any
// CHECK:         work: units floordiv(d1 + 31, 32), grain 1
// CHECK-NEXT:    schedule: 32 threads next to each other, 8 threads a column; 1 element at once
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 1024 bytes of shared memory
func.func @any(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d1>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  return %0 : tensor<?xf32, #keratin.dims<d1>>
}

// Several stages are one kernel; each element is read once and stays in registers.
// CHECK-LABEL: function softmax
// CHECK:         stage 0: reduce_max
// CHECK-NEXT:    stage 1: reduce_sum
// CHECK:         schedule: 4 threads next to each other, 32 threads a column; 4 elements at once, 2 times, which stay in registers
// SOFTMAX-COUNT-1: .visible .entry
// SOFTMAX-COUNT-2: ld.global.v4.f32
// SOFTMAX-NOT:     ld.global.v4.f32
// SOFTMAX-NOT:     .visible .entry
func.func @softmax(%x: tensor<64x1024xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64x1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %m = keratin.reduce_max %x axes = [0] : (tensor<64x1024xf32>) -> tensor<1024xf32>
  %mb = keratin.broadcast %m dims = [1] : (tensor<1024xf32>) -> tensor<64x1024xf32>
  %c = keratin.sub %x, %mb : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %e = keratin.exp %c : (tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %s = keratin.reduce_sum %e axes = [0] : (tensor<64x1024xf32>) -> tensor<1024xf32>
  %sb = keratin.broadcast %s dims = [1] : (tensor<1024xf32>) -> tensor<64x1024xf32>
  %0 = keratin.div %e, %sb : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}

// Few columns of any length, of which more is made than sums: as few rows are.
// CHECK-LABEL: function few_columns
// CHECK:         stage 0: reduce_max
// CHECK-NEXT:    stage 1: reduce_sum
// CHECK:         schedule: 16 threads next to each other, 16 threads a column; in {{.*}} parts, in 3 passes; 4 elements at once
func.func @few_columns(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %m = keratin.reduce_max %x axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  %mb = keratin.broadcast %m dims = [1] : (tensor<64xf32>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %c = keratin.sub %x, %mb : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %0 = keratin.reduce_sum %c axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
