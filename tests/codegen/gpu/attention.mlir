// Attention of halves, and in tf32, on the device "cuda": a block of threads has scores in registers. The rest is three
// kernels.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=many | FileCheck %s --check-prefix=MANY
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=brain | FileCheck %s --check-prefix=BRAIN
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=unknown | FileCheck %s --check-prefix=UNKNOWN
// RUN: keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=many | FileCheck %s --check-prefix=GROUPS
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=kernels --function=floats | FileCheck %s --check-prefix=TF32
// RUN: keratin-dump %s --target=cuda --float32-products=tf32 --stage=ptx --function=floats | FileCheck %s --check-prefix=FLOATS

// CHECK-LABEL: function many
// CHECK:         nest: attention, batch 64, queries 1024 of 64, keys 1024, values of 64
// CHECK-NEXT:    work: units 512,
// CHECK-NEXT:    schedule: 128 rows, a warp 32; 64 keys at once, by tensor cores
// CHECK-NEXT:    launch: a unit 128 threads; 128 threads a block, 49152 bytes of shared memory
// CHECK-NOT:     kernel 1
// Queries stay in registers. Of a block of keys the next is on its way while a warp multiplies 32 rows by 64 keys, of
// 64 scores a thread makes weights, and two of them are a word of the factors of the next 64 products.
// MANY-NOT:      .local
// MANY-COUNT-8:  ldmatrix.sync.aligned.m8n8.x4.shared.b16
// MANY-NOT:      ldmatrix
// MANY-COUNT-32: cvt.rn.f16x2.f32
// MANY-COUNT-4:  ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// MANY-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      mma
// MANY:          cp.async.wait_group 0;
// MANY:          bar.sync
// MANY-NOT:      bar.sync
// MANY-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// MANY-NOT:      mma
// MANY:          shfl.sync.bfly
// MANY-COUNT-64: ex2.approx.ftz.f32
// MANY-NOT:      bar.sync
// MANY:          vote.sync.any
// By warpgroups queries and weights are factors in registers, keys and values stay in shared memory.
// GROUPS:        .extern .shared .align 1024
// GROUPS:        .maxntid 256
// GROUPS:        wgmma.fence.sync.aligned;
// GROUPS:        wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, first, 1, 1, 1;
// GROUPS-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, adds, 1, 1, 1;
// GROUPS-NEXT:   wgmma.commit_group.sync.aligned;
// GROUPS-NEXT:   wgmma.wait_group.sync.aligned 0;
// GROUPS:        cp.async.wait_group 0;
// GROUPS:        fence.proxy.async.shared::cta;
// GROUPS:        bar.sync 0;
// GROUPS:        wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, first, 1, 1, 0, 0;
// GROUPS-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, adds, 1, 1, 0, 0;
// GROUPS-NEXT:   wgmma.commit_group.sync.aligned;
// GROUPS-NEXT:   wgmma.wait_group.sync.aligned 0;
func.func @many(%q: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x1024xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %p = keratin.cast %w : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  return %y : tensor<64x1024x64xf16>
}

// Fewer rows where there are few blocks, or results are wide.
// CHECK-LABEL: function brain
// CHECK:         schedule: 64 rows, a warp 16; 64 keys at once, by tensor cores
// CHECK-NEXT:    launch: {{.*}}, 81920 bytes of shared memory
// CHECK-NOT:     kernel 1
// BRAIN-NOT:     .local
// BRAIN-DAG:     mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// BRAIN-DAG:     cvt.rn.bf16x2.f32
func.func @brain(%q: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<512x1024x128xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<bf16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<512x1024x128xbf16>, tensor<512x1024x128xbf16>) -> tensor<512x1024x1024xbf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<bf16>) -> tensor<512x1024x1024xbf16>
  %scaled = keratin.mul %s, %cb : (tensor<512x1024x1024xbf16>, tensor<512x1024x1024xbf16>) -> tensor<512x1024x1024xbf16>
  %x = keratin.cast %scaled : (tensor<512x1024x1024xbf16>) -> tensor<512x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<512x1024x1024xf32>) -> tensor<512x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<512x1024xf32>) -> tensor<512x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<512x1024x1024xf32>, tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %e = keratin.exp %d : (tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<512x1024x1024xf32>) -> tensor<512x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<512x1024xf32>) -> tensor<512x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<512x1024x1024xf32>, tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %p = keratin.cast %w : (tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xbf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<512x1024x1024xbf16>, tensor<512x1024x128xbf16>) -> tensor<512x1024x128xbf16>
  return %y : tensor<512x1024x128xbf16>
}

