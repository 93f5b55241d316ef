// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE

// The known answer of Philox 4x32-10 for counter and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8. Its four words are 16
// elements apart.
// CHECK:      keratin.random_bits %{{.*}} {seed = 0 : i64} : (tensor<i64>) -> tensor<64xui32>
// VALUE:      result #0: tensor<4xui32> [1713891541, 3781805453, 3159862348, 2600524760]
func.func @main(%draw: tensor<i64> {check.value = dense<0> : tensor<i64>}) -> tensor<4xui32> {
  %0 = keratin.random_bits %draw {seed = 0 : i64} : (tensor<i64>) -> tensor<64xui32>
  %1 = keratin.slice %0 starts = <0> strides = [16] : (tensor<64xui32>) -> tensor<4xui32>
  return %1 : tensor<4xui32>
}
