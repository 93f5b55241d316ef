// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// The last row for a place stays; what nobody names is zero.
// CHECK:      keratin.scatter_last %{{.*}}, %{{.*}} : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x2xi16, #keratin.dims<d0, 2>>) -> tensor<4x2xi16>
// VALUE:      result #0: tensor<4x2xi16> {{\[}}[3, 4], [0, 0], [5, 6], [0, 0]]
func.func @main(%i: tensor<?xi32, #keratin.dims<d0>> {check.value = dense<[2, 0, 2]> : tensor<3xi32>},
                %u: tensor<?x2xi16, #keratin.dims<d0, 2>> {check.value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>})
    -> tensor<4x2xi16> {
  %y = keratin.scatter_last %i, %u : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x2xi16, #keratin.dims<d0, 2>>) -> tensor<4x2xi16>
  return %y : tensor<4x2xi16>
}
