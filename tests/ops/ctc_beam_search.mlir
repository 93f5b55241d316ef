// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s --check-prefix=KERNEL
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @main
// CHECK:         keratin.ctc_beam_search %{{.*}}, %{{.*}} {beam_width = 3 : i64} : (tensor<2x3x3xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)

// The kernel has one result more, to search in: 6 * (7 * 3 + 2) + 9 * 8 + 3 * 3 words a sample.
// KERNEL:         keratin.kernel(%{{.*}}, %{{.*}}) {keratin.fallible = 0 : i64} : (tensor<2x3x3xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>, tensor<2x219xi64>)
// KERNEL:           %[[W:.*]] = keratin.iota {axis = 0 : i64} : tensor<2x219xi64>
// KERNEL:           keratin.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[W]]

// Certain frames: A, blank, A; and of the second sample the first only.
// VALUE:      result #0: tensor<2x2x3xi64> {{\[\[\[}}0, 0, -1], [0, -1, -1{{\]\]}}, {{\[\[}}0, -1, -1], [-1, -1, -1{{\]\]\]}}
// VALUE:      result #1: tensor<2x2xi64> {{\[\[}}2, 1], [1, 0{{\]\]}}
func.func @main(%x: tensor<2x3x3xf32> {check.value = dense<[[[9.0, 0.0, 1.0], [2.0, 0.0, 5.0], [7.0, 0.0, 3.0]], [[4.0, 0.0, 3.0], [0.0, 9.0, 0.0], [0.0, 9.0, 0.0]]]> : tensor<2x3x3xf32>},
                %n: tensor<2xi32> {check.value = dense<[3, 1]> : tensor<2xi32>}) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>) {
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3x3xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return %l, %c, %p : tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>
}
