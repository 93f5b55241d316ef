// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<3xf32>{{.*}}, %[[I:[^:]*]]: tensor<4xi64>
// GRAD:         %[[DY:.*]] = keratin.broadcast
// GRAD:         %[[G:.*]] = keratin.scatter_add %[[I]], %[[DY]] : (tensor<4xi64>, tensor<4xf32>) -> tensor<3xf32>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<4xf32> [3, 1, 3, 3]
// VALUE:      result #1: tensor<3xf32> [1, 0, 3]
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
                %i: tensor<4xi64> {check.value = dense<[2, 0, 2, 2]> : tensor<4xi64>}) -> (tensor<4xf32>, tensor<3xf32>) {
  %y = keratin.gather %x, %i : (tensor<3xf32>, tensor<4xi64>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<4xf32>, tensor<3xf32>
}
