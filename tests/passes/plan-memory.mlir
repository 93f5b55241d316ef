// RUN: keratin-opt %s --keratin-plan-memory --keratin-check-memory-plan --split-input-file | FileCheck %s

// Two intermediate values alive together; the third takes the place of the first.
// CHECK-LABEL: func.func @places_by_lifetime
// CHECK-SAME: keratin.memories = [#keratin.memory<host, 128>]
func.func @places_by_lifetime(%x: tensor<2x8xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<8x2xf32> {keratin.kind = "output"}) {
  // CHECK: keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, [[A:0|64]]>]}
  %a = keratin.kernel (%x) : (tensor<2x8xf32>) -> tensor<8x2xf32> {
  ^bb0(%p: tensor<2x8xf32>):
    %0 = keratin.transpose %p permutation = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
    keratin.yield %0 : tensor<8x2xf32>
  }
  // CHECK: keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, [[B:0|64]]>]}
  %b = keratin.kernel (%a) : (tensor<8x2xf32>) -> tensor<2x8xf32> {
  ^bb0(%p: tensor<8x2xf32>):
    %0 = keratin.transpose %p permutation = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
    keratin.yield %0 : tensor<2x8xf32>
  }
  // CHECK: keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, [[A]]>]}
  %c = keratin.kernel (%b) : (tensor<2x8xf32>) -> tensor<8x2xf32> {
  ^bb0(%p: tensor<2x8xf32>):
    %0 = keratin.transpose %p permutation = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
    keratin.yield %0 : tensor<8x2xf32>
  }
  // CHECK: keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<returned 0>]}
  %d = keratin.kernel (%c) : (tensor<8x2xf32>) -> tensor<8x2xf32> {
  ^bb0(%p: tensor<8x2xf32>):
    %0 = keratin.tanh %p : (tensor<8x2xf32>) -> tensor<8x2xf32>
    keratin.yield %0 : tensor<8x2xf32>
  }
  return %d : tensor<8x2xf32>
}

// -----

// An elementwise kernel writes over an operand that nobody reads later, whatever the sizes are.
// CHECK-LABEL: func.func @reuses_dying_operand
// CHECK-SAME: keratin.memories = [#keratin.memory<host, 64*floordiv(d0 + 1, 2)>]
func.func @reuses_dying_operand(%x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "output"}) {
  // CHECK: keratin.places = [#keratin.place<arena, 0>]
  %a = keratin.kernel (%x) : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>> {
  ^bb0(%p: tensor<?x8xf32, #keratin.dims<d0, 8>>):
    %0 = keratin.tanh %p : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
    keratin.yield %0 : tensor<?x8xf32, #keratin.dims<d0, 8>>
  }
  // CHECK: keratin.places = [#keratin.place<arena, 0, over 1>]
  %b = keratin.kernel (%x, %a) : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>> {
  ^bb0(%p: tensor<?x8xf32, #keratin.dims<d0, 8>>, %q: tensor<?x8xf32, #keratin.dims<d0, 8>>):
    %0 = keratin.mul %p, %q : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
    keratin.yield %0 : tensor<?x8xf32, #keratin.dims<d0, 8>>
  }
  // CHECK: keratin.places = [#keratin.place<returned 0>]
  %c = keratin.kernel (%b) : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>> {
  ^bb0(%p: tensor<?x8xf32, #keratin.dims<d0, 8>>):
    %0 = keratin.exp %p : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
    keratin.yield %0 : tensor<?x8xf32, #keratin.dims<d0, 8>>
  }
  return %c : tensor<?x8xf32, #keratin.dims<d0, 8>>
}

// -----

// Each element of the result needs a whole row, which must still be there.
// CHECK-LABEL: func.func @no_reuse_when_operand_is_reduced
// CHECK-SAME: keratin.memories = [#keratin.memory<host, 128>]
func.func @no_reuse_when_operand_is_reduced(%x: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x4xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.tanh %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  // CHECK: keratin.places = [#keratin.place<arena, {{0|64}}>]
  // CHECK: keratin.places = [#keratin.place<arena, {{0|64}}>]
  %b = keratin.kernel (%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.reduce_sum %p axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
    %1 = keratin.broadcast %0 dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %2 = keratin.sub %p, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2 : tensor<4x4xf32>
  }
  %c = keratin.kernel (%b) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  return %c : tensor<4x4xf32>
}

// -----

// The operand is read at the same index and, transposed, at another one.
// CHECK-LABEL: func.func @no_reuse_when_operand_is_transposed
func.func @no_reuse_when_operand_is_transposed(%x: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x4xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.tanh %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  %b = keratin.kernel (%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = keratin.transpose %0 permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = keratin.add %p, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2 : tensor<4x4xf32>
  }
  // The next one may.
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}, over 0>]
  %c = keratin.kernel (%b) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  %d = keratin.kernel (%c) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.exp %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  return %d : tensor<4x4xf32>
}

// -----

// The storage is read through a view as well, at other indices.
// CHECK-LABEL: func.func @no_reuse_through_a_view_of_another_shape
func.func @no_reuse_through_a_view_of_another_shape(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %v = keratin.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  %b = keratin.kernel (%a, %v) : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<2x2xf32>):
    %0 = keratin.slice %q starts = #keratin.dims<0, 0> strides = [1, 1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %1 = keratin.broadcast %0 dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x4xf32>
    %2 = keratin.slice %1 starts = #keratin.dims<0, 0> strides = [1, 1] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %3 = keratin.reshape %2 : (tensor<1x4xf32>) -> tensor<4xf32>
    %4 = keratin.add %p, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %4 : tensor<4xf32>
  }
  %c = keratin.kernel (%b) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %c : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_reuse_when_elements_are_wider
