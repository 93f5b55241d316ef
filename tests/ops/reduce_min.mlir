// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Ties share the gradient equally.
// GRAD-LABEL: func.func @main
// GRAD:         %[[TIE:.*]] = keratin.compare eq
// GRAD:         keratin.reduce_sum
// GRAD:         keratin.div
// GRAD:         %[[G:.*]] = keratin.select %[[TIE]]
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2xf32> [1, 4]
// VALUE:      result #1: tensor<2x3xf32> {{\[}}[0.5, 0, 0.5], [0, 0, 1]]
func.func @main(%x: tensor<2x3xf32> {check.value = dense<[[1.0, 2.0, 1.0], [6.0, 5.0, 4.0]]> : tensor<2x3xf32>}) -> (tensor<2xf32>, tensor<2x3xf32>) {
  %y = keratin.reduce_min %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %g : tensor<2xf32>, tensor<2x3xf32>
}
