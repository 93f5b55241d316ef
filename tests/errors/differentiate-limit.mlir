// RUN: keratin-opt %s --keratin-differentiate=max-ops=12 --verify-diagnostics

// expected-error @below {{gradients: the function grows beyond 12 ops}}
func.func @gradients_of_gradients(%x: tensor<f32>) -> tensor<f32> {
  %0 = keratin.tanh %x : (tensor<f32>) -> tensor<f32>
  %1 = keratin.gradients %0 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.gradients %1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = keratin.gradients %2 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
