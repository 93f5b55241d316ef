// RUN: keratin-opt %s --keratin-plan-memory --keratin-check-memory-plan | FileCheck %s
// RUN: keratin-opt %s --keratin-plan-memory --keratin-build-host-program | FileCheck %s --check-prefix=HOST

// What a message sends is made where it is sent: no kernel puts it together.
// CHECK-LABEL: func.func @parts_of_a_message
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, 0>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, 64>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.joined, keratin.places = [#keratin.place<arena, 0>]}
// HOST-LABEL:  host.program of @parts_of_a_message
// HOST-COUNT-2:  host.launch
// HOST-NOT:      host.launch
// HOST:          host.start_collective kernel 3
func.func @parts_of_a_message(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<21xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<5x1xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.slice %p starts = <0> strides = [3] : (tensor<16xf32>) -> tensor<5xf32>
    %1 = keratin.reshape %0 : (tensor<5xf32>) -> tensor<5x1xf32>
    keratin.yield %1 : tensor<5x1xf32>
  }
  %flat = keratin.reshape %b : (tensor<5x1xf32>) -> tensor<5xf32>
  %c = keratin.kernel(%a, %flat) : (tensor<16xf32>, tensor<5xf32>) -> tensor<21xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<5xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<5xf32>) -> tensor<21xf32>
    keratin.yield %0 : tensor<21xf32>
  }
  %d = keratin.kernel(%c) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<21xf32>) -> tensor<21xf32> {
  ^bb0(%p: tensor<21xf32>):
    %0 = keratin.all_reduce sum %p : tensor<21xf32>
    keratin.yield %0 : tensor<21xf32>
  }
  return %d : tensor<21xf32>
}

// Trees of them, as of many operands, are one message too.
// CHECK-LABEL: func.func @a_tree
// CHECK:         keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 64>]
// CHECK:         keratin.joined, keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 128>]
// CHECK:         keratin.joined, keratin.places = [#keratin.place<arena, 0>]
func.func @a_tree(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<48xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %c = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.sin %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %abc = keratin.kernel(%ab, %c) : (tensor<32xf32>, tensor<16xf32>) -> tensor<48xf32> {
  ^bb0(%p: tensor<32xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<32xf32>, tensor<16xf32>) -> tensor<48xf32>
    keratin.yield %0 : tensor<48xf32>
  }
  %d = keratin.kernel(%abc) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<48xf32>) -> tensor<48xf32> {
  ^bb0(%p: tensor<48xf32>):
    %0 = keratin.all_reduce sum %p : tensor<48xf32>
    keratin.yield %0 : tensor<48xf32>
  }
  return %d : tensor<48xf32>
}

// What another kernel reads later stays where it is, and an argument is somebody else's: they are copied.
// CHECK-LABEL: func.func @copied
// CHECK-NOT:     keratin.joined
func.func @copied(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<32xf32> {keratin.kind = "output"}, tensor<32xf32> {keratin.kind = "output"}, tensor<16xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %d = keratin.kernel(%ab) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.all_reduce sum %p : tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %later = keratin.kernel(%a) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.sin %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.cos %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %xc = keratin.kernel(%x, %c) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %e = keratin.kernel(%xc) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.all_reduce sum %p : tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  return %d, %e, %later : tensor<32xf32>, tensor<32xf32>, tensor<16xf32>
}

// Rows of what a message brings are read where they are; those that the function returns are copied.
// CHECK-LABEL: func.func @parts_that_come
// CHECK:         %[[ALL:.*]] = keratin.kernel(%{{.*}}) {{.*}}#keratin.place<arena
// CHECK:           keratin.all_reduce
// CHECK:         %[[PART:.*]] = keratin.slice %[[ALL]]
// CHECK:         %[[COPY:.*]] = keratin.kernel(%[[PART]]) {{.*}}#keratin.place<returned 0>
// CHECK:         return %[[COPY]]
func.func @parts_that_come(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  %d = keratin.kernel(%x) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %part = keratin.slice %d starts = <4> strides = [1] : (tensor<16xf32>) -> tensor<4xf32>
  return %part : tensor<4xf32>
}

