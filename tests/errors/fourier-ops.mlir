// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @fft_of_a_number(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error @+1 {{needs an axis to transform along, found 'tensor<f32>'}}
  %0:2 = keratin.fft %x, %x : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

func.func @fft_of_more_than_there_may_be(%x: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
  // expected-error @+1 {{is of 1099511627776 elements; needed 1073741824 at most}}
  %0:2 = keratin.fft %x, %x : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> (tensor<1099511627776xf32>, tensor<1099511627776xf32>)
  return %0#0 : tensor<1099511627776xf32>
}

// -----

func.func @fft_of_a_large_prime(%x: tensor<16777213xf32>) -> tensor<16777213xf32> {
  // expected-error @+1 {{is of 16777213 elements; needed 4194304 at most, or no prime factor above 61}}
  %0:2 = keratin.fft %x, %x : (tensor<16777213xf32>, tensor<16777213xf32>) -> (tensor<16777213xf32>, tensor<16777213xf32>)
  return %0#0 : tensor<16777213xf32>
}

// -----

func.func @fft_of_parts_of_two_lengths(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{failed to verify that all of {re, im, y_re, y_im} have same type}}
  %0:2 = keratin.fft %x, %y : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
