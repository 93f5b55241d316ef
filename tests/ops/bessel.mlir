// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The derivative of bessel_i1e is 1/2 at 0.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// GRAD:         keratin.bessel_i0e %[[X]]
// GRAD:         keratin.bessel_i1e %[[X]]
// VALUE: result #0: tensor<3xf32> [1, 0.46576, 0.127833]
// VALUE: result #1: tensor<3xf32> [0, 0.20791, -0.121263]
// VALUE: result #2: tensor<3xf32> [0, -0.257849, 0.00657
// VALUE: result #3: tensor<3xf32> [0.5, 0.0499
func.func @main(%x: tensor<3xf32> {check.value = dense<[0.0, 1.0, -10.0]> : tensor<3xf32>})
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.bessel_i0e %x : (tensor<3xf32>) -> tensor<3xf32>
  %z = keratin.bessel_i1e %x : (tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %h = keratin.gradients %z wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %z, %g, %h : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
