// Gradients of attention on the device "cuda": one kernel, whose blocks make scores anew and hold them in registers.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=many | FileCheck %s --check-prefix=MANY
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=brain | FileCheck %s --check-prefix=BRAIN
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=unknown | FileCheck %s --check-prefix=UNKNOWN
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=many | FileCheck %s --check-prefix=GROUPS
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=kernels --function=floats | FileCheck %s --check-prefix=TF32
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=ptx --function=floats | FileCheck %s --check-prefix=FLOATS

// Attention hands on numbers of rows, from which the gradients' kernel makes the weights again.
// CHECK-LABEL: function many
// CHECK:       kernel 0:
// CHECK:         nest: attention, batch 64, queries 1024 of 64, keys 1024, values of 64
// CHECK:       kernel 2:
// CHECK:         nest: gradients of attention, batch 64, queries 1024, keys 1024; made of widths 64, 64; sums over keys of 64; sums over queries of 64, 64
// CHECK-NEXT:    work: units 2048,
// CHECK-NEXT:    schedule: 64 keys and 64 queries at once; 64 queries and 64 keys at once, by tensor cores
// CHECK-NEXT:    launch: a unit 128 threads; 128 threads a block, 50688 bytes of shared memory
// CHECK-NOT:   kernel 3
// Of 64 keys a step has two products with 64 queries, 32 elements of a thread, and two sums; of 64 queries two products
// and one sum. No number is added up in memory.
// MANY-LABEL:    .visible .entry {{.*}}kernel_2
// MANY-NOT:      {{\.local|atom\.|[[:space:]]red\.}}
// MANY:          cp.async.commit_group
// MANY-NOT:      .trans
// MANY-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      {{mma|\.trans}}
// MANY-COUNT-32: ex2.approx.ftz.f32
// MANY-NOT:      ex2
// MANY-COUNT-16: cvt.rn.f16x2.f32
// MANY-COUNT-4:  ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// MANY-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      mma
// MANY:          cp.async.wait_group 0;
// MANY-NOT:      {{\.local|atom\.|[[:space:]]red\.}}
// MANY-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      mma
// MANY-COUNT-32: ex2.approx.ftz.f32
// MANY-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      {{mma|\.local|atom\.|[[:space:]]red\.}}
// By warpgroups all factors but weights and the gradient by scores stay in shared memory.
// GROUPS-LABEL:  .visible .entry {{.*}}kernel_2
// GROUPS-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, {{first|adds}}, 1, 1, 0, 0;
// GROUPS-NEXT:   wgmma.commit_group.sync.aligned;
// GROUPS-NEXT:   wgmma.wait_group.sync.aligned 0;
// GROUPS-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, {{first|adds}}, 1, 1, 0, 0;
// GROUPS:        ex2.approx.ftz.f32
// GROUPS-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}}, %rd{{[0-9]+}}, {{first|adds}}, 1, 1, 1;
// GROUPS-COUNT-12: wgmma.mma_async
// GROUPS-NOT:    {{wgmma.mma_async|ldmatrix|\.local}}
func.func @many(%q: tensor<64x1024x64xf16>, %k: tensor<64x1024x64xf16>,
    %v: tensor<64x1024x64xf16>, %c: tensor<64x1024x64xf16>) -> (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x1024xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %f = keratin.stop_gradient %m : (tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w32 = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.cast %w32 : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  %p = keratin.mul %y, %c : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x1024x64xf16>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>
}

// Rows of 256 bytes leave registers for fewer lines at once.
// CHECK-LABEL: function brain
// CHECK:       kernel 2:
// CHECK:         schedule: 64 keys and 32 queries at once; 64 queries and 32 keys at once, by tensor cores
// CHECK-NEXT:    launch: {{.*}}, 66304 bytes of shared memory
// CHECK-NOT:   kernel 3
// BRAIN-LABEL:   .visible .entry {{.*}}kernel_2
// BRAIN-NOT:     .local
// BRAIN:         mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// BRAIN:         cvt.rn.bf16x2.f32
func.func @brain(%q: tensor<16x512x128xbf16>, %k: tensor<16x512x128xbf16>,
    %v: tensor<16x512x128xbf16>, %c: tensor<16x512x128xbf16>) -> (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x512xbf16>
  %e0 = keratin.constant dense<0.125> : tensor<bf16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<bf16>) -> tensor<16x512x512xbf16>
  %scaled = keratin.mul %s, %e1 : (tensor<16x512x512xbf16>, tensor<16x512x512xbf16>) -> tensor<16x512x512xbf16>
  %x = keratin.cast %scaled : (tensor<16x512x512xbf16>) -> tensor<16x512x512xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<16x512x512xf32>) -> tensor<16x512xf32>
  %f = keratin.stop_gradient %m : (tensor<16x512xf32>) -> tensor<16x512xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<16x512xf32>) -> tensor<16x512x512xf32>
  %d = keratin.sub %x, %mb : (tensor<16x512x512xf32>, tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %e = keratin.exp %d : (tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<16x512x512xf32>) -> tensor<16x512xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<16x512xf32>) -> tensor<16x512x512xf32>
  %w32 = keratin.div %e, %zb : (tensor<16x512x512xf32>, tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %w = keratin.cast %w32 : (tensor<16x512x512xf32>) -> tensor<16x512x512xbf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<16x512x512xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x128xbf16>
  %p = keratin.mul %y, %c : (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x128xbf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<16x512x128xbf16>) -> tensor<bf16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<bf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>
}

