// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @iota_axis() {
  // expected-error @below {{'keratin.iota' op axis 1 is outside the rank of 'tensor<3xi64>'}}
  %y = keratin.iota {axis = 1 : i64} : tensor<3xi64>
  return
}

// -----

func.func @dim_axis(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.dim' op axis -1 is outside the rank of 'tensor<3xf32>'}}
  %y = keratin.dim %x {axis = -1 : i64} : (tensor<3xf32>) -> tensor<i64>
  return
}

// -----

func.func @dim_is_scalar(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.dim' op result must be a scalar, found 'tensor<1xi64>'}}
  %y = keratin.dim %x {axis = 0 : i64} : (tensor<3xf32>) -> tensor<1xi64>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{failed to verify that all of {value, y} have same type}}
  %y = "keratin.constant"() {value = dense<0.0> : tensor<3xf32>} : () -> tensor<4xf32>
  return
}

// -----

func.func @line_is_scalar(%d: tensor<i64>, %l: tensor<2xi64>) {
  // expected-error @below {{'keratin.random_bits' op line must be a scalar, found 'tensor<2xi64>'}}
  %y = keratin.random_bits %d, %l {seed = 1 : i64} : (tensor<i64>, tensor<2xi64>) -> tensor<4xui32>
  return
}

// -----

func.func @draw_is_scalar(%d: tensor<2xi64>) {
  // expected-error @below {{'keratin.random_bits' op draw must be a scalar, found 'tensor<2xi64>'}}
  %y = keratin.random_bits %d {seed = 1 : i64} : (tensor<2xi64>) -> tensor<4xui32>
  return
}

// -----

func.func @require_pairs(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.require' op needs as many sizes on the left as on the right}}
  %y = keratin.require equal #keratin.dims<2, 3> #keratin.dims<2> "" %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @update_of_another_type(%v: tensor<2xf32>, %x: tensor<3xf32>) {
  // expected-error @below {{failed to verify that all of {variable, value, y} have same type}}
  %y = "keratin.update"(%v, %x) {kind = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @kernel_arguments(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.kernel' op the body needs one argument for each of the 1 inputs}}
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<2xf32> {
    %0 = keratin.constant dense<0.0> : tensor<2xf32>
    keratin.yield %0 : tensor<2xf32>
  }
  return
}

// -----

func.func @kernel_argument_type(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.kernel' op an argument has type 'tensor<3xf32>' for an input of type 'tensor<2xf32>'}}
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    keratin.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @kernel_yields(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.kernel' op the body must yield one value for each result}}
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    keratin.yield
  }
  return
}

// -----

func.func @kernel_without_yield(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.kernel' op the body must yield one value for each result}}
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %0 = keratin.tanh %a : (tensor<2xf32>) -> tensor<2xf32>
  }
  return
}

// -----

func.func @kernel_yields_another_type(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.kernel' op yields 'tensor<2xf32>' for a result of type 'tensor<3xf32>'}}
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<2xf32>):
    keratin.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @kernels_are_closed(%x: tensor<2xf32>) {
  %y = keratin.kernel () : () -> tensor<2xf32> {
    // expected-error @below {{'keratin.yield' op using value defined outside the region}}
    keratin.yield %x : tensor<2xf32>
  }
  // expected-note @-4 {{required by region isolation constraints}}
  return
}

// -----

func.func @yield_outside(%x: tensor<2xf32>) {
  // expected-error @below {{'keratin.yield' op expects parent op to be one of 'keratin.checkpoint, keratin.custom_gradient, keratin.kernel, keratin.scan, keratin.while, keratin.if'}}
  keratin.yield %x : tensor<2xf32>
}

// -----

func.func @constant_elsewhere() {
  // expected-error @below {{'keratin.constant' op value must be dense<...>}}
  %y = keratin.constant dense_resource<nowhere> : tensor<3xf32>
  return
}
