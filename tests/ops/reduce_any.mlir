// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// Over nothing: false for any, true for all.
// CHECK:      keratin.reduce_any %{{.*}} axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
// CHECK:      keratin.reduce_all %{{.*}} axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
// VALUE:      result #0: tensor<3xi1> [0, 1, 1]
// VALUE:      result #1: tensor<3xi1> [0, 0, 1]
// VALUE:      result #2: tensor<2xi1> [0, 0]
// VALUE:      result #3: tensor<2xi1> [1, 1]
func.func @main(%x: tensor<?x3xi1, #keratin.dims<d0, 3>> {check.value = dense<[[false, false, false], [false, true, false], [true, true, true]]> : tensor<3x3xi1>},
                %e: tensor<2x0xi1> {check.value = dense<> : tensor<2x0xi1>})
    -> (tensor<?xi1, #keratin.dims<d0>>, tensor<?xi1, #keratin.dims<d0>>, tensor<2xi1>, tensor<2xi1>) {
  %0 = keratin.reduce_any %x axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
  %1 = keratin.reduce_all %x axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
  %2 = keratin.reduce_any %e axes = [1] : (tensor<2x0xi1>) -> tensor<2xi1>
  %3 = keratin.reduce_all %e axes = [1] : (tensor<2x0xi1>) -> tensor<2xi1>
  return %0, %1, %2, %3 : tensor<?xi1, #keratin.dims<d0>>, tensor<?xi1, #keratin.dims<d0>>, tensor<2xi1>, tensor<2xi1>
}
