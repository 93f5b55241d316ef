// RUN: keratin-opt %s --cse --split-input-file --verify-diagnostics

// What passes refuse to look at: ops that are right by themselves, but of no model.

func.func @cast(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is no op of a model}}
  %y = builtin.unrealized_conversion_cast %x : tensor<2xf32> to i1
  return %x : tensor<2xf32>
}

// -----

func.func @call(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'func.call' op is no op of a model}}
  %y = call @call(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @in_a_loop(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%step: tensor<i64>, %state: tensor<2xf32>):
    // expected-error @below {{'func.call' op is no op of a model}}
    %z = func.call @in_a_loop(%state) : (tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %z : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @module_within() {
  // expected-error @below {{'builtin.module' op is no op of a model}}
  builtin.module {}
  return
}

// -----

// expected-error @below {{'func.func' op 'i1' is not a ranked tensor}}
func.func @argument(%x: i1) {
  return
}

// -----

module {
  module {
    // expected-error @below {{'builtin.unrealized_conversion_cast' op is no function, of which a model is made}}
    %y = builtin.unrealized_conversion_cast to tensor<f32>
  }
}
