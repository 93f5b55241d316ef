// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @lengths(%r: tensor<3xi64>, %v: tensor<2xf32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{'keratin.sparse_dot' op rows, columns and values must be vectors of one length, found (3,), (3,) and (2,)}}
  %y = keratin.sparse_dot %r, %r, %v, %x : (tensor<3xi64>, tensor<3xi64>, tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @index_types(%r: tensor<3xi64>, %c: tensor<3xi32>, %v: tensor<3xf32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{'keratin.sparse_dot' op rows and columns must have the same element type}}
  %y = keratin.sparse_dot %r, %c, %v, %x : (tensor<3xi64>, tensor<3xi32>, tensor<3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @columns(%r: tensor<3xi64>, %v: tensor<3xf32>, %x: tensor<4x2xf32>) {
  // expected-error @below {{'keratin.sparse_dot' op x and the result must be matrices with as many columns, found (4, 2) and (4, 3)}}
  %y = keratin.sparse_dot %r, %r, %v, %x : (tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @element_types(%r: tensor<3xi64>, %v: tensor<3xf64>, %x: tensor<4x2xf32>) {
  // expected-error @below {{'keratin.sparse_dot' op values, x and the result must have the same element type}}
  %y = keratin.sparse_dot %r, %r, %v, %x : (tensor<3xi64>, tensor<3xi64>, tensor<3xf64>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
