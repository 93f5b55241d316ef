// Rows added to rows on the device "cuda": a warp has a few rows of the result, and looks through
// the indices for what is added to them, in their order.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=embedding | FileCheck %s --check-prefix=EMBEDDING
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=embedding | FileCheck %s --check-prefix=ATOMICS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=looks_up | FileCheck %s --check-prefix=LOOKS-UP

// The order of the additions is the CPU's, and so are the bits.
// RUN: rm -rf %t && mkdir -p %t/cpu %t/cuda
// RUN: keratin-run %s --function=ordered --random=3 --output-dir=%t/cpu | FileCheck %s --check-prefix=ORDERED
// RUN: env KERATIN_EMULATOR=seed=7 keratin-run %s --function=ordered --device=emulated --random=3 --check --output-dir=%t/cuda | FileCheck %s --check-prefix=ORDERED
// RUN: cmp %t/cpu/y.npy %t/cuda/y.npy
// RUN: cmp %t/cpu/h.npy %t/cuda/h.npy

// CHECK-LABEL: function embedding
// CHECK:         nest: d0 rows of 64 elements added to 50000
// CHECK-NEXT:    work: units 6250, grain 1
// CHECK-NEXT:    schedule: a warp has 8 x 64 sums, 16 sums a thread; it looks through all indices, 128 at a time, and adds in their order
// CHECK-NEXT:    launch: a unit 32 threads
// EMBEDDING-DAG: vote.sync.any
// EMBEDDING-DAG: vote.sync.ballot
// EMBEDDING-DAG: shfl.sync.idx
// EMBEDDING-DAG: add.rn.f32
// EMBEDDING-DAG: st.global.f32
// The only atomic tells of an index outside.
// ATOMICS:       atom.global.min.u32
// ATOMICS-NOT:   atom
func.func @embedding(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "i"},
                     %u: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "u"})
    -> (tensor<50000x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.scatter_add %i, %u : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<50000x64xf32>
  return %0 : tensor<50000x64xf32>
}

// Short rows lie side by side in a warp; with few rows each thread has one.
// CHECK-LABEL: function narrow
// CHECK:         schedule: a warp has 8 x 4 sums, 1 sum a thread
func.func @narrow(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "i"},
                  %u: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "u"})
    -> (tensor<100x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.scatter_add %i, %u : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<100x3xf32>
  return %0 : tensor<100x3xf32>
}

// CHECK-LABEL: function sparse
// CHECK:         nest: d0 stored elements, rows of 32 elements added to 1000
// CHECK:         schedule: a warp has 1 x 32 sums, 1 sum a thread
func.func @sparse(%r: tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "r"},
                  %c: tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "c"},
                  %v: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "v"},
                  %x: tensor<500x32xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<1000x32xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.sparse_dot %r, %c, %v, %x : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<500x32xf32>) -> tensor<1000x32xf32>
  return %0 : tensor<1000x32xf32>
}

// The other way: rows that are looked up are elements like others, sixteen bytes at once.
// CHECK-LABEL: function looks_up
// CHECK:         schedule: 4 elements a thread, at once where addresses are multiples of 16 bytes
// LOOKS-UP:      ld.global{{.*}}v4.f32
// LOOKS-UP:      st.global.v4.f32
func.func @looks_up(%x: tensor<50000x64xf32> {keratin.kind = "input", keratin.name = "x"},
                    %i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "i"})
    -> (tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.gather %x, %i : (tensor<50000x64xf32>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  return %0 : tensor<?x64xf32, #keratin.dims<d0, 64>>
}

// ORDERED: y: float32 (4, 33)
func.func @ordered(%i: tensor<300xi32> {keratin.kind = "input", keratin.name = "i"},
                   %u: tensor<300x33xf32> {keratin.kind = "input", keratin.name = "u"},
                   %v: tensor<300x3xf16> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<4x33xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<4x3xf16> {keratin.kind = "output", keratin.name = "h"}) {
  %0 = keratin.scatter_add %i, %u : (tensor<300xi32>, tensor<300x33xf32>) -> tensor<4x33xf32>
  %1 = keratin.scatter_add %i, %v : (tensor<300xi32>, tensor<300x3xf16>) -> tensor<4x3xf16>
  return %0, %1 : tensor<4x33xf32>, tensor<4x3xf16>
}
