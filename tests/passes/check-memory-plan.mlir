// RUN: keratin-opt %s --keratin-check-memory-plan --split-input-file --verify-diagnostics

// Plans with one mistake each.

// Nothing wrong.
func.func @accepted(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 64>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel (%b) {keratin.places = [#keratin.place<arena, 64, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{has no memory plan}}
func.func @no_plan(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @overlap(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  // expected-note @below {{made here}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 64>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{overwrites a value that is still needed}}
  %c = keratin.kernel (%b) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %d = keratin.kernel (%a, %b) {keratin.places = [#keratin.place<arena, 64, over 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c, %d) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// Apart for small sizes, not for 32.
func.func @overlap_for_some_sizes(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 4*d0 + 256>]} {
  // expected-note @below {{made here}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  // expected-error @below {{overwrites a value that is still needed; with d0 = 32}}
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 64>]} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  %y = keratin.kernel (%b) {keratin.places = [#keratin.place<returned 0>]} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @misaligned(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 4*d0>]} {
  // expected-error @below {{no offset that is a multiple of 64}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 4*d0>]} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @outside(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{leaves the arena}}
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

func.func @unknown_place(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 has the unknown place #keratin.place<memory 7, 0>}}
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<memory 7, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
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

func.func @reuse_of_reversed(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{reads elements at other indices}}
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
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

func.func @reuse_by_scan(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{may need the place of a result}}
    %0 = keratin.cumsum %p0 {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
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

func.func @reuse_of_what_is_read_later(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{is written over a value that is read later}}
  %b = keratin.kernel (%a) {keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a, %b) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{function result 0 aliases an argument or a constant}}
func.func @output_aliases_input(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  return %x : tensor<16xf32>
}

// -----

// expected-error @below {{function result 0 is not what its buffer holds}}
func.func @output_elsewhere(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{function result 1 is not what its buffer holds}}
func.func @output_twice(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %y : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @old_value_read_after_update(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %n = keratin.kernel (%w, %x) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{reads a variable after it was written in place}}
  %y = keratin.kernel (%w) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @failure_after_update(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %n = keratin.kernel (%w, %x) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{can fail after a variable was written in place}}
  %y = keratin.kernel (%x) {keratin.fallible = 0 : i64, keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @update_in_place_not_declared(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{must say which operand the update in place writes over}}
  %n = keratin.kernel (%w, %x) {keratin.places = [#keratin.place<variable 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @update_in_place_of_reversed(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %n = keratin.kernel (%w) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{reads elements at other indices}}
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @loop(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @loop_without_homes(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{has no place for its states}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @home_out_of_range(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{state 0 has the unknown place #keratin.place<memory 7, 0>}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<memory 7, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @stack_out_of_range(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{state 0 has the unknown place #keratin.place<stack 1>}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<stack 1>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @step_out_of_range(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{has its step number at the unknown place #keratin.place<memory 7, 0>}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<memory 7, 0>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @step_without_place(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{has no place for its step number, which is read}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>]}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @state_not_in_stack(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{state 0 is not what is written to its stack}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<stack 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @state_elsewhere(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{yielded value 0 is not what its buffer holds}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @result_nowhere(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> tensor<16xf32>
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{result 1 needs a place}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<nowhere>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0 : tensor<16xf32>
}

// -----

func.func @state_over_itself(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<result>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      // expected-error @below {{reads elements at other indices}}
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @state_read_later(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<result>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%a, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    // expected-error @below {{reads a state after its next value was written in place}}
    %m = keratin.kernel (%s, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @second_buffer_overlaps(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-note @below {{made here}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 128>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    // expected-error @below {{overwrites a value that is still needed}}
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @step_number_overlaps(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-note @below {{made here}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 128>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    // expected-error @below {{overwrites a value that is still needed}}
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @reuse_inside(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    // expected-error @below {{reuses an operand for a buffer outside of the arena}}
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0, over 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @loop_over_operand(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{writes result 0 over an operand, but its steps do not change it in place}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0, over 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<arena, 0>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @loop_over_sequence(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.memories = [#keratin.memory<host, 192>]} {
  // expected-error @below {{writes result 0 over a value that is not, or not only, its first one}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.places = [#keratin.place<returned 0, over 1>, #keratin.place<returned 1>], keratin.states = [#keratin.place<result>], keratin.step = #keratin.place<arena, 64>}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%a, %a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.mul %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n, %m : tensor<16xf32>, tensor<16xf32>
  }
  return %y#0, %y#1 : tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>
}

// -----

func.func @branch_over_operand(%c: tensor<i1>, %x: tensor<16xf32>) -> tensor<16xf32>
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{is a branch and writes over an operand}}
  %y = keratin.if %c with(%x) {keratin.places = [#keratin.place<returned 0, over 1>]} : (tensor<i1>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %n = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n : tensor<16xf32>
  } else {
  ^bb0(%a: tensor<16xf32>):
    %n = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %0 = keratin.neg %p : (tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// What is added to a contraction may be written over, not what is contracted.
func.func @update_by_contraction(%x: tensor<2x3xf32> {keratin.kind = "input"}, %y: tensor<3x2xf32> {keratin.kind = "input"}, %w: tensor<2x2xf32> {keratin.kind = "variable"})
    -> (tensor<2x2xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %k = keratin.kernel (%x, %y, %w) {keratin.places = [#keratin.place<variable 0, over 2>]} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>):
    %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %1 = keratin.add %c, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %1 : tensor<2x2xf32>
  }
  return %k : tensor<2x2xf32>
}

// -----

func.func @update_of_what_is_contracted(%x: tensor<2x2xf32> {keratin.kind = "input"}, %w: tensor<2x2xf32> {keratin.kind = "variable"})
    -> (tensor<2x2xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  %k = keratin.kernel (%x, %w) {keratin.places = [#keratin.place<variable 0, over 1>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>, %c: tensor<2x2xf32>):
    // expected-error @below {{reads elements at other indices of an operand that is written over}}
    %0 = keratin.dot_general %a, %c batch = [] x [] contract = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %0 : tensor<2x2xf32>
  }
  return %k : tensor<2x2xf32>
}

// -----

func.func @over_a_part(%x: tensor<32xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 128>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p0: tensor<32xf32>):
    %0 = keratin.tanh %p0 : (tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %b = keratin.slice %a starts = <16> strides = [1] : (tensor<32xf32>) -> tensor<16xf32>
  // expected-error @below {{writes result 0 over an operand of which it reads a part}}
  %c = keratin.kernel (%b) {keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{memory 1 waits for d99, which the call does not compute}}
func.func @memory_for_an_unknown_size(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>, #keratin.memory<host, 64, after d99>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @variable_without_update(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{writes variable 0, which has no such update}}
  %n = keratin.kernel (%w) {keratin.places = [#keratin.place<variable 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @prepared_of_an_input(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>, #keratin.memory<host, 64>]} {
  // expected-error @below {{is prepared of argument 0, which changes with the call}}
  %a = keratin.kernel (%x) {keratin.prepared, keratin.places = [#keratin.place<memory 1, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
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

func.func @prepared_and_lost(%w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%w) {keratin.prepared, keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{reads what a prepared kernel made and no memory keeps}}
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @prepared_too_late(%w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>, #keratin.memory<host, 64>]} {
  %y = keratin.kernel (%w) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{is prepared behind what is not}}
  %a = keratin.kernel (%w) {keratin.prepared, keratin.places = [#keratin.place<memory 1, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %z = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 1>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %z : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @prepared_and_fallible(%w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>, #keratin.memory<host, 64>]} {
  // expected-error @below {{is prepared and can fail}}
  %a = keratin.kernel (%w) {keratin.fallible = 0 : i64, keratin.prepared, keratin.places = [#keratin.place<memory 1, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
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

func.func @kept_and_not_prepared(%w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>, #keratin.memory<host, 64>]} {
  // expected-error @below {{result 0 is not prepared and kept}}
  %a = keratin.kernel (%w) {keratin.places = [#keratin.place<memory 1, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
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

func.func @prepared_and_returned(%w: tensor<16xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 0>]} {
  // expected-error @below {{result 0 is prepared outside of memory}}
  %y = keratin.kernel (%w) {keratin.prepared, keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @joined_elsewhere(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<32xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 256>]} {
  %a = keratin.kernel(%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) {keratin.places = [#keratin.place<arena, 128>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{is not launched, and an operand does not lie where its result has it}}
  %c = keratin.kernel(%a, %b) {keratin.joined, keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %y = keratin.kernel(%c) {keratin.places = [#keratin.place<returned 0>]} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.tanh %p : (tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  return %y : tensor<32xf32>
}

// -----

func.func @joined_is_computed(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel(%x) {keratin.joined, keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    // expected-error @below {{is not done by a kernel that is not launched}}
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel(%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{function result 0 is a part of another value}}
func.func @part_returned(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<8xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel(%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %part = keratin.slice %a starts = <0> strides = [1] : (tensor<16xf32>) -> tensor<8xf32>
  return %part : tensor<8xf32>
}

// -----

func.func @joined_is_returned(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{is not launched, and does not join values in memory}}
  %a = keratin.kernel(%x) {keratin.joined, keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.concatenate %p {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %a : tensor<16xf32>
}

// -----

func.func @joined_by_columns(%x: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x4xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  // expected-error @below {{is not launched, and joins more than one row of each operand}}
  %a = keratin.kernel(%x) {keratin.joined, keratin.places = [#keratin.place<arena, 0>]} : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.concatenate %p {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  %y = keratin.kernel(%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.tanh %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

func.func @receives_over_a_part(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<8xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel(%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %part = keratin.slice %a starts = <0> strides = [1] : (tensor<16xf32>) -> tensor<8xf32>
  // expected-error @below {{receives result 0 over a value of which it sends a part}}
  %b = keratin.kernel(%part) {keratin.effect, keratin.fallible = 0 : i64, keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%p: tensor<8xf32>):
    %0 = keratin.all_reduce sum %p : tensor<8xf32>
    keratin.yield %0 : tensor<8xf32>
  }
  %y = keratin.kernel(%b) {keratin.places = [#keratin.place<returned 0>]} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%p: tensor<8xf32>):
    %0 = keratin.tanh %p : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %0 : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @receives_others_over_its_own(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel(%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{receives something else over what is sent}}
  %b = keratin.kernel(%a) {keratin.effect, keratin.fallible = 0 : i64, keratin.places = [#keratin.place<arena, 0, over 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.permute %p pairs = [0, 1, 1, 0] : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel(%b) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
