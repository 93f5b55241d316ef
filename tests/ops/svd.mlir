// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The gradient of the first singular value is the product of its vectors.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[X:[^:]*]]: tensor<3x2xf32>
// GRAD:         %[[U:.*]], %[[S:.*]], %[[V:.*]] = keratin.svd %[[X]]
// GRAD-NOT:     keratin.div
// GRAD:         keratin.dot_general %{{.*}}, %[[V]] batch = [] x [] contract = [1] x [0]
// VALUE: result #0: tensor<3x2xf32> {{\[\[.*}}, -1], [0, 0], [1, {{.*}}]]
// VALUE: result #1: tensor<2xf32> [10, 2]
// VALUE: result #2: tensor<2x2xf32> {{\[\[}}0.6, 0.8], [0.8, -0.6]]
// VALUE: result #3: tensor<3x2xf32> {{\[\[.*}}], [0, 0], [0.6, 0.8]]
func.func @main(%x: tensor<3x2xf32> {check.value = dense<[[-1.6, 1.2], [0.0, 0.0], [6.0, 8.0]]> : tensor<3x2xf32>})
    -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<3x2xf32>) {
  %y:3 = keratin.svd %x : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>)
  %c = keratin.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %l = keratin.mul %y#1, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %l wrt %x : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y#0, %y#1, %y#2, %g : tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<3x2xf32>
}