// What is behind the last query or key is left out of the sums.
// CHECK-LABEL: function unknown
// CHECK:       kernel 2:
// CHECK:         nest: gradients of attention, batch d0, queries d1, keys d2; made of widths 32, 64; sums over keys of 32; sums over queries of 64, 32
// CHECK-NEXT:    work: units d0*floordiv(d1 + 63, 64) + d0*floordiv(d2 + 63, 64),
// CHECK-NEXT:    schedule: 64 keys and 32 queries at once; 64 queries and 32 keys at once, by tensor cores
// CHECK-NOT:   kernel 3
// UNKNOWN-LABEL: .visible .entry {{.*}}kernel_2
// UNKNOWN-NOT:   .local
// UNKNOWN:       selp.f32 {{.*}}, 0f00000000,
func.func @unknown(%q: tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, %k: tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>,
    %v: tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>, %c: tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %scaled = keratin.mul %s, %e1 : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %x = keratin.cast %scaled : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %f = keratin.stop_gradient %m : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w32 = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.cast %w32 : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  %p = keratin.mul %y, %c : (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>)
  return %y, %g#0, %g#1, %g#2 : tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>
}

// The values' gradient alone needs no product of the result's gradient and values, and no blocks of queries.
// CHECK-LABEL: function by_values
// CHECK:       kernel 1:
// CHECK:         nest: gradients of attention, batch 64, queries 256, keys 256; made of widths 64; sums over queries of 64
// CHECK-NEXT:    work: units 256,
// CHECK-NEXT:    schedule: 64 keys and 64 queries at once, by tensor cores
// CHECK-NEXT:    launch: {{.*}}, 41984 bytes of shared memory
// CHECK-NOT:   kernel 2
func.func @by_values(%q: tensor<64x256x64xf16>, %k: tensor<64x256x64xf16>,
    %v: tensor<64x256x64xf16>, %c: tensor<64x256x64xf16>) -> (tensor<64x256x64xf16>, tensor<64x256x64xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x256x64xf16>, tensor<64x256x64xf16>) -> tensor<64x256x256xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<64x256x256xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<64x256x256xf16>, tensor<64x256x256xf16>) -> tensor<64x256x256xf16>
  %x = keratin.cast %scaled : (tensor<64x256x256xf16>) -> tensor<64x256x256xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %f = keratin.stop_gradient %m : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %d = keratin.sub %x, %mb : (tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %e = keratin.exp %d : (tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %w32 = keratin.div %e, %zb : (tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %w = keratin.cast %w32 : (tensor<64x256x256xf32>) -> tensor<64x256x256xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x256x256xf16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  %p = keratin.mul %y, %c : (tensor<64x256x64xf16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x256x64xf16>) -> tensor<f16>
  %g = keratin.gradients %loss wrt %v : (tensor<f16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  return %y, %g : tensor<64x256x64xf16>, tensor<64x256x64xf16>
}

// CHECK-LABEL: function wide
// CHECK:       kernel 7
func.func @wide(%q: tensor<4x512x256xf16>, %k: tensor<4x512x256xf16>,
    %v: tensor<4x512x64xf16>, %c: tensor<4x512x64xf16>) -> (tensor<4x512x64xf16>, tensor<4x512x256xf16>, tensor<4x512x256xf16>, tensor<4x512x64xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x512x256xf16>, tensor<4x512x256xf16>) -> tensor<4x512x512xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<4x512x512xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<4x512x512xf16>, tensor<4x512x512xf16>) -> tensor<4x512x512xf16>
  %x = keratin.cast %scaled : (tensor<4x512x512xf16>) -> tensor<4x512x512xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x512x512xf32>) -> tensor<4x512xf32>
  %f = keratin.stop_gradient %m : (tensor<4x512xf32>) -> tensor<4x512xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x512xf32>) -> tensor<4x512x512xf32>
  %d = keratin.sub %x, %mb : (tensor<4x512x512xf32>, tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
  %e = keratin.exp %d : (tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x512x512xf32>) -> tensor<4x512xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x512xf32>) -> tensor<4x512x512xf32>
  %w32 = keratin.div %e, %zb : (tensor<4x512x512xf32>, tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
  %w = keratin.cast %w32 : (tensor<4x512x512xf32>) -> tensor<4x512x512xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x512x512xf16>, tensor<4x512x64xf16>) -> tensor<4x512x64xf16>
  %p = keratin.mul %y, %c : (tensor<4x512x64xf16>, tensor<4x512x64xf16>) -> tensor<4x512x64xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x512x64xf16>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<4x512x256xf16>, tensor<4x512x256xf16>, tensor<4x512x64xf16>) -> (tensor<4x512x256xf16>, tensor<4x512x256xf16>, tensor<4x512x64xf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<4x512x64xf16>, tensor<4x512x256xf16>, tensor<4x512x256xf16>, tensor<4x512x64xf16>
}

