// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// CHECK:      keratin.dim %{{.*}} {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<2*d0 + 1, 3>>) -> tensor<i64>
// VALUE:      result #0: tensor<i64> 5
// VALUE:      result #1: tensor<f32> 3
func.func @main(%n: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<0.0> : tensor<2xf32>},
                %x: tensor<?x3xf32, #keratin.dims<2*d0 + 1, 3>> {check.value = dense<0.0> : tensor<5x3xf32>}) -> (tensor<i64>, tensor<f32>) {
  %0 = keratin.dim %x {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<2*d0 + 1, 3>>) -> tensor<i64>
  %1 = keratin.dim %x {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<2*d0 + 1, 3>>) -> tensor<f32>
  return %0, %1 : tensor<i64>, tensor<f32>
}