// The sum of what nothing else needs takes its place.
// CHECK-LABEL: func.func @a_sum_in_place
// CHECK:         keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 0, over 0>]
// CHECK:         keratin.all_reduce
func.func @a_sum_in_place(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<16xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%a) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel(%b) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %c : tensor<16xf32>
}

// A share that is read while its message is under way, or after it, stays.
// CHECK-LABEL: func.func @a_share_that_is_needed
// CHECK:         keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 64>]
// CHECK:         keratin.all_reduce
func.func @a_share_that_is_needed(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<16xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%a) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.sub %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %c : tensor<16xf32>
}

// So does one that another message still sends.
// CHECK-LABEL: func.func @a_share_for_two
// CHECK:         keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 64>]
// CHECK:         keratin.all_reduce sum
// CHECK:         keratin.places = [#keratin.place<arena, 128>]
// CHECK:         keratin.all_reduce max
func.func @a_share_for_two(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<16xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%a) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %c = keratin.kernel(%a) {keratin.effect, keratin.fallible = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce max %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %d = keratin.kernel(%b, %c) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.sub %p, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %d : tensor<16xf32>
}

// So is any value that is several ones. Others may read a part, and it stays as long as they do: what
// is made of the whole meanwhile lies elsewhere.
// CHECK-LABEL: func.func @parts_of_a_value
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, 0>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, 64>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.joined, keratin.places = [#keratin.place<arena, 0>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<arena, 128>]}
// CHECK:         keratin.kernel(%{{.*}}) {keratin.places = [#keratin.place<returned 0>]}
func.func @parts_of_a_value(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<32xf32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %c = keratin.kernel(%ab) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.sin %p : (tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %d = keratin.kernel(%b, %c) : (tensor<16xf32>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<32xf32>):
    %0 = keratin.concatenate %p, %p {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    %1 = keratin.sub %0, %q : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %1 : tensor<32xf32>
  }
  return %d : tensor<32xf32>
}

// Nobody reads a part later: what is made of the whole takes its place.
// CHECK-LABEL: func.func @over_the_whole
// CHECK:         keratin.joined, keratin.places = [#keratin.place<arena, 0>]
// CHECK:         keratin.places = [#keratin.place<arena, 0, over 0>]
func.func @over_the_whole(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<f32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%a) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %c = keratin.kernel(%ab) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.sin %p : (tensor<32xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %d = keratin.kernel(%c) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<32xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %d : tensor<f32>
}

// An output is its own, and a value that stands twice in the whole lies in one place.
// CHECK-LABEL: func.func @parts_that_are_copied
// CHECK-NOT:     keratin.joined
func.func @parts_that_are_copied(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<32xf32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %aa = keratin.kernel(%a) : (tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.concatenate %p, %p {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %c = keratin.kernel(%aa) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<32xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %ab, %c : tensor<32xf32>, tensor<f32>
}

// Of two wholes that have the same part, one is copied.
// CHECK-LABEL: func.func @a_part_of_two
// CHECK-COUNT-1: keratin.joined
// CHECK-NOT:     keratin.joined
func.func @a_part_of_two(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<f32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}) {
  %a = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %b = keratin.kernel(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.exp %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %ab = keratin.kernel(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %ba = keratin.kernel(%b, %a) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32> {
  ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
    %0 = keratin.concatenate %p, %q {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    keratin.yield %0 : tensor<32xf32>
  }
  %c = keratin.kernel(%ab) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<32xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %d = keratin.kernel(%ba) : (tensor<32xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<32xf32>):
    %0 = keratin.reduce_max %p axes = [0] : (tensor<32xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %c, %d : tensor<f32>, tensor<f32>
}
