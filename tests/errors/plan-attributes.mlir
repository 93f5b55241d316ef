// RUN: keratin-opt %s --split-input-file --verify-diagnostics

// A plan that comes with text is checked before anybody reads it: every index is in range, every list has the right length.

// expected-error @below {{keratin.memories must be a list of memories of a function}}
func.func private @memories_are_a_list() attributes {keratin.memories = #keratin.memory<host, 64>}

// -----

// expected-error @below {{keratin.memories must be a list of memories of a function}}
func.func private @memories_are_memories() attributes {keratin.memories = [#keratin.dims<64>]}

// -----

// expected-error @below {{keratin.memories must be an arena at least}}
func.func private @no_arena() attributes {keratin.memories = []}

// -----

// expected-error @below {{keratin.memories must be an arena that waits for nothing, what is prepared, of so many bytes, if anything is, then memories that wait for sizes}}
func.func private @arena_that_waits() attributes {keratin.memories = [#keratin.memory<host, 64, after d5>]}

// -----

// expected-error @below {{keratin.memories must be an arena that waits for nothing, what is prepared, of so many bytes, if anything is, then memories that wait for sizes}}
func.func private @two_arenas() attributes {keratin.memories = [#keratin.memory<host, 64>, #keratin.memory<host, 64*d0>]}

// -----

// expected-error @below {{keratin.places must be a list of places of a kernel, a loop or a branch}}
func.func private @places_of_a_function() attributes {keratin.places = [#keratin.place<arena, 0>]}

// -----

// expected-error @below {{keratin.states must be a list of places of a loop}}
func.func private @states_of_a_function() attributes {keratin.states = [#keratin.place<result>]}

// -----

// expected-error @below {{keratin.step must be a place of a loop}}
func.func private @step_of_a_function() attributes {keratin.step = #keratin.place<arena, 0>}

// -----

// expected-error @below {{keratin.room must be a room of a loop or a branch}}
func.func private @room_of_a_function() attributes {keratin.room = #keratin.room<64, at 0>}

// -----

// expected-error @below {{expected arena, memory, returned, variable, nowhere, result or stack}}
func.func private @unknown_kind() attributes {keratin.step = #keratin.place<elsewhere>}

// -----

// expected-error @below {{expected the symbol of a size}}
func.func private @memory_after_a_number() attributes {keratin.memories = [#keratin.memory<host, 64, after 5>]}

// -----

func.func @memory_that_is_not_there(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<memory 1, 0>}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<memory 1, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @variable_that_is_not_there(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<variable 0>}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<variable 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @result_that_is_not_there(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<returned 1>}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @result_of_a_loop_for_a_kernel(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<result>}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<result>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @stack_for_a_kernel(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<stack 0>}}
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<stack 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @variable_in_a_branch(%c: tensor<i1> {keratin.kind = "input"}, %x: tensor<16xf32> {keratin.kind = "variable"}) -> (tensor<16xf32> {keratin.kind = "output"}) {
  %y = keratin.if %c with(%x) : (tensor<i1>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    // expected-error @below {{result 0 has the unknown place #keratin.place<variable 0>}}
    %n = keratin.kernel (%a) {keratin.places = [#keratin.place<variable 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p0: tensor<16xf32>):
      %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n : tensor<16xf32>
  } else {
  ^bb0(%a: tensor<16xf32>):
    keratin.yield %a : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @states_beside_one(%h: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{has no place for its states}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.states = []} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    keratin.yield %s : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @state_returned(%h: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{state 0 has the unknown place #keratin.place<returned 0>}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.states = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    keratin.yield %s : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @state_over_an_operand(%h: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{state 0 has the unknown place #keratin.place<result, over 0>}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.states = [#keratin.place<result, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    keratin.yield %s : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @state_in_no_stack(%h: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{state 0 has the unknown place #keratin.place<stack 0>}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.states = [#keratin.place<stack 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    keratin.yield %s : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @step_nowhere(%h: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{has its step number at the unknown place #keratin.place<nowhere>}}
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with() {keratin.step = #keratin.place<nowhere>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>):
    keratin.yield %s : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{expected 'host' or 'device'}}
func.func @f() attributes {keratin.memories = [#keratin.memory<cloud, 64>]}

// -----

// expected-error @below {{keratin.memories must be memories of one space}}
func.func private @f(%x: tensor<4xf32>) attributes {keratin.memories = [#keratin.memory<host, 64>, #keratin.memory<device, 64, after d3>]}
