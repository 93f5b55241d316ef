// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// x = q r with q = [[-0.6, -0.8], [-0.8, 0.6]]. The second matrix has no reflections.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[X:[^:]*]]: tensor<2x2xf32>
// GRAD:         %[[Q:.*]], %[[R:.*]] = keratin.qr %[[X]]
// GRAD:         keratin.dot_general %[[R]],
// GRAD:         keratin.triangular_solve %[[R]], %{{.*}} :
// VALUE: result #0: tensor<2x2xf32> {{\[\[}}-0.6, -0.8], [-0.8, 0.6]]
// VALUE: result #1: tensor<2x2xf32> {{\[\[}}-5, -10], [0, 5]]
// VALUE: result #2: tensor<2x2xf32> {{\[\[}}1, -0.8], [-2, 0.6]]
// VALUE: result #3: tensor<3x2xf32> {{\[\[}}1, 0], [0, 1], [0, 0]]
// VALUE: result #4: tensor<2x2xf32> {{\[\[}}1, 2], [0, -3]]
func.func @main(%x: tensor<2x2xf32> {check.value = dense<[[3.0, 2.0], [4.0, 11.0]]> : tensor<2x2xf32>},
                %z: tensor<3x2xf32> {check.value = dense<[[1.0, 2.0], [0.0, -3.0], [0.0, 0.0]]> : tensor<3x2xf32>})
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) {
  %y:2 = keratin.qr %x : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %i = keratin.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %d = keratin.mul %y#1, %i : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = keratin.gradients %d wrt %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %w:2 = keratin.qr %z : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>)
  return %y#0, %y#1, %g, %w#0, %w#1 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>
}
