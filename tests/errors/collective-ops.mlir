// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @rows(%x: tensor<f32>) {
  // expected-error @below {{'keratin.all_gather' op needs rows, found 'tensor<f32>'}}
  %y = keratin.all_gather %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @types(%x: tensor<3x2xf32>) {
  // expected-error @below {{'keratin.all_gather' op operand and result must have the same element type and rank}}
  %y = keratin.all_gather %x : tensor<3x2xf32> -> tensor<6x2xf64>
  return
}

// -----

func.func @sizes(%x: tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  // expected-error @below {{'keratin.reduce_scatter' op dimension 1 has sizes 2 and 3; they must be equal}}
  %y = keratin.reduce_scatter sum %x : tensor<?x2xf32, #keratin.dims<d0, 2>> -> tensor<1x3xf32>
  return
}

// -----

func.func @before(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.reduce_scatter' op has no parts of the sum before a rank}}
  %y = keratin.reduce_scatter before %x : tensor<4xf32> -> tensor<2xf32>
  return
}
