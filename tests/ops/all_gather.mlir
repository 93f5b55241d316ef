// RUN: keratin-opt %s --split-input-file | keratin-opt --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s --check-prefix=HOST

// Of one rank; tests/execution/RankOpsTest.cpp has several. What goes to all comes back from all.
// CHECK:        keratin.all_gather %{{.*}} : tensor<3x2xf32> -> tensor<3x2xf32>
// VALUE:        result #0: tensor<3x2xf32> {{\[\[}}1, -2], [3, 4], [5, 6]]
// VALUE:        result #1: tensor<3x2xf32> {{\[\[}}2, -4], [6, 8], [10, 12]]
// HOST:         host.start_collective kernel {{.*}} {name = "all_gather"}
// HOST:         host.start_collective kernel {{.*}} {name = "gradient of all_gather (reduce_scatter)"}
func.func @main(%x: tensor<3x2xf32> {check.value = dense<[[1.0, -2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %y = keratin.all_gather %x : tensor<3x2xf32> -> tensor<3x2xf32>
  %s = keratin.mul %y, %y : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %l = keratin.reduce_sum %s axes = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %x : (tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y, %g : tensor<3x2xf32>, tensor<3x2xf32>
}
