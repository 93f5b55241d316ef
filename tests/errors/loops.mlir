// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @one_length(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op needs one length, found 2}}
  %y = keratin.scan length = <3, 4> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    keratin.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @negative_length(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op the length must not be negative, found -1}}
  %y = keratin.scan length = <-1> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    keratin.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @result_of_each_state(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op needs a result for each of the 2 states, found 1}}
  %y = keratin.scan length = <3> init(%x, %x) over() with() : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @state_of_another_type(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op the last states: value 0 must have type 'tensor<4xf32>', found 'tensor<4xf64>'}}
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf64> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.cast %s : (tensor<4xf32>) -> tensor<4xf64>
    keratin.yield %0 : tensor<4xf64>
  }
  return
}

// -----

func.func @sequence_is_a_scalar(%x: tensor<f32>) {
  // expected-error @below {{'keratin.scan' op sequence 0 must have 3 elements along dimension 0, found 'tensor<f32>'}}
  keratin.scan length = <3> init() over(%x) with() : (tensor<f32>) -> () {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>):
    keratin.yield
  }
  return
}

// -----

func.func @sequence_of_another_length(%x: tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  // expected-error @below {{'keratin.scan' op sequence 0 must have d1 elements along dimension 0, found 'tensor<?x2xf32, #keratin.dims<d0, 2>>'}}
  keratin.scan length = <d1> init() over(%x) with() : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> () {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>):
    keratin.yield
  }
  return
}

// -----

func.func @stack_of_another_length(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op stack 0 must have 3 elements along dimension 0, found 'tensor<5x4xf32>'}}
  %y:2 = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    keratin.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @body_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op the arguments of the body must be 2 values, found 1}}
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>):
    keratin.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @step_number_type() {
  // expected-error @below {{'keratin.scan' op the arguments of the body: value 0 must have type 'tensor<i64>', found 'tensor<i32>'}}
  keratin.scan length = <3> init() over() with() : () -> () {
  ^bb0(%t: tensor<i32>):
    keratin.yield
  }
  return
}

// -----

func.func @element_type(%x: tensor<3x2xf32>) {
  // expected-error @below {{'keratin.scan' op the arguments of the body: value 1 must have type 'tensor<2xf32>', found 'tensor<3x2xf32>'}}
  keratin.scan length = <3> init() over(%x) with() : (tensor<3x2xf32>) -> () {
  ^bb0(%t: tensor<i64>, %s: tensor<3x2xf32>):
    keratin.yield
  }
  return
}

// -----

func.func @body_yields(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op the yield of the body must be 1 values, found 0}}
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    keratin.yield
  }
  return
}

// -----

func.func @body_without_yield(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.scan' op the body must end with keratin.yield}}
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

func.func @body_is_empty() {
  // expected-error @below {{'keratin.scan' op expects a non-empty block}}
  "keratin.scan"() <{length = #keratin.dims<3>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: tensor<i64>):
  }) : () -> ()
  return
}

// -----

func.func @two_blocks() {
  // expected-error @below {{'keratin.scan' op expects region #0 to have 0 or 1 blocks}}
  "keratin.scan"() <{length = #keratin.dims<3>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: tensor<i64>):
    keratin.yield
  ^bb1:
    keratin.yield
  }) : () -> ()
  return
}

// -----

func.func @step_sees_captures_only(%x: tensor<4xf32>) {
  %y = keratin.scan length = <3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    // expected-error @below {{'keratin.yield' op using value defined outside the region}}
    keratin.yield %x : tensor<4xf32>
  }
  // expected-note @-5 {{required by region isolation constraints}}
  return
}

// -----

func.func @condition_is_scalar(%c: tensor<2xi1>) {
  // expected-error @below {{'keratin.if' op the condition must be a scalar, found 'tensor<2xi1>'}}
  keratin.if %c with() : (tensor<2xi1>) -> () {
    keratin.yield
  } else {
    keratin.yield
  }
  return
}

// -----

func.func @condition_is_bool(%c: tensor<i32>) {
  // expected-error @below {{'keratin.if' op operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<i32>'}}
  keratin.if %c with() : (tensor<i32>) -> () {
    keratin.yield
  } else {
    keratin.yield
  }
  return
}

// -----

func.func @branch_arguments(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{'keratin.if' op the arguments of the second branch must be 1 values, found 0}}
  keratin.if %c with(%x) : (tensor<i1>, tensor<2xf32>) -> () {
  ^bb0(%a: tensor<2xf32>):
    keratin.yield
  } else {
    keratin.yield
  }
  return
}

// -----

