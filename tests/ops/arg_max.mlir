// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// The first of equals; a NaN is the extreme of both.
// CHECK:      keratin.arg_max %{{.*}} {axis = 1 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xi64, #keratin.dims<d0>>
// CHECK:      keratin.arg_min %{{.*}} {axis = 1 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xi64, #keratin.dims<d0>>
// VALUE:      result #0: tensor<3xi64> [1, 2, 0]
// VALUE:      result #1: tensor<3xi64> [0, 2, 0]
// VALUE:      result #2: tensor<2xi64> [1, 0]
func.func @main(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {check.value = dense<[[1.0, 3.0, 3.0, 1.0], [0.0, 1.0, 0x7fc00000, 2.0], [5.0, 5.0, 5.0, 5.0]]> : tensor<3x4xf32>},
                %u: tensor<2x2xui8> {check.value = dense<[[1, 255], [200, 3]]> : tensor<2x2xui8>})
    -> (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<2xi64>) {
  %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xi64, #keratin.dims<d0>>
  %1 = keratin.arg_min %x {axis = 1 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xi64, #keratin.dims<d0>>
  %2 = keratin.arg_max %u {axis = 1 : i64} : (tensor<2x2xui8>) -> tensor<2xi64>
  return %0, %1, %2 : tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<2xi64>
}
