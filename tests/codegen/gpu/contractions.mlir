// Contractions on the device "cuda": blocks make tiles of the result from tiles of A and B in
// shared memory.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=large | FileCheck %s --check-prefix=LARGE
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=deep | FileCheck %s --check-prefix=DEEP
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=halves | FileCheck %s --check-prefix=HALVES
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=doubles | FileCheck %s --check-prefix=DOUBLES
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=doubles | FileCheck %s --check-prefix=BIG
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=dots | FileCheck %s --check-prefix=DOTS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=across | FileCheck %s --check-prefix=ACROSS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=odd | FileCheck %s --check-prefix=ODD

// CHECK-LABEL: function large
// CHECK:         work: units 1024,
// CHECK-NEXT:    schedule: tiles of 128 x 128 x 16{{.*}}a thread 8 x 8
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 33792 bytes of shared memory
// Where a thread stands are bits of its number. While the products of a stage are summed, the next
// is on its way to registers, 16 bytes at a time; 64 products for four reads of shared memory.
// LARGE:         mov.u32 {{%r[0-9]+}}, %tid.x;
// LARGE-NOT:     sub.s
// LARGE:         bar.sync
// LARGE:       [[LOOP:\$L__BB0_[0-9]+]]:
// LARGE-COUNT-4: ld.global.v4.f32
// LARGE-COUNT-8: ld.shared.v4.f32
// LARGE-NOT:     ld.{{global|local}}
// LARGE-COUNT-64: fma.rn.f32
// LARGE-COUNT-4: ld.shared.v4.f32
// LARGE-NOT:     .local
func.func @large(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// Few tiles of a long depth: blocks share it, and the last to come adds what all have left.
// CHECK-LABEL: function deep
// CHECK:         work: units 128,
// CHECK-NEXT:    schedule: tiles of 32 x 64 x 16
// CHECK-NEXT:    depth: in 16 parts, which meet
// CHECK-NEXT:    launch: {{.*}} 8192 bytes a unit for the others
// DEEP:          st.global.v4.f32
// DEEP:          atom.global.inc.u32
// DEEP:          ld.global.v4.f32
// DEEP:          add.rn.f32
func.func @deep(%x: tensor<128x8192xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<8192x128xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<128x128xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<128x8192xf32>, tensor<8192x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// A depth that the call knows: as many parts as it is worth.
// CHECK-LABEL: function gradient
// CHECK:         depth: in min({{.*}}) parts, which meet
func.func @gradient(%x: tensor<?x128xf32, #keratin.dims<d0, 128>> {keratin.kind = "input", keratin.name = "x"},
                    %y: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<128x64xf32> {keratin.kind = "output", keratin.name = "w"}) {
  %0 = keratin.dot_general %x, %y batch = [] x [] contract = [0] x [0] : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// Rows of 33 and 35 elements begin anywhere: one at a time.
// ODD-NOT:       ld.global.v4
// ODD:           ld.global.f32
// ODD-NOT:       ld.global.v4
func.func @odd(%x: tensor<64x33xf32> {keratin.kind = "input", keratin.name = "x"},
               %w: tensor<33x35xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<64x35xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<64x33xf32>, tensor<33x35xf32>) -> tensor<64x35xf32>
  return %0 : tensor<64x35xf32>
}

// CHECK-LABEL: function halves
// CHECK:         schedule: tiles of 128 x 128 x 32, a warp 64 x 64 by tensor cores
// CHECK-NEXT:    launch: a unit 128 threads; 128 threads a block, 49152 bytes of shared memory
// Three stages: two are on their way while the products of one are summed. A lies as [line][depth],
// B as [depth][line], and is turned as it is read.
// HALVES:        cp.async.cg.shared.global
// HALVES:        cp.async.commit_group;
// HALVES:        cp.async.cg.shared.global
// HALVES:        cp.async.commit_group;
// HALVES:        cp.async.commit_group;
// HALVES-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// HALVES-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// HALVES-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// HALVES-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// HALVES-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// HALVES-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// HALVES-NOT:    {{mma|ldmatrix}}
// HALVES:        cp.async.wait_group 1;
// HALVES-NEXT:   bar.sync 0;
// HALVES-NOT:    .local
func.func @halves(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// CHECK-LABEL: function doubles
// CHECK:         schedule: tiles of 128 x 64 x 8, a warp 64 x 32 by tensor cores
// DOUBLES-COUNT-64: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// DOUBLES-NOT:   .local
// On sm_90a by the larger matrices that it has.
// BIG-COUNT-16: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// BIG-NOT:     {{m8n8k4|[.]local}}
func.func @doubles(%x: tensor<4096x4096xf64> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<4096x4096xf64> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf64>, tensor<4096x4096xf64>) -> tensor<4096x4096xf64>
  return %0 : tensor<4096x4096xf64>
}

// A vector times rows: each row is a warp's, which reads it once, 16 bytes a thread at a time.
// CHECK-LABEL: function dots
// CHECK:         work: units 1024,
// CHECK-NEXT:    schedule: A and 1 vector; a warp a line, which meets by shuffles
// CHECK-NEXT:    launch: a unit 32 threads
// DOTS-DAG:      shfl.sync.down
// DOTS-DAG:      ld.global.v4.f32
// DOTS-DAG:      ld.global.v4.f32
func.func @dots(%x: tensor<1024x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// A vector times columns: threads have neighbouring columns, warps and blocks share the depth.
// CHECK-LABEL: function across
// CHECK:         work: units 128,
// CHECK-NEXT:    schedule: B and 1 vector; 8 warps share the depth of 32 lines
// CHECK-NEXT:    depth: in 4 parts, which meet
// ACROSS:        st.shared.f32
// ACROSS:        bar.sync
// ACROSS:        atom.global.inc.u32
func.func @across(%x: tensor<4096xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<4096x1024xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [0] : (tensor<4096xf32>, tensor<4096x1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
