// RUN: keratin-opt %s --keratin-differentiate --verify-diagnostics

func.func @lu_of_a_matrix_that_is_not_square(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{the gradient needs square matrices, found 'tensor<4x3xf32>'}}
  %y:2 = keratin.lu %x : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xi64>)
  %g = keratin.gradients %y#0 wrt %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