func.func @branch_yields(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{'keratin.if' op the yield of the second branch: value 0 must have type 'tensor<2xf32>', found 'tensor<i1>'}}
  %y = keratin.if %c with(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    keratin.yield %a : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    %0 = keratin.constant dense<true> : tensor<i1>
    keratin.yield %0 : tensor<i1>
  }
  return
}

// -----

func.func @branch_is_empty(%c: tensor<i1>) {
  // expected-error @below {{'keratin.if' op the first branch must end with keratin.yield}}
  "keratin.if"(%c) ({
  ^bb0:
  }, {
    keratin.yield
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @two_blocks_in_a_branch(%c: tensor<i1>) {
  // expected-error @below {{'keratin.if' op region #1 ('else_body') failed to verify constraint: region with 1 blocks}}
  "keratin.if"(%c) ({
    keratin.yield
  }, {
    keratin.yield
  ^bb1:
    keratin.yield
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @result_with_a_size_of_the_branch(%c: tensor<i1>, %x: tensor<8xf32>, %n: tensor<i64>) {
  // expected-error @below {{'keratin.if' op the first branch computes a size that the op around it has, found 'tensor<?xf32, #keratin.dims<d0>>'}}
  %y = keratin.if %c with(%x, %n) : (tensor<i1>, tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%a: tensor<8xf32>, %m: tensor<i64>):
    %0 = keratin.truncate %a, %m axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  } else {
  ^bb0(%a: tensor<8xf32>, %m: tensor<i64>):
    %0 = keratin.truncate %a, %m axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return
}

// -----

func.func @length_of_its_own_body(%x: tensor<8xf32>, %n: tensor<i64>) {
  // expected-error @below {{'keratin.scan' op the body computes a size that the op around it has, found d0}}
  keratin.scan length = <d0> init() over() with(%x, %n) : (tensor<8xf32>, tensor<i64>) -> () {
  ^bb0(%t: tensor<i64>, %a: tensor<8xf32>, %m: tensor<i64>):
    %0 = keratin.truncate %a, %m axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield
  }
  return
}

// -----

func.func @while_without_flag(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.while' op the first state says whether there is a step and must have type 'tensor<i1>'}}
  %y:2 = keratin.while init(%x) with() : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    keratin.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @while_without_states() {
  // expected-error @below {{'keratin.while' op the first state says whether there is a step}}
  %y = keratin.while init() with() : () -> tensor<i64> {
  ^bb0(%t: tensor<i64>):
    keratin.yield
  }
  return
}

// -----

func.func @while_without_number(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op needs a result for each of the 1 states, and for the number of steps, found 1}}
  %y = keratin.while init(%go) with() : (tensor<i1>) -> tensor<i1> {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_number_of_another_type(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op the number of steps must have type 'tensor<i64>', found 'tensor<i32>'}}
  %y:2 = keratin.while init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_stack_without_length(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op needs a length, which is the size of its 1 stacks}}
  %y:3 = keratin.while init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>, tensor<3xi1>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s, %s : tensor<i1>, tensor<i1>
  }
  return
}

// -----

func.func @while_stack_of_another_length(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op stack 0 must have d0 elements along dimension 0, found 'tensor<3xi1>'}}
  %y:3 = keratin.while length = <d0> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>, tensor<3xi1>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s, %s : tensor<i1>, tensor<i1>
  }
  return
}

// -----

func.func @while_length_is_known(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op the length must be one symbol, found #keratin.dims<3>}}
  %y:2 = keratin.while length = <3> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_two_bounds(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op needs one number of steps at most, found 2}}
  %y:2 = keratin.while at_most = <3, 4> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_negative_bound(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op the most steps must not be negative, found -2}}
  %y:2 = keratin.while at_most = <-2> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_bound_of_itself(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op the most steps must not depend on their number, found d0 + 1}}
  %y:2 = keratin.while length = <d0> at_most = <d0 + 1> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_step_knows_number(%go: tensor<i1>, %x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{'keratin.while' op no step knows their number, found the size d0}}
  %y:2 = keratin.while length = <d0> init(%go) with(%x) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>, %c: tensor<?xf32, #keratin.dims<d0>>):
    keratin.yield %s : tensor<i1>
  }
  return
}

// -----

func.func @while_value_of_its_number(%go: tensor<i1>) {
  // expected-error @below {{'keratin.while' op no step knows their number, found the size 2*d0}}
  %y:2 = keratin.while length = <d0> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<i1>):
    %0 = keratin.iota {axis = 0 : i64} : tensor<?xf32, #keratin.dims<2*d0>>
    keratin.yield %s : tensor<i1>
  }
  return
}
