// RUN: keratin-opt %s --keratin-differentiate --split-input-file --verify-diagnostics

func.func @result_without_output(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op the results must be 1 values, found 2}}
  %y:2 = keratin.custom_gradient %x of %x : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%dy: tensor<f32>):
    keratin.yield %dy : tensor<f32>
  }
  return %y#0 : tensor<f32>
}

// -----

func.func @gradient_of_another_type(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op the yield of the gradient: value 0 must have type 'tensor<2xf32>', found 'tensor<f32>'}}
  %z = keratin.custom_gradient %y of %x : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>):
    keratin.yield %dy : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

func.func @results_that_are_not_there(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op keratin.captured_results has 1 for one of 1 results}}
  %z = keratin.custom_gradient %x of %x with %x {keratin.captured_results = array<i64: 1>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>, %y: tensor<f32>):
    keratin.yield %dy : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

func.func @more_results_than_captures(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op keratin.captured_results must be a list of no more numbers than there are captures}}
  %z = keratin.custom_gradient %x of %x {keratin.captured_results = array<i64: 0>} : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>):
    keratin.yield %dy : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

func.func @capture_of_another_type(%x: tensor<f32>, %c: tensor<2xf32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op the capture that stands for result 0 has type 'tensor<2xf32>', found 'tensor<f32>' for the result}}
  %z = keratin.custom_gradient %x of %x with %c {keratin.captured_results = array<i64: 0>} : (tensor<f32>, tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>, %y: tensor<2xf32>):
    keratin.yield %dy : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

func.func @tangent_of_another_type(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op the yield of the tangents: value 0 must have type 'tensor<f32>', found 'tensor<2xf32>'}}
  %z = keratin.custom_gradient %y of %x {forward} : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<2xf32>):
    keratin.yield %t : tensor<2xf32>
  }
  return %z : tensor<f32>
}

// -----

func.func @tangents_twice(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.custom_gradient' op has tangents of its own, and keratin.forward says that they are the outputs'}}
  %z = keratin.custom_gradient %x of %x {forward, keratin.forward} : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<f32>):
    keratin.yield %t : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

func.func @delayed_operands_that_are_not_there(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'keratin.checkpoint' op keratin.delayed must be a list of numbers of operands}}
  %y = keratin.checkpoint(%x) {keratin.delayed = array<i64: 1>} : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    keratin.yield %a : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @transpose_of_what_is_not_linear(%x: tensor<f32>, %v: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{jvp: the gradient of custom_gradient is not linear in its cotangent}}
  %y = keratin.custom_gradient %x of %x : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>):
    %s = keratin.sin %dy : (tensor<f32>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  }
  %t = keratin.jvp of %y wrt %x along %v : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t : tensor<f32>
}
