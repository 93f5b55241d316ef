// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD:         %[[DY:.*]] = keratin.broadcast
// GRAD:         %[[G:.*]] = keratin.pad %[[DY]] low = <1> interior = [1] : (tensor<2xf32>) -> tensor<5xf32>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2xf32> [2, 4]
// VALUE:      result #1: tensor<5xf32> [0, 1, 0, 1, 0]
func.func @main(%x: tensor<5xf32> {check.value = dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>}) -> (tensor<2xf32>, tensor<5xf32>) {
  %y = keratin.slice %x starts = <1> strides = [2] : (tensor<5xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %y, %g : tensor<2xf32>, tensor<5xf32>
}
