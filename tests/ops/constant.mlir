// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// CHECK:      keratin.constant dense<{{\[}}[1, -2], [3, 4]]> : tensor<2x2xi16>
// CHECK:      keratin.constant dense<1.500000e+00> : tensor<3xbf16>
// CHECK:      keratin.constant dense<> : tensor<0x2xf32>
// VALUE:      result #0: tensor<2x2xi16> {{\[}}[1, -2], [3, 4]]
// VALUE:      result #1: tensor<3xbf16> [1.5, 1.5, 1.5]
// VALUE:      result #2: tensor<2xi1> [1, 0]
// VALUE:      result #3: tensor<0x2xf32> []
func.func @main() -> (tensor<2x2xi16>, tensor<3xbf16>, tensor<2xi1>, tensor<0x2xf32>) {
  %0 = keratin.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi16>
  %1 = keratin.constant dense<1.5> : tensor<3xbf16>
  %2 = keratin.constant dense<[true, false]> : tensor<2xi1>
  %3 = keratin.constant dense<> : tensor<0x2xf32>
  return %0, %1, %2, %3 : tensor<2x2xi16>, tensor<3xbf16>, tensor<2xi1>, tensor<0x2xf32>
}
