// RUN: keratin-opt %s --keratin-check-memory-plan --split-input-file --verify-diagnostics

// Plans with one mistake each.

// Nothing wrong.
func.func @accepted(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<128>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64>} {
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel (%b) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
  %y = keratin.kernel (%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @overlap(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<128>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64>} {
  // expected-note @below {{made here}}
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%x) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{overwrites a value that is still needed}}
  %c = keratin.kernel (%b) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %d = keratin.kernel (%a, %b) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: 1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c, %d) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<4*d0 + 256>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64>} {
  // expected-note @below {{made here}}
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  // expected-error @below {{overwrites a value that is still needed; with d0 = 32}}
  %b = keratin.kernel (%a) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: -1>} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.reverse %p0 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  %y = keratin.kernel (%b) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @misaligned(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<4*d0>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<4*d0>} {
  // expected-error @below {{no offset that is a multiple of 64}}
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  %y = keratin.kernel (%a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p0: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.tanh %p0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @outside(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<64>} {
  // expected-error @below {{leaves the arena}}
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @unknown_place(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  // expected-error @below {{has the unknown place 1}}
  %a = keratin.kernel (%x) {keratin.results = array<i64: 1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_of_reversed(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{reads elements at other indices}}
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%b) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_by_scan(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel (%a) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{may need the place of a result}}
    %0 = keratin.cumsum %p0 {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%b) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

func.func @reuse_of_what_is_read_later(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{is written over a value that is read later}}
  %b = keratin.kernel (%a) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a, %b) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<>} {
  return %x : tensor<16xf32>
}

// -----

// expected-error @below {{function result 0 is not what its buffer holds}}
func.func @output_elsewhere(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<64>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  %y = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<>} {
  %y = keratin.kernel (%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %n = keratin.kernel (%w, %x) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{reads a variable after it was written in place}}
  %y = keratin.kernel (%w) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %n = keratin.kernel (%w, %x) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>, %p1: tensor<16xf32>):
    %0 = keratin.add %p0, %p1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{can fail after a variable was written in place}}
  %y = keratin.kernel (%x) {keratin.fallible = 0 : i64, keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %y = keratin.kernel (%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  // expected-error @below {{must say which operand the update in place writes over}}
  %n = keratin.kernel (%w, %x) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %y = keratin.kernel (%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %n = keratin.kernel (%w) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    // expected-error @below {{reads elements at other indices}}
    %0 = keratin.reverse %p0 axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func @loop(%x: tensor<?x16xf32, #keratin.dims<d0, 16>>, %h: tensor<16xf32>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>)
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{has no place for its states}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{state 0 has the unknown place 7}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 7>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{state 0 has the unknown place -3}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: -3>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{has its step number at the unknown place 9}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 9 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{has no place for its step number, which is read}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = -1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{state 0 is not what is written to its stack}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: -2>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{yielded value 0 is not what its buffer holds}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{result 1 needs a place}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -9223372036854775808>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: -1>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      // expected-error @below {{reads elements at other indices}}
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: -1>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%a, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    // expected-error @below {{reads a state after its next value was written in place}}
    %m = keratin.kernel (%s, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-note @below {{made here}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 2>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    // expected-error @below {{overwrites a value that is still needed}}
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-note @below {{made here}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 2 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    // expected-error @below {{overwrites a value that is still needed}}
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: -1, -1>, keratin.states = array<i64: 0>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    // expected-error @below {{reuses an operand for a buffer outside of the arena}}
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: 1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{writes result 0 over an operand, but its steps do not change it in place}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: 0, -1>, keratin.states = array<i64: 0>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%s, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<192>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0, 64, 128>} {
  // expected-error @below {{writes result 0 over a value that is not, or not only, its first one}}
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() {keratin.results = array<i64: -1, -2>, keratin.reuses = array<i64: 1, -1>, keratin.states = array<i64: -1>, keratin.step = 1 : i64}
      : (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> (tensor<16xf32>, tensor<?x16xf32, #keratin.dims<d0, 16>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<16xf32>, %e: tensor<16xf32>):
    %a = keratin.kernel (%s, %t) {keratin.results = array<i64: 2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<i64>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<i64>):
      %0 = keratin.cast %q : (tensor<i64>) -> tensor<f32>
      %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<16xf32>
      %2 = keratin.add %p, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %2 : tensor<16xf32>
    }
    %n = keratin.kernel (%a, %a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %0 = keratin.reverse %p axes = [0] : (tensor<16xf32>) -> tensor<16xf32>
      %1 = keratin.add %0, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %1 : tensor<16xf32>
    }
    %m = keratin.kernel (%a, %e) {keratin.results = array<i64: -2>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<>} {
  // expected-error @below {{is a branch and writes over an operand}}
  %y = keratin.if %c with(%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: 1>} : (tensor<i1>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %n = keratin.kernel (%a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
      keratin.yield %0 : tensor<16xf32>
    }
    keratin.yield %n : tensor<16xf32>
  } else {
  ^bb0(%a: tensor<16xf32>):
    %n = keratin.kernel (%a) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %k = keratin.kernel (%x, %y, %w) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: 2>} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64: 1>, keratin.offsets = #keratin.dims<>} {
  %k = keratin.kernel (%x, %w) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
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
    attributes {keratin.arena_bytes = #keratin.dims<128>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>} {
  %a = keratin.kernel (%x) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: -1>} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p0: tensor<32xf32>):
    %0 = keratin.tanh %p0 : (tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %b = keratin.slice %a starts = <16> strides = [1] : (tensor<32xf32>) -> tensor<16xf32>
  // expected-error @below {{writes result 0 over an operand of which it reads a part}}
  %c = keratin.kernel (%b) {keratin.results = array<i64: 0>, keratin.reuses = array<i64: 0>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%c) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @below {{has a plan of memories that do not fit each other}}
func.func @unknown_memory(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output"})
    attributes {keratin.arena_bytes = #keratin.dims<0>, keratin.in_place = array<i64>, keratin.offsets = #keratin.dims<0>,
                keratin.memories = #keratin.dims<64>, keratin.memory_sizes = array<i64: 0>, keratin.offset_memories = array<i64: 1>} {
  %y = keratin.kernel (%x) {keratin.results = array<i64: -1>, keratin.reuses = array<i64: -1>} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p0: tensor<16xf32>):
    %0 = keratin.tanh %p0 : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
