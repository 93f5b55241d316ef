// Products of float32 on the device "cuda" by tensor cores, in tf32: only where that is asked for.

// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=ptx --function=across \
// RUN:   | FileCheck %s --check-prefix=ACROSS
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=ptx --function=along \
// RUN:   | FileCheck %s --check-prefix=ALONG
// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s --check-prefix=EXACT --implicit-check-not=tf32
// RUN: keratin-dump %s --target=cuda --stage=ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=tf32
// RUN: keratin-dump %s --target=cuda --float32-products=float32 --stage=ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=tf32
// The CPU is allowed to, and does not.
// RUN: keratin-dump %s --float32-products=tf32 --stage=asm > %t.allowed
// RUN: keratin-dump %s --stage=asm | cmp - %t.allowed

// EXACT: function across
// EXACT: a thread 8 x 8
// PTX:   .visible .entry
// PTX:   fma.rn.f32

// CHECK-LABEL: function across
// CHECK:         schedule: tiles of 128 x 128 x 16, a warp 64 x 64 by tensor cores in tf32
// CHECK-NEXT:    launch: a unit 128 threads; 128 threads a block, 49152 bytes of shared memory
// A lies as [line][depth] and is read as matrices, B as [depth][line] and is read by elements; each
// factor is rounded once a warp.
// ACROSS:        cp.async.cg.shared.global
// ACROSS:        cp.async.commit_group;
// ACROSS:        ldmatrix.sync.aligned.m8n8.x4.shared.b16
// ACROSS-COUNT-4: cvt.rna.tf32.f32
// ACROSS:        ld.shared.f32
// ACROSS-NEXT:   cvt.rna.tf32.f32
// ACROSS-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// ACROSS:        cp.async.wait_group 1;
// ACROSS-NOT:    .local
func.func @across(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// Both along the depth: nothing is read by elements.
// CHECK-LABEL: function along
// CHECK:         by tensor cores in tf32
// ALONG-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// ALONG-NOT:     ld.shared.f32
// ALONG-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @along(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// CHECK-LABEL: function convolution
// CHECK:         schedule: an implicit product, in tiles of {{.*}} by tensor cores in tf32; rows are places
func.func @convolution(%x: tensor<8x32x32x64xf32> {keratin.kind = "input", keratin.name = "x"},
                       %w: tensor<3x3x64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<8x32x32x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<8x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<8x32x32x64xf32>
  return %0 : tensor<8x32x32x64xf32>
}

// What waits for memory anyhow stays exact, and so do other dtypes.
// CHECK-LABEL: function vector
// CHECK:         schedule: A and 1 vector; a warp a line
// CHECK-LABEL: function doubles
// CHECK:         by tensor cores{{$}}
func.func @vector(%x: tensor<1024x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @doubles(%x: tensor<512x512xf64> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<512x512xf64> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<512x512xf64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<512x512xf64>, tensor<512x512xf64>) -> tensor<512x512xf64>
  return %0 : tensor<512x512xf64>
}
