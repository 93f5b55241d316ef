// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// What is picked by a tensor goes back to where it was; the tensor that chooses has no gradient.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<5xi32>{{.*}}, %[[V:[^:]*]]: tensor<5xf32>
// GRAD:         keratin.window_scatter %[[X]], %{{.*}} window = [3] strides = [2] low = <1> : (tensor<5xi32>, tensor<4xf32>) -> tensor<5xf32>
// VALUE:      result #0: tensor<4xf32> [20, 20, 50, 0]
// VALUE:      result #1: tensor<5xf32> [0, 2, 0, 0, 1]
func.func @main(%x: tensor<5xi32> {check.value = dense<[1, 7, 7, 2, 3]> : tensor<5xi32>},
                %v: tensor<5xf32> {check.value = dense<[10.0, 20.0, 30.0, 40.0, 50.0]> : tensor<5xf32>}) -> (tensor<4xf32>, tensor<5xf32>) {
  %y = keratin.window_pick %x, %v window = [3] strides = [2] low = <1> : (tensor<5xi32>, tensor<5xf32>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %v : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %y, %g : tensor<4xf32>, tensor<5xf32>
}
