// Products of f16 and bf16 on sm_90a: four warps multiply matrices of 64 rows together (wgmma). On
// all other architectures, and on sm_90a what is no such product, code is what it is without.

// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=halves | FileCheck %s --check-prefix=HALVES
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=turned | FileCheck %s --check-prefix=TURNED
// RUN: keratin-dump %s --target=cuda:sm_80,sm_90 --stage=ptx --function=halves | FileCheck %s --check-prefix=OTHERS
// RUN: keratin-dump %s --target=cuda:sm_80,sm_90a --stage=ptx --function=halves | FileCheck %s --check-prefix=BOTH
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=small | FileCheck %s --check-prefix=SMALL
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=single | FileCheck %s --check-prefix=SMALL

// A and B along the depth and along columns: rows of 128 bytes of shared memory. The products of a
// stage are in flight while the next one is waited for, and nothing touches their sums: no move is
// between the first of them and the wait for the last.
// HALVES:        .target sm_90a
// HALVES:        .extern .shared .align 1024
// HALVES:        cp.async.commit_group;
// HALVES:        cp.async.commit_group;
// HALVES:        cp.async.wait_group 1;
// HALVES:        fence.proxy.async.shared::cta;
// HALVES:        bar.sync 0;
// HALVES:        wgmma.fence.sync.aligned;
// HALVES-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, adds, 1, 1, 0, 1;
// HALVES:        wgmma.commit_group.sync.aligned;
// HALVES-NEXT:   wgmma.wait_group.sync.aligned 1;
// HALVES-NOT:    mov.{{[fb]}}32 %f
// HALVES:        bar.sync 0;
// HALVES-NOT:    mov.{{[fb]}}32 %f
// HALVES:        cp.async.cg.shared.global
// HALVES-NOT:    mov.{{[fb]}}32 %f
// HALVES:        wgmma.wait_group.sync.aligned 0;
// HALVES-NOT:    {{ldmatrix|mma.sync|[.]local}}
// OTHERS:        .target sm_80
// OTHERS:        mma.sync
// OTHERS-NOT:    {{wgmma|sm_90a}}
// BOTH:          .target sm_80
// BOTH:          mma.sync
// BOTH:          .target sm_90a
// BOTH:          wgmma
func.func @halves(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// TURNED-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, adds, 1, 1, 1, 0;
func.func @turned(%x: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [1] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// Rows for half a warpgroup, and another dtype.
// SMALL:         .target sm_80
// SMALL-NOT:     wgmma
func.func @small(%x: tensor<32x512xf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<512x512xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<32x512xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<32x512xf16>, tensor<512x512xf16>) -> tensor<32x512xf16>
  return %0 : tensor<32x512xf16>
}
func.func @single(%x: tensor<512x512xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<512x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<512x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
