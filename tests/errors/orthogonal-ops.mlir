// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @qr_of_a_vector(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs matrices in the last two dimensions, found 'tensor<4xf32>'}}
  %0:2 = keratin.qr %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}

// -----

func.func @qr_with_a_square_q(%x: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{q must have the type 'tensor<4x2xf32>', found 'tensor<4x4xf32>'}}
  %0:2 = keratin.qr %x : (tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x2xf32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

func.func @eigh_of_rectangles(%x: tensor<4x2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{needs square matrices, found 'tensor<4x2xf32>'}}
  %0:2 = keratin.eigh %x : (tensor<4x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @svd_with_values_of_another_type(%x: tensor<4x2xf32>) -> tensor<2xf64> {
  // expected-error @+1 {{s must have the type 'tensor<2xf32>', found 'tensor<2xf64>'}}
  %0:3 = keratin.svd %x : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2xf64>, tensor<2x2xf32>)
  return %0#1 : tensor<2xf64>
}
