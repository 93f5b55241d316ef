// Gradients of attention of any sizes in the dumps: their kernel on two processors, and no matrix of queries and keys
// in the plan of memory.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// Where memory is far, tiles ask for what comes next.
// RUN: keratin-dump %s --stage=kernels --mcpu=sapphirerapids | FileCheck %s --check-prefix=FAR
// FAR: fewer than 8 entries in parts; tiles ask for what is packed next
// RUN: keratin-dump %s --format=stats --size=d0=8 --size=d1=1024 --size=d2=512 | FileCheck %s --check-prefix=STATS

// CHECK:      kernel 0: dot_general
// CHECK:        nest: attention, batch d0, queries d1 of 64, keys d2, values of 32
// CHECK:      kernel 2: {{.*}}dot_general
// CHECK:        nest: gradients of attention, batch d0, queries d1, keys d2; made of widths 64, 32; sums over keys of 64; sums over queries of 32, 64
// CHECK-NEXT:   work: units
// CHECK-SAME:     where d0 < 8, else d0,
// V3-NEXT:      schedule: tiles of 6 rows x 2 vectors x 8 lanes; 108 queries x 256 keys at once; fewer than 8 entries in parts{{$}}
// V4-NEXT:      schedule: tiles of 14 rows x 2 vectors x 16 lanes; 112 queries x 256 keys at once; fewer than 8 entries in parts{{$}}
// CHECK-NOT:  kernel 3

// STATS: arena bytes     98496
func.func @main(%q: tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, %k: tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>, %v: tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>, %c: tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>) -> (tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>, tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %f = keratin.stop_gradient %m : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>
  %p = keratin.mul %o, %c : (tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>) -> tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>) -> tensor<f32>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f32>, tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>) -> (tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>)
  return %o, %g#0, %g#1, %g#2 : tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>, tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>
}
