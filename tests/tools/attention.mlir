// Attention of any sizes in the dumps: its kernel on two processors, and no scores in the plan of memory.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// Where memory is far, tiles of f32 ask for what comes next.
// RUN: keratin-dump %s --stage=kernels --mcpu=sapphirerapids | FileCheck %s --check-prefix=FAR
// FAR: units of up to 280 rows; tiles ask for what is packed next
// RUN: keratin-dump %s --format=stats --size=d0=8 --size=d1=1024 --size=d2=512 | FileCheck %s --check-prefix=STATS

// A device makes scores of float32 in memory.
// RUN: keratin-dump %s --stage=fused --target=cuda | FileCheck %s --check-prefix=DEVICE
// DEVICE-COUNT-3: keratin.kernel(

// CHECK:      kernel 0: dot_general
// CHECK:        nest: attention, batch d0, queries d1 of 64, keys d2, values of 32
// CHECK-NEXT:   work: units d0*floordiv(
// V3-NEXT:      schedule: tiles of 6 rows x 2 vectors x 8 lanes for scores, tiles of 6 rows x 2 vectors x 8 lanes for values; 54 rows x 256 keys at once; units of up to 270 rows{{$}}
// V4-NEXT:      schedule: tiles of 14 rows x 2 vectors x 16 lanes for scores, tiles of 14 rows x 2 vectors x 16 lanes for values; 56 rows x 256 keys at once; units of up to 280 rows{{$}}
// CHECK-NOT:  kernel 1

// STATS:      bytes read      3670016 =
// STATS-NEXT: bytes written   1048576 =
// STATS-NEXT: arena bytes     0
func.func @main(%q: tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, %k: tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>,
    %v: tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>> {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x64xf32, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf32, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x32xf32, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>
  return %o : tensor<?x?x32xf32, #keratin.dims<d0, d1, 32>>
}