func.func @no_reuse_when_elements_are_wider(%x: tensor<64xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf64> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%p: tensor<64xf32>):
    %0 = keratin.tanh %p : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %0 : tensor<64xf32>
  }
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  %b = keratin.kernel (%a) : (tensor<64xf32>) -> tensor<64xf64> {
  ^bb0(%p: tensor<64xf32>):
    %0 = keratin.cast %p : (tensor<64xf32>) -> tensor<64xf64>
    keratin.yield %0 : tensor<64xf64>
  }
  %c = keratin.kernel (%b) : (tensor<64xf64>) -> tensor<64xf64> {
  ^bb0(%p: tensor<64xf64>):
    %0 = keratin.exp %p : (tensor<64xf64>) -> tensor<64xf64>
    keratin.yield %0 : tensor<64xf64>
  }
  return %c : tensor<64xf64>
}

// -----

// Two results want the one operand that dies.
// CHECK-LABEL: func.func @operand_is_taken_once
func.func @operand_is_taken_once(%x: tensor<64xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%p: tensor<64xf32>):
    %0 = keratin.tanh %p : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %0 : tensor<64xf32>
  }
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}>]
  // CHECK: keratin.places = [#keratin.place<arena, {{[0-9]+}}, over 0>, #keratin.place<arena, {{[0-9]+}}>]
  %b, %unused = keratin.kernel (%a) : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%p: tensor<64xf32>):
    %0 = keratin.exp %p : (tensor<64xf32>) -> tensor<64xf32>
    %1 = keratin.neg %p : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %0, %1 : tensor<64xf32>, tensor<64xf32>
  }
  %c = keratin.kernel (%b) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%p: tensor<64xf32>):
    %0 = keratin.exp %p : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %0 : tensor<64xf32>
  }
  return %c : tensor<64xf32>
}

// -----

// An output may be a view of what a kernel made.
// CHECK-LABEL: func.func @view_of_result_needs_no_copy
// CHECK-SAME: keratin.memories = [#keratin.memory<host, 0>]
func.func @view_of_result_needs_no_copy(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x2xf32> {keratin.kind = "output"}) {
  // CHECK: %[[A:.*]] = keratin.kernel({{.*}}) {keratin.places = [#keratin.place<returned 0>]
  %a = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  // CHECK-NOT: keratin.kernel
  // CHECK: %[[V:.*]] = keratin.reshape %[[A]]
  // CHECK: return %[[V]]
  %v = keratin.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}

