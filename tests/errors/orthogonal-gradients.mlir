// RUN: keratin-opt %s --keratin-differentiate --verify-diagnostics

func.func @qr_of_more_columns_than_rows(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error @below {{the gradient needs as many rows as columns, or more, found 'tensor<3x4xf32>'}}
  %y:2 = keratin.qr %x : (tensor<3x4xf32>) -> (tensor<3x3xf32>, tensor<3x4xf32>)
  %g = keratin.gradients %y#0 wrt %x : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}