// Whoever is behind the last key has no weight.
// CHECK-LABEL: function unknown
// CHECK:         nest: attention, batch d0, queries d1 of 32, keys d2, values of 64
// CHECK:         schedule: 128 rows, a warp 32;
// CHECK-NOT:     kernel 1
// UNKNOWN-NOT:   .local
// UNKNOWN:       selp.f32 {{.*}}, 0fFF800000,
func.func @unknown(%q: tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %scaled = keratin.mul %s, %cb : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %x = keratin.cast %scaled : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %p = keratin.cast %w : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  return %y : tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
}

// CHECK-LABEL: function few
// CHECK:         schedule: 64 rows, a warp 16;
func.func @few(%q: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<8x256x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<8x256x64xf16>, tensor<8x256x64xf16>) -> tensor<8x256x256xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<8x256x256xf16>
  %scaled = keratin.mul %s, %cb : (tensor<8x256x256xf16>, tensor<8x256x256xf16>) -> tensor<8x256x256xf16>
  %x = keratin.cast %scaled : (tensor<8x256x256xf16>) -> tensor<8x256x256xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<8x256x256xf32>) -> tensor<8x256xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x256xf32>
  %d = keratin.sub %x, %mb : (tensor<8x256x256xf32>, tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %e = keratin.exp %d : (tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<8x256x256xf32>) -> tensor<8x256xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x256xf32>
  %w = keratin.div %e, %zb : (tensor<8x256x256xf32>, tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %p = keratin.cast %w : (tensor<8x256x256xf32>) -> tensor<8x256x256xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<8x256x256xf16>, tensor<8x256x64xf16>) -> tensor<8x256x64xf16>
  return %y : tensor<8x256x64xf16>
}

// Four blocks would walk over all keys alone.
// CHECK-LABEL: function long
// CHECK:         kernel 2
func.func @long(%q: tensor<4x64x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<4x4096x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<4x4096x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<4x64x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x64x64xf16>, tensor<4x4096x64xf16>) -> tensor<4x64x4096xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<4x64x4096xf16>
  %scaled = keratin.mul %s, %cb : (tensor<4x64x4096xf16>, tensor<4x64x4096xf16>) -> tensor<4x64x4096xf16>
  %x = keratin.cast %scaled : (tensor<4x64x4096xf16>) -> tensor<4x64x4096xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x64x4096xf32>) -> tensor<4x64xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x4096xf32>
  %d = keratin.sub %x, %mb : (tensor<4x64x4096xf32>, tensor<4x64x4096xf32>) -> tensor<4x64x4096xf32>
  %e = keratin.exp %d : (tensor<4x64x4096xf32>) -> tensor<4x64x4096xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x64x4096xf32>) -> tensor<4x64xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x4096xf32>
  %w = keratin.div %e, %zb : (tensor<4x64x4096xf32>, tensor<4x64x4096xf32>) -> tensor<4x64x4096xf32>
  %p = keratin.cast %w : (tensor<4x64x4096xf32>) -> tensor<4x64x4096xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x64x4096xf16>, tensor<4x4096x64xf16>) -> tensor<4x64x64xf16>
  return %y : tensor<4x64x64xf16>
}

// Elements of a value that are read 16 bytes at a time.
// CHECK-LABEL: function odd
// CHECK:         kernel 2
func.func @odd(%q: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x60xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x60xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x1024xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %p = keratin.cast %w : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x60xf16>) -> tensor<64x1024x60xf16>
  return %y : tensor<64x1024x60xf16>
}

// CHECK-LABEL: function wide
// CHECK:         kernel 2
func.func @wide(%q: tensor<64x1024x256xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x256xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x256xf16>, tensor<64x1024x256xf16>) -> tensor<64x1024x1024xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %p = keratin.cast %w : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  return %y : tensor<64x1024x64xf16>
}

// CHECK-LABEL: function floats
// CHECK:         kernel 2
// TF32:          schedule: 64 rows, a warp 16; 64 keys at once, by tensor cores in tf32
// TF32-NEXT:     launch: {{.*}}, 81920 bytes of shared memory
// TF32-NOT:      kernel 1
// FLOATS-NOT:    .local
// FLOATS-DAG:    cvt.rna.tf32.f32
// FLOATS-DAG:    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @floats(%q: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f32>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf32>, tensor<64x1024x64xf32>) -> tensor<64x1024x1024xf32>
  %cb = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x1024x1024xf32>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %scaled axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %scaled, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf32>, tensor<64x1024x64xf32>) -> tensor<64x1024x64xf32>
  return %y : tensor<64x1024x64xf32>
}
