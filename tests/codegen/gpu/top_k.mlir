// top_k on the device "cuda": threads share lines, of which each element is read once, and sort
// what may be among the best.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=short | FileCheck %s --check-prefix=SHORT
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=best | FileCheck %s --check-prefix=BEST

// CHECK-LABEL: function short
// CHECK:         nest: the 3 largest of lines of 10 elements, d0 of them
// CHECK:         schedule: 16 threads a line, sorted by shuffles
// CHECK-NEXT:    launch: a unit 16 threads; 128 threads a block
// Element and place of a partner, of parts of 16 threads.
// SHORT:         shfl.sync.idx.b32 {{.*}}, 4127, {{.*}};
// SHORT:         shfl.sync.idx.b32 {{.*}}, 4127, {{.*}};
// SHORT-NOT:     bar.sync
// SHORT-NOT:     .shared
func.func @short(%x: tensor<?x10xf32, #keratin.dims<d0, 10>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xi64, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.top_k %x : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  return %0 : tensor<?x3xi64, #keratin.dims<d0, 3>>
}

// CHECK-LABEL: function best
// CHECK:         nest: the 5 largest of lines of 1000 elements, d0 of them
// CHECK:         schedule: 32 threads a line, 4 elements before the first is looked at; the best 8 so far in shared memory, and 32 others before they are sorted
// CHECK-NEXT:    launch: a unit 32 threads; 32 threads a block, 2112 bytes of shared memory
// Four elements are read, as numbers that are ordered as they are, which a barrier asks about.
// BEST:          ld.global.f32
// BEST:          add.rn.f32
// BEST:          ld.global.f32
// BEST:          ld.global.f32
// BEST:          ld.global.f32
// BEST:          max.u64
// BEST:          bar.red.or.pred
// BEST-COUNT-4:  vote.sync.ballot.b32
// BEST:          st.shared.u64
func.func @best(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x5xi64, #keratin.dims<d0, 5>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.top_k %x : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?x5xi64, #keratin.dims<d0, 5>>
  return %0 : tensor<?x5xi64, #keratin.dims<d0, 5>>
}

// All of a line is taken, in the order of its elements.
// CHECK-LABEL: function sorted
// CHECK:         schedule: 64 threads a line, all of it sorted in shared memory
// CHECK-NEXT:    launch: a unit 64 threads; 64 threads a block, 8192 bytes of shared memory
func.func @sorted(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x1000xi64, #keratin.dims<d0, 1000>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.top_k %x : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?x1000xi64, #keratin.dims<d0, 1000>>
  return %0 : tensor<?x1000xi64, #keratin.dims<d0, 1000>>
}

// Few lines are more threads' each. Elements of 64 bits, or places in lines of any length, take a word of their own.
// CHECK-LABEL: function few
// CHECK:         schedule: 256 threads a line, 4 elements before the first is looked at; the best 128 so far in shared memory, and 256 others before they are sorted
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 34848 bytes of shared memory
func.func @few(%x: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x100xi64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.top_k %x : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4x100xi64>
  return %0 : tensor<4x100xi64>
}

// What shared memory does not hold, and a number that is not known, is a thread's for each line.
// CHECK-LABEL: function many
// CHECK:         schedule: a heap of places for each line
func.func @many(%x: tensor<2x100000xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x10000xi64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.top_k %x : (tensor<2x100000xf32>) -> tensor<2x10000xi64>
  return %0 : tensor<2x10000xi64>
}
