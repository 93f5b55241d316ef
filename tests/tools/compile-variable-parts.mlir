// RUN: keratin-compile %s --emit=obj -o %t.o 2>&1 | FileCheck %s

// What a saved graph has in parts is whole in an object.
// CHECK: keratin-compile: warning: function 'f': variable 'w' is in parts along its dimension 1; in an object each rank has the whole
func.func @f(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"},
             %w: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model"})
    -> (tensor<2x4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
