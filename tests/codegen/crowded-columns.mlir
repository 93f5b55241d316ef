// Columns of A that lie at multiples of a power of two meet in few sets of a first-level cache: where the next tile would not find what is left of their lines, they are packed. How far apart that is, is measured for each family of processors.

// RUN: keratin-dump %s --stage=kernels --mcpu=emeraldrapids | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefix=OTHERS
// RUN: keratin-check %s --compiled --function=kibibyte_apart --most=1e-3

// CHECK-LABEL: function kibibyte_apart
// CHECK:       tiles of 14 rows x 2 vectors x 16 lanes
// What each unit copies meets twice as much of B.
// CHECK-SAME:  units of up to 56 x 512 for 1024 deep
// CHECK:       A: in place, packed for more than 128 columns
// OTHERS-LABEL: function kibibyte_apart
// OTHERS:      A: in place{{$}}
func.func @kibibyte_apart(%a: tensor<1050x256xf32> {keratin.kind = "input", keratin.name = "a"},
                          %b: tensor<1050x160xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<256x160xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [0] x [0] : (tensor<1050x256xf32>, tensor<1050x160xf32>) -> tensor<256x160xf32>
  return %0 : tensor<256x160xf32>
}

// CHECK-LABEL: function less_apart
// CHECK:       units of up to 56 x 256 for 1024 deep
// CHECK:       A: in place{{$}}
func.func @less_apart(%a: tensor<1050x128xf32> {keratin.kind = "input", keratin.name = "a"},
                      %b: tensor<1050x160xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<128x160xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [0] x [0] : (tensor<1050x128xf32>, tensor<1050x160xf32>) -> tensor<128x160xf32>
  return %0 : tensor<128x160xf32>
}
