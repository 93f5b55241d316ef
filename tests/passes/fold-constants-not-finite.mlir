// RUN: keratin-opt %s --keratin-fold-constants=keep-not-finite | FileCheck %s
// RUN: keratin-opt %s --keratin-fold-constants | FileCheck %s --check-prefix=ALL

// A call that checks its numbers reports these.
// CHECK-LABEL: func.func @made_of_finite_numbers
// CHECK:         keratin.log
// CHECK:         keratin.exp
// ALL-LABEL:   func.func @made_of_finite_numbers
// ALL-NOT:       keratin.log
func.func @made_of_finite_numbers() -> (tensor<2xf32>, tensor<f32>) {
  %0 = keratin.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %1 = keratin.log %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.constant dense<100.0> : tensor<f32>
  // Finite before it is rounded.
  %3 = keratin.exp %2 : (tensor<f32>) -> tensor<f32>
  return %1, %3 : tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @infinity_that_was_meant
// CHECK-NOT:     keratin.neg
func.func @infinity_that_was_meant() -> tensor<f32> {
  %0 = keratin.constant dense<0x7F800000> : tensor<f32>
  %1 = keratin.neg %0 : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
