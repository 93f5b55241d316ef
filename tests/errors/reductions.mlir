// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @axes_ascend(%x: tensor<2x3xf32>) {
  // expected-error @below {{keratin.reduce_sum: axes must ascend inside the rank 2, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.reduce_sum %x axes = [1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @axis_once(%x: tensor<2x3xf32>) {
  // expected-error @below {{keratin.reduce_max: axes must ascend inside the rank 2, found 1}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.reduce_max %x axes = [1, 1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @axis_inside_the_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{keratin.reduce_prod: axes must ascend inside the rank 2, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.reduce_prod %x axes = [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @any_of_numbers(%x: tensor<2xi8>) {
  // expected-error @below {{operand #0 must be ranked tensor of 1-bit signless integer values}}
  %y = keratin.reduce_any %x axes = [0] : (tensor<2xi8>) -> tensor<i8>
  return
}

// -----

func.func @arg_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{arg_max: axis -1 is outside the rank 2}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.arg_max %x {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @top_k_of_other_lines(%x: tensor<2x3xf32>) {
  // expected-error @below {{'keratin.top_k' op the result has shape (3, 2); it must be (2, 3) but for the last size}}
  %y = keratin.top_k %x : (tensor<2x3xf32>) -> tensor<3x2xi64>
  return
}

// -----

func.func @top_k_of_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{'keratin.top_k' op the result has shape (); it must be () but for the last size}}
  %y = keratin.top_k %x : (tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @top_k_of_too_few(%x: tensor<2x3xf32>) {
  // expected-error @below {{'keratin.top_k' op takes the 4 largest of 3}}
  %y = keratin.top_k %x : (tensor<2x3xf32>) -> tensor<2x4xi64>
  return
}

// -----

func.func @arg_of_nothing(%x: tensor<2x0xf32>) {
  // expected-error @below {{arg_min: the axis is empty}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.arg_min %x {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @scan_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{'keratin.cumsum' op axis 2 is outside the rank of 'tensor<2x3xf32>'}}
  %y = keratin.cumsum %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scan_of_scalar(%x: tensor<f32>) {
  // expected-error @below {{'keratin.cumprod' op axis 0 is outside the rank of 'tensor<f32>'}}
  %y = keratin.cumprod %x {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @running_maximum_axis(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.cummax' op axis 1 is outside the rank of 'tensor<2xf32>'}}
  %y = keratin.cummax %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @recurrence_axis(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.linear_recurrence' op axis -1 is outside the rank of 'tensor<2xf32>'}}
  %y = keratin.linear_recurrence %x, %x {axis = -1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @recurrence_of_other_sizes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'keratin.linear_recurrence' op requires the same type for all operands and results}}
  %y = keratin.linear_recurrence %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_element_types(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error @below {{dot_general: element types differ}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_pairs(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{dot_general: contracted dimensions must come in pairs}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_dimension_twice(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error @below {{dot_general: contracted dimensions must be inside the ranks and different}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.dot_general %a, %b batch = [0] x [0] contract = [0] x [1] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dot_outside_the_rank(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{dot_general: batch dimensions must be inside the ranks and different}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.dot_general %a, %b batch = [1] x [0] contract = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<2x?xf32, #keratin.dims<2, d0>>, %b: tensor<3x4xf32>) {
  // expected-error @below {{dot_general: contracted dimensions 1 and 0 have sizes d0 and 3; they must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
