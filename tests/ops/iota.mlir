// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// Counts along one axis, in sizes given by an argument too; small integers wrap.
// CHECK:      keratin.iota {axis = 1 : i64} : tensor<?x3xi32, #keratin.dims<d0, 3>>
// VALUE:      result #0: tensor<2x3xi32> {{\[}}[0, 1, 2], [0, 1, 2]]
// VALUE:      result #1: tensor<2x3xf32> {{\[}}[0, 0, 0], [1, 1, 1]]
// VALUE:      result #2: tensor<130xi8> [0, 1, {{.*}} 127, -128, -127]
func.func @main(%x: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<0.0> : tensor<2xf32>})
    -> (tensor<?x3xi32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<130xi8>) {
  %0 = keratin.iota {axis = 1 : i64} : tensor<?x3xi32, #keratin.dims<d0, 3>>
  %1 = keratin.iota {axis = 0 : i64} : tensor<?x3xf32, #keratin.dims<d0, 3>>
  %2 = keratin.iota {axis = 0 : i64} : tensor<130xi8>
  return %0, %1, %2 : tensor<?x3xi32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<130xi8>
}
