// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[X:[^:]*]]: tensor<2x2xf32>
// GRAD:         %[[Y:.*]] = keratin.cholesky %[[X]]
// GRAD:         %[[HALF:.*]] = keratin.triangular_solve %[[Y]], %{{.*}} {lower, transposed}
// GRAD:         %[[TURNED:.*]] = keratin.transpose %[[HALF]]
// GRAD:         keratin.triangular_solve %[[Y]], %[[TURNED]] {lower, transposed}
// VALUE: result #0: tensor<2x2xf32> {{\[\[}}2, 0], [1, 3]]
// VALUE: result #1: tensor<2x2xf32> {{\[\[}}0.291667, -0.0833333], [-0.0833333, 0.166667]]
// VALUE: result #2: tensor<2x2x2xf32> {{\[\[\[}}nan, nan], [nan, nan]], {{\[\[}}1, 0], [0, 1]]]
func.func @main(%x: tensor<2x2xf32> {check.value = dense<[[4.0, 99.0], [2.0, 10.0]]> : tensor<2x2xf32>},
                %b: tensor<2x2x2xf32> {check.value = dense<[[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf32>})
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>) {
  %y = keratin.cholesky %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %i = keratin.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %z = keratin.mul %y, %i : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = keratin.gradients %z wrt %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %n = keratin.cholesky %b : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %y, %g, %n : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>
}
