// RUN: keratin-opt %s --keratin-differentiate --split-input-file --verify-diagnostics

func.func @one_result_for_each_value(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.gradients' op needs one result for each of the 2 values}}
  %g = keratin.gradients %x wrt %x, %w : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @type_of_its_value(%x: tensor<f32>, %w: tensor<2xf32>) -> tensor<f32> {
  // expected-error @below {{'keratin.gradients' op a gradient has the type of its value, found 'tensor<f32>' for 'tensor<2xf32>'}}
  %g = keratin.gradients %x wrt %w : (tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @loss_must_be_floating(%x: tensor<i32>, %w: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{operand #0 must be ranked tensor of}}
  %g = keratin.gradients %x wrt %w : (tensor<i32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @kernels_come_after_gradients(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{gradient: keratin.kernel cannot be differentiated}}
  %y = keratin.kernel (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %0 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @scan_of_the_largest_size(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  // expected-error @below {{'keratin.cumprod' op gradient: the size along the axis does not fit 64 bits}}
  %y = keratin.cumprod %x {axis = 0 : i64} : (tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  %g = keratin.gradients %y wrt %x : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  return %g : tensor<9223372036854775807xf32>
}

// -----

func.func @recurrence_of_the_largest_size(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  // expected-error @below {{'keratin.linear_recurrence' op gradient: the size along the axis does not fit 64 bits}}
  %y = keratin.linear_recurrence %x, %x {axis = 0 : i64} : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  %g = keratin.gradients %y wrt %x : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  return %g : tensor<9223372036854775807xf32>
}

// -----

func.func @loss_in_another_block(%x: tensor<f32>) -> tensor<f32> {
  %y = keratin.tanh %x : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
^bb1:
  // expected-error @below {{gradients: the loss depends on an op outside the block of its gradient}}
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Each step keeps its state: 2^40 states of 2^40 elements.
func.func @loop_keeps_too_much(%x: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
  // expected-error @below {{gradient: what each step keeps is too large; the number of elements of}}
  %y = keratin.scan length = <1099511627776> init(%x) over() with() : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<1099511627776xf32>):
    %0 = keratin.mul %s, %s : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    keratin.yield %0 : tensor<1099511627776xf32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
  return %g : tensor<1099511627776xf32>
}

// -----

func.func @one_tangent_for_each_input(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.jvp' op needs one tangent for each of the 2 inputs, found 1}}
  %t = keratin.jvp of %x wrt %x, %w along %w : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @tangent_of_another_type(%x: tensor<f32>, %w: tensor<2xf32>) -> tensor<f32> {
  // expected-error @below {{'keratin.jvp' op a tangent has the type of its input, found 'tensor<2xf32>' for 'tensor<f32>'}}
  %t = keratin.jvp of %x wrt %x along %w : (tensor<f32>, tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @cotangent_of_another_type(%x: tensor<f32>, %w: tensor<2xf32>) -> tensor<f32> {
  // expected-error @below {{'keratin.vjp' op a cotangent has the type of its output, found 'tensor<2xf32>' for 'tensor<f32>'}}
  %t = keratin.vjp of %x wrt %x along %w : (tensor<f32>, tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @kernels_come_after_tangents(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{jvp: keratin.kernel cannot be differentiated}}
  %y = keratin.kernel (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %0 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %t = keratin.jvp of %y wrt %x along %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @tangent_of_a_scan_of_the_largest_size(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  // expected-error @below {{'keratin.cumprod' op tangent: the size along the axis does not fit 64 bits}}
  %y = keratin.cumprod %x {axis = 0 : i64, exclusive} : (tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  %t = keratin.jvp of %y wrt %x along %x : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  return %t : tensor<9223372036854775807xf32>
}

// -----

func.func @tangent_of_a_recurrence_of_the_largest_size(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  // expected-error @below {{'keratin.linear_recurrence' op tangent: the size along the axis does not fit 64 bits}}
  %y = keratin.linear_recurrence %x, %x {axis = 0 : i64} : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  %t = keratin.jvp of %y wrt %x along %x : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32>
  return %t : tensor<9223372036854775807xf32>
}

// -----

func.func @output_in_another_block(%x: tensor<f32>) -> tensor<f32> {
  %y = keratin.tanh %x : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
^bb1:
  // expected-error @below {{jvp: an output depends on an op outside the block of its derivative}}
  %t = keratin.jvp of %y wrt %x along %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t : tensor<f32>
}

// -----

func.func @second_derivative_by_the_shape(%a: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{gradient: not implemented: a second derivative of igamma, igammac or random_gamma by the shape}}
  %y = keratin.gamma_sample_gradient %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}

// -----

func.func @second_derivative_by_a_or_b(%a: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{gradient: not implemented: a second derivative of betainc by a or b}}
  %y = keratin.beta_sample_gradient %x, %a, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}
