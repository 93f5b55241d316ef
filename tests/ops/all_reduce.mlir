// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s --check-prefix=HOST

// Of one rank; tests/execution/ShardTest.cpp has several.
// CHECK:      keratin.all_reduce sum %{{.*}} : tensor<3xf32>
// CHECK:      keratin.all_reduce max %{{.*}} : tensor<3xf32>
// CHECK:      keratin.all_reduce before %{{.*}} : tensor<i64>
// CHECK:      keratin.all_reduce sum %{{.*}} along "model" : tensor<i64>
// VALUE:      result #0: tensor<3xf32> [1, -2, 3]
// VALUE:      result #1: tensor<3xf32> [1, -2, 3]
// VALUE:      result #2: tensor<i64> 0
// VALUE:      result #3: tensor<i64> 7
// HOST-COUNT-4: host.start_collective
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>}, %n: tensor<i64> {check.value = dense<7> : tensor<i64>})
    -> (tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<i64>) {
  %0 = keratin.all_reduce sum %x : tensor<3xf32>
  %1 = keratin.all_reduce max %x : tensor<3xf32>
  %2 = keratin.all_reduce before %n : tensor<i64>
  %3 = keratin.all_reduce sum %n along "model" : tensor<i64>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<i64>
}
