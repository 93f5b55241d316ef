// arg_max and arg_min on the device "cuda": threads share lines, and meet with the best of their
// elements and its place.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=rows | FileCheck %s --check-prefix=ROWS

// CHECK-LABEL: function rows
// CHECK:         nest: lines of 100 elements, d0 x 1 of them
// CHECK:         schedule: 32 threads a row; 4 elements before the first is looked at; places of 32 bits
// CHECK-NEXT:    launch: a unit 32 threads; 128 threads a block
// An element and its place.
// ROWS:          shfl.sync.down.b32 {{.*}}, 1, 31, -1;
// ROWS:          shfl.sync.down.b32 {{.*}}, 1, 31, -1;
func.func @rows(%x: tensor<?x100xf32, #keratin.dims<d0, 100>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?xi64, #keratin.dims<d0>>
  return %0 : tensor<?xi64, #keratin.dims<d0>>
}

// CHECK-LABEL: function columns
// CHECK:         schedule: 32 threads next to each other, 8 threads a column; in max(min(floordiv(d0 + 63, 64), 256), 1) parts; 4 elements before the first is looked at; places of 64 bits
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 3072 bytes of shared memory, 384 bytes a unit for the others
func.func @columns(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xi64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.arg_min %x {axis = 0 : i64} : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xi64>
  return %0 : tensor<64xi64>
}
