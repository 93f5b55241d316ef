// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @cholesky_of_a_vector(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs matrices in the last two dimensions, found 'tensor<4xf32>'}}
  %0 = keratin.cholesky %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @cholesky_of_a_matrix_that_is_not_square(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error @+1 {{needs square matrices, found 'tensor<2x3x4xf32>'}}
  %0 = keratin.cholesky %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

func.func @cholesky_of_another_type(%x: tensor<4x4xf32>) -> tensor<4x4xf64> {
  // expected-error @+1 {{the result must have the type of x, 'tensor<4x4xf32>', found 'tensor<4x4xf64>'}}
  %0 = keratin.cholesky %x : (tensor<4x4xf32>) -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}

// -----

func.func @triangular_solve_of_other_rows(%a: tensor<4x4xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{a and b must have the same element type, batches and rows, found 'tensor<4x4xf32>' and 'tensor<3x2xf32>'}}
  %0 = keratin.triangular_solve %a, %b {lower} : (tensor<4x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @triangular_solve_with_another_result(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{the result must have the type of b, 'tensor<4x2xf32>', found 'tensor<4x3xf32>'}}
  %0 = keratin.triangular_solve %a, %b : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @lu_of_another_type(%x: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<4xi64>) {
  // expected-error @+1 {{the factors must have the type of x, 'tensor<4x3xf32>', found 'tensor<3x4xf32>'}}
  %0:2 = keratin.lu %x : (tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<4xi64>
}

// -----

func.func @lu_with_an_order_of_columns(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi64>) {
  // expected-error @+1 {{the permutation must have a number for each row, (4,), found 'tensor<3xi64>'}}
  %0:2 = keratin.lu %x : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<3xi64>
}
