// Rows at multiples of 4 KiB meet in one set of a first-level cache: of many, a tile has no more than a set has room for.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-check %s --compiled --function=crowded --most=1e-3
// RUN: keratin-check %s --compiled --function=any --symbol=0=100 --most=1e-3

// CHECK-LABEL: function crowded
// CHECK:       schedule: tiles of 8 rows x 2 vectors x 16 lanes
// CHECK-NEXT:  A: in place{{$}}
func.func @crowded(%a: tensor<100x1024xf32> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<1024x160xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<100x160xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<100x1024xf32>, tensor<1024x160xf32>) -> tensor<100x160xf32>
  return %0 : tensor<100x160xf32>
}

// Two sets have room for a tile's.
// CHECK-LABEL: function in_two_sets
// CHECK:       schedule: tiles of 14 rows x 2 vectors x 16 lanes
// CHECK-NEXT:  A: in place{{$}}
func.func @in_two_sets(%a: tensor<100x512xf32> {keratin.kind = "input", keratin.name = "a"},
                       %b: tensor<512x160xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<100x160xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<100x512xf32>, tensor<512x160xf32>) -> tensor<100x160xf32>
  return %0 : tensor<100x160xf32>
}

// Of few rows B is read once for each tile: those are large, and A is copied.
// CHECK-LABEL: function any
// CHECK:       schedule: tiles of 14 rows x 2 vectors x 16 lanes
// CHECK-NEXT:  A: in place, packed for more than 128 columns
func.func @any(%a: tensor<?x1024xf32, #keratin.dims<d0, 1024>> {keratin.kind = "input", keratin.name = "a"},
               %b: tensor<1024x160xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x160xf32, #keratin.dims<d0, 160>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<1024x160xf32>) -> tensor<?x160xf32, #keratin.dims<d0, 160>>
  return %0 : tensor<?x160xf32, #keratin.dims<d0, 160>>
}
