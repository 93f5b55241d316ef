// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Of the upper triangle nothing is read. The gradient of the largest eigenvalue is v v^T.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[X:[^:]*]]: tensor<2x2xf32>
// GRAD:         %[[W:.*]], %[[V:.*]] = keratin.eigh %[[X]]
// GRAD-NOT:     keratin.div
// GRAD:         keratin.dot_general %{{.*}}, %[[V]] batch = [] x [] contract = [1] x [1]
// VALUE: result #0: tensor<2xf32> [-5, 20]
// VALUE: result #1: tensor<2x2xf32> {{\[\[}}0.8, 0.6], [-0.6, 0.8]]
// VALUE: result #2: tensor<2x2xf32> {{\[\[}}0.36, 0.48], [0.48, 0.64]]
func.func @main(%x: tensor<2x2xf32> {check.value = dense<[[4.0, 99.0], [12.0, 11.0]]> : tensor<2x2xf32>})
    -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %y:2 = keratin.eigh %x : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  %c = keratin.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %l = keratin.mul %y#0, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %l wrt %x : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y#0, %y#1, %g : tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
