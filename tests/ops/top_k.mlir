// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// Largest first, of equals the first first; NaNs before all numbers.
// CHECK:      keratin.top_k %{{.*}} : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
// VALUE:      result #0: tensor<3x3xi64> {{\[}}[1, 2, 4], [2, 4, 3], [0, 1, 2]]
// VALUE:      result #1: tensor<2x2xi64> {{\[}}[1, 0], [0, 1]]
// VALUE:      result #2: tensor<2x0xi64>
func.func @main(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {check.value = dense<[[1.0, 3.0, 3.0, 1.0, 2.0], [0.0, 1.0, 0x7fc00000, 0x7f800000, 0xffc00000], [5.0, 5.0, 5.0, 5.0, 5.0]]> : tensor<3x5xf32>},
                %u: tensor<2x2xui8> {check.value = dense<[[1, 255], [200, 3]]> : tensor<2x2xui8>})
    -> (tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<2x2xi64>, tensor<2x0xi64>) {
  %0 = keratin.top_k %x : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %1 = keratin.top_k %u : (tensor<2x2xui8>) -> tensor<2x2xi64>
  %2 = keratin.top_k %u : (tensor<2x2xui8>) -> tensor<2x0xi64>
  return %0, %1, %2 : tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<2x2xi64>, tensor<2x0xi64>
}