// -----

// Outputs share storage with nothing: not with inputs, variables, constants, or each other.
// CHECK-LABEL: func.func @copies_outputs_that_share_storage
func.func @copies_outputs_that_share_storage(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<2x2xf32> {keratin.kind = "output"},
        tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "output"},
        tensor<4xf32> {keratin.kind = "output"}) {
  // CHECK-COUNT-4: keratin.identity
  // CHECK-NOT: keratin.identity
  %c = keratin.constant dense<1.0> : tensor<4xf32>
  %v = keratin.reshape %w : (tensor<4xf32>) -> tensor<2x2xf32>
  %a = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %x, %v, %c, %a, %a : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @update_in_place
func.func @update_in_place(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK: keratin.places = [#keratin.place<returned 0>]
  %y = keratin.kernel (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.mul %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  // CHECK: keratin.places = [#keratin.place<variable 0, over 1>]
  %new = keratin.kernel (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.sub %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %y, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @update_that_does_not_read_the_old_value_is_in_place
func.func @update_that_does_not_read_the_old_value_is_in_place(
      %x: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK: keratin.places = [#keratin.place<variable 0>]
  %new = keratin.kernel (%x) : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %new : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_update_in_place_when_old_value_is_read_later
// CHECK-NOT: keratin.place<variable
func.func @no_update_in_place_when_old_value_is_read_later(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2x2xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %new = keratin.kernel (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.sub %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %v = keratin.reshape %w : (tensor<4xf32>) -> tensor<2x2xf32>
  %y = keratin.kernel (%v) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%p: tensor<2x2xf32>):
    %0 = keratin.exp %p : (tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %0 : tensor<2x2xf32>
  }
  return %y, %new : tensor<2x2xf32>, tensor<4xf32>
}

// -----

// Updates are applied all or none: after the first write in place nothing may fail.
// CHECK-LABEL: func.func @no_update_in_place_before_something_fails
// CHECK-NOT: keratin.place<variable
func.func @no_update_in_place_before_something_fails(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}, %i: tensor<2xi32> {keratin.kind = "input", keratin.name = "i"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %new = keratin.kernel (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.sub %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %y = keratin.kernel (%x, %i) {keratin.fallible = 0 : i64} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<2xi32>):
    %0 = keratin.gather %p, %q : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
    keratin.yield %0 : tensor<2xf32>
  }
  return %y, %new : tensor<2xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_update_in_place_when_old_value_is_contracted
// CHECK-NOT: keratin.place<variable
func.func @no_update_in_place_when_old_value_is_contracted(
      %w: tensor<4x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4x4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK: keratin.places = [#keratin.place<returned 0>]
  %new = keratin.kernel (%w) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4x4xf32>):
    %0 = keratin.dot_general %p, %p batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  return %new : tensor<4x4xf32>
}

// -----

// Variables that exchange their values: both see the old one, so one of them needs a spare buffer.
// CHECK-LABEL: func.func @swap
// CHECK-DAG: keratin.places = [#keratin.place<variable {{[01]}}>]
// CHECK-DAG: keratin.places = [#keratin.place<returned {{[01]}}>]
func.func @swap(%v: tensor<4xf32> {keratin.kind = "variable", keratin.name = "v"},
                %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0},
        tensor<4xf32> {keratin.kind = "update", keratin.variable = 1}) {
  return %w, %v : tensor<4xf32>, tensor<4xf32>
}

// -----

// The new value is an output too: it is made in the variable and copied out.
// CHECK-LABEL: func.func @update_that_is_an_output
func.func @update_that_is_an_output(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK: %[[NEW:.*]] = keratin.kernel({{.*}}) {keratin.places = [#keratin.place<variable 0, over 0>]}
  %new = keratin.kernel (%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.add %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  // CHECK: %[[COPY:.*]] = keratin.kernel(%[[NEW]]) {keratin.places = [#keratin.place<returned 0>]}
  // CHECK: return %[[COPY]], %[[NEW]]
  return %new, %new : tensor<4xf32>, tensor<4xf32>
}
