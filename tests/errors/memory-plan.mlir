// RUN: keratin-opt %s --keratin-check-memory-plan --split-input-file --verify-diagnostics

// A plan may come with textual IR: what it says of places and updates is checked before memory is.

func.func @no_place_for_each_result(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{has no place for each result}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>, #keratin.place<memory 7, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @unknown_operand(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{result 0 reuses the unknown operand 1}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0, over 1>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @node_without_a_plan(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{has no place for each result}}
  %y = keratin.kernel (%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @loop_without_a_plan(%h: tensor<16xf32>) -> tensor<16xf32> attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{has no place for its states}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    %n = keratin.kernel (%s) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p0: tensor<16xf32>):
      %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_of_an_argument_for_an_output(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{reuses an operand for a buffer outside of the arena}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_in_another_place(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{result 0 does not lie where the operand it reuses does}}
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 64, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%b) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @update_in_place_that_can_fail(%x: tensor<16xf32> {keratin.kind = "input"}, %w: tensor<16xf32> {keratin.kind = "variable"}) -> (tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{must not update a variable in place}}
  %y = keratin.kernel (%w) {keratin.fallible = 0 : i64, keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{a variable updated in place has several updates}}
func.func @two_updates_of_one_variable(%x: tensor<16xf32> {keratin.kind = "input"}, %w: tensor<16xf32> {keratin.kind = "variable"}) -> (tensor<16xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %y = keratin.kernel (%w) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %z = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %z : tensor<16xf32>, tensor<16xf32>
}

// -----

// The kernel reads the variable, but writes over the other operand.
func.func @update_over_an_input(%x: tensor<16xf32> {keratin.kind = "input"}, %w: tensor<16xf32> {keratin.kind = "variable"}) -> (tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{writes over an operand that is not its variable}}
  %y = keratin.kernel (%x, %w) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @update_over_another_width(%x: tensor<16xf32> {keratin.kind = "input"}, %w: tensor<16xi64> {keratin.kind = "variable"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{writes result 0 over an operand of another shape}}
  %y = keratin.kernel (%w) {keratin.places = [#keratin.place<returned 0, over 0>]} : (tensor<16xi64>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xi64>):
    %0 = keratin.cast %p0 : (tensor<16xi64>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_in_one_of_several_loops(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{writes over an operand in one of several loops}}
  %b, %s = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 0, over 0>, #keratin.place<arena, 64>]} : (tensor<16xf32>) -> (tensor<16xf32>, tensor<8xf32>) {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    %1 = keratin.constant dense<0.0> : tensor<8xf32>
    keratin.yield %0, %1 : tensor<16xf32>, tensor<8xf32>
  }
  %y = keratin.kernel (%b, %s) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<8xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<8xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @offset_between(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  // expected-error @below {{a result has no offset that is a multiple of 64}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 32>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @result_beyond_the_arena(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{a result leaves the arena}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 64>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @size_not_known_yet(%x: tensor<16xi64>) -> (tensor<i64> {keratin.kind = "output"}, tensor<?xi64, #keratin.dims<d3>> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{needs d3 before it has a value}}
  %i = keratin.kernel () {keratin.places = [#keratin.place<returned 1>]} : () -> tensor<?xi64, #keratin.dims<d3>> {
    %0 = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
    keratin.yield %0 : tensor<?xi64, #keratin.dims<d3>>
  }
  %n = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xi64>) -> tensor<i64> {
  ^bb0(%p0: tensor<16xi64>):
    %0 = keratin.reduce_sum %p0 axes = [0] : (tensor<16xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  keratin.define_size 3 %n at_most <16> : tensor<i64>
  return %n, %i : tensor<i64>, tensor<?xi64, #keratin.dims<d3>>
}

// -----

func.func @size_overwritten(%x: tensor<16xi64>) -> (tensor<i64> {keratin.kind = "output"}, tensor<i64> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %n = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xi64>) -> tensor<i64> {
  ^bb0(%p0: tensor<16xi64>):
    %0 = keratin.reduce_sum %p0 axes = [0] : (tensor<16xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  %m = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xi64>) -> tensor<i64> {
  ^bb0(%p0: tensor<16xi64>):
    %0 = keratin.reduce_max %p0 axes = [0] : (tensor<16xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  // expected-error @below {{reads a size that may have been overwritten}}
  keratin.define_size 3 %n at_most <16> : tensor<i64>
  return %n, %m : tensor<i64>, tensor<i64>
}