// CHECK-LABEL: function floats
// CHECK:       kernel 7
// TF32:        kernel 2:
// TF32:          schedule: 64 keys and 32 queries at once; 64 queries and 32 keys at once, by tensor cores in tf32
// TF32-NEXT:     launch: {{.*}}, 99072 bytes of shared memory
// TF32-NOT:    kernel 3
// FLOATS-LABEL: .visible .entry {{.*}}kernel_2
// FLOATS-NOT:  .local
// FLOATS:      cvt.rna.tf32.f32
// FLOATS:      mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @floats(%q: tensor<64x512x64xf32>, %k: tensor<64x512x64xf32>,
    %v: tensor<64x512x64xf32>, %c: tensor<64x512x64xf32>) -> (tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> tensor<64x512x512xf32>
  %e0 = keratin.constant dense<0.125> : tensor<f32>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f32>) -> tensor<64x512x512xf32>
  %x = keratin.mul %s, %e1 : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %f = keratin.stop_gradient %m : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %d = keratin.sub %x, %mb : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %e = keratin.exp %d : (tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %w = keratin.div %e, %zb : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x512x512xf32>, tensor<64x512x64xf32>) -> tensor<64x512x64xf32>
  %p = keratin.mul %y, %c : (tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> tensor<64x512x64xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x512x64xf32>) -> tensor<f32>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> (tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>)
  return %y, %g#0, %g#1, %g#2 : tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>
}
