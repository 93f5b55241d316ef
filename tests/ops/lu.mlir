// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[X:[^:]*]]: tensor<2x2xf32>
// GRAD:         %[[Y:.*]], %[[P:.*]] = keratin.lu %[[X]]
// GRAD:         keratin.triangular_solve %[[Y]], %{{.*}} {lower, transposed, unit_diagonal}
// GRAD:         keratin.triangular_solve %[[Y]], %{{.*}} : 
// GRAD:         keratin.scatter_add %[[P]],
// VALUE: result #0: tensor<2x2xf32> {{\[\[}}4, 3], [0.5, -0.5]]
// VALUE: result #1: tensor<2xi64> [1, 0]
// VALUE: result #2: tensor<2x2xf32> {{\[\[}}-0.75, 1], [1.375, -0.5]]
// VALUE: result #3: tensor<3x2xf32> {{\[\[}}0, 1], [0, 2], [0, 0]]
// VALUE: result #4: tensor<3xi64> [0, 2, 1]
func.func @main(%x: tensor<2x2xf32> {check.value = dense<[[2.0, 1.0], [4.0, 3.0]]> : tensor<2x2xf32>},
                %z: tensor<3x2xf32> {check.value = dense<[[0.0, 1.0], [0.0, 0.0], [0.0, 2.0]]> : tensor<3x2xf32>})
    -> (tensor<2x2xf32>, tensor<2xi64>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<3xi64>) {
  %y:2 = keratin.lu %x : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi64>)
  %i = keratin.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %d = keratin.mul %y#0, %i : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = keratin.gradients %d wrt %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %w:2 = keratin.lu %z : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xi64>)
  return %y#0, %y#1, %g, %w#0, %w#1 : tensor<2x2xf32>, tensor<2xi64>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<3xi64>
}
