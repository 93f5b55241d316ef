// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// GRAD:         %[[Y:.*]] = keratin.tanh %[[X]]
// GRAD:         %[[ONE:.*]] = keratin.broadcast
// GRAD:         %[[SQUARE:.*]] = keratin.mul %[[Y]], %[[Y]]
// GRAD:         %[[G:.*]] = keratin.sub %[[ONE]], %[[SQUARE]]
// GRAD:         return %[[Y]], %[[G]]
// VALUE:      result #0: tensor<3xf32> [-0.761594, 0, 1]
// VALUE:      result #1: tensor<3xf32> [0.419974, 1, 0]
func.func @main(%x: tensor<3xf32> {check.value = dense<[-1.0, 0.0, 30.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<3xf32>, tensor<3xf32>
}
