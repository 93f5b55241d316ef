// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// Windows that share their largest element add up there.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<5xf32>
// GRAD:         keratin.window_pick %[[X]], %{{.*}} window = [3] strides = [1] low = <0> : (tensor<5xf32>, tensor<5xf32>) -> tensor<3xf32>
// VALUE:      result #0: tensor<5xf32> [0, 0, 30, 0, 40]
// VALUE:      result #1: tensor<3xf32> [60, 60, 80]
func.func @main(%x: tensor<5xf32> {check.value = dense<[1.0, 2.0, 3.0, 0.0, 0x7FC00000]> : tensor<5xf32>},
                %v: tensor<3xf32> {check.value = dense<[10.0, 20.0, 40.0]> : tensor<3xf32>}) -> (tensor<5xf32>, tensor<3xf32>) {
  %y = keratin.window_scatter %x, %v window = [3] strides = [1] low = <0> : (tensor<5xf32>, tensor<3xf32>) -> tensor<5xf32>
  %s = keratin.mul %y, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %g = keratin.gradients %s wrt %v : (tensor<5xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<5xf32>, tensor<3xf32>
}
