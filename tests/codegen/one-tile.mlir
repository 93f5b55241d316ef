// Rows that fit one tile read B once, where it is: nothing is packed, and no panel waits in memory. More rows, and
// more than two of a large B, have panels.
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 --function=four | FileCheck %s --check-prefix=CODE

// CODE-NOT: keratin_pack
// CODE-NOT: keratin_panel

// CHECK-LABEL: function four
// CHECK:       work: units 2,
// CHECK-NEXT:  schedule: one tile of 4 rows x 4 vectors x 16 lanes over the whole depth, B in place
func.func @four(%x: tensor<4x100xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<100x100xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4x100xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x100xf32>, tensor<100x100xf32>) -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}

// CHECK-LABEL: function two_of_large
// CHECK:       schedule: one tile of 2 rows x 8 vectors x 16 lanes over the whole depth, B in place
func.func @two_of_large(%x: tensor<2x1024xf32> {keratin.kind = "input", keratin.name = "x"},
                        %w: tensor<1024x1024xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<2x1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x1024xf32>
  return %0 : tensor<2x1024xf32>
}

// CHECK-LABEL: function three_of_large
// CHECK:       schedule: tiles of 3 rows
func.func @three_of_large(%x: tensor<3x1024xf32> {keratin.kind = "input", keratin.name = "x"},
                          %w: tensor<1024x1024xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<3x1024xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<3x1024xf32>, tensor<1024x1024xf32>) -> tensor<3x1024xf32>
  return %0 : tensor<3x1024xf32>
}

// CHECK-LABEL: function fifteen
// CHECK:       schedule: tiles of 8 rows x 2 vectors x 16 lanes, of 7 rows evened out
func.func @fifteen(%x: tensor<15x64xf32> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<15x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<15x64xf32>, tensor<64x64xf32>) -> tensor<15x64xf32>
  return %0 : tensor<15x64xf32>
}
