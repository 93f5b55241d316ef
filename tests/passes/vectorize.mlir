// RUN: keratin-opt %s --keratin-vectorize | FileCheck %s

// What is the same for all elements is made once, and repeated where an op needs it.
// CHECK-LABEL: func.func @elements_are_one_more_dimension
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d0, 4>>, %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[W]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[E]] dims = [1]
// CHECK-NEXT:    %[[M:.*]] = keratin.mul %[[X]], %[[B]]
// CHECK-NEXT:    %[[S:.*]] = keratin.reduce_sum %[[M]] axes = [1]
// CHECK-NEXT:    return %[[S]]
func.func @elements_are_one_more_dimension(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %w: tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.scan length = #keratin.dims<d0> init() over(%x) with(%w) {keratin.vectorized} : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%t: tensor<i64>, %e: tensor<4xf32>, %v: tensor<4xf32>):
    %0 = keratin.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.mul %e, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.reduce_sum %1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
    keratin.yield %2 : tensor<f32>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: func.func @loops_without_the_mark_stay
// CHECK:         keratin.scan
func.func @loops_without_the_mark_stay(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = keratin.scan length = #keratin.dims<3> init() over(%x) with() : (tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<4xf32>):
    %0 = keratin.exp %e : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// The weights are the same for all elements until they are differentiated: the product of their
// gradient has a batch dimension.
// CHECK-LABEL: func.func @gradients_of_each_element
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x3xf32>, %[[W:[a-z0-9]+]]: tensor<3x4xf32>)
// CHECK:         %[[P:.*]] = keratin.dot_general %[[X]], %[[W]] batch = [] x [] contract = [1] x [0]
// CHECK:         %[[D:.*]] = keratin.add %[[P]], %[[P]]
// CHECK:         %[[G:.*]] = keratin.dot_general %[[X]], %[[D]] batch = [0] x [0] contract = [] x [] {{.*}} -> tensor<8x3x4xf32>
// CHECK-NOT:     keratin.scan
// CHECK:         return
func.func @gradients_of_each_element(%x: tensor<8x3xf32>, %w: tensor<3x4xf32>) -> tensor<8x3x4xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with(%w) {keratin.vectorized} : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x3x4xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<3xf32>, %v: tensor<3x4xf32>):
    %0 = keratin.dot_general %e, %v batch = [] x [] contract = [0] x [0] : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
    %1 = keratin.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.reduce_sum %1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
    %3 = keratin.gradients %2 wrt %v : (tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    keratin.yield %3 : tensor<3x4xf32>
  }
  return %y : tensor<8x3x4xf32>
}

// An index outside of its own rows would be in those of another element.
// CHECK-LABEL: func.func @rows_of_own_tables
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x5x2xf32>, %[[I:[a-z0-9]+]]: tensor<8x3xi32>)
// CHECK:         %[[C:.*]] = keratin.check_range %[[I]] lower = <0> upper = <5> "gather: an index is outside the first axis of the reference"
// CHECK:         %[[N:.*]] = keratin.cast %[[C]] : (tensor<8x3xi32>) -> tensor<8x3xi64>
// CHECK:         keratin.iota {axis = 0 : i64} : tensor<8x3xi64>
// CHECK:         %[[P:.*]] = keratin.add %[[N]],
// CHECK:         %[[R:.*]] = keratin.reshape %[[X]] : (tensor<8x5x2xf32>) -> tensor<40x2xf32>
// CHECK:         keratin.gather %[[R]], %[[P]] : (tensor<40x2xf32>, tensor<8x3xi64>) -> tensor<8x3x2xf32>
func.func @rows_of_own_tables(%x: tensor<8x5x2xf32>, %i: tensor<8x3xi32>) -> tensor<8x3x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x, %i) with() {keratin.vectorized} : (tensor<8x5x2xf32>, tensor<8x3xi32>) -> tensor<8x3x2xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<5x2xf32>, %j: tensor<3xi32>):
    %0 = keratin.gather %e, %j : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    keratin.yield %0 : tensor<3x2xf32>
  }
  return %y : tensor<8x3x2xf32>
}

// CHECK-LABEL: func.func @the_same_rows_of_own_tables
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x5x2xf32>, %[[I:[a-z0-9]+]]: tensor<3xi32>)
// CHECK-NEXT:    %[[T:.*]] = keratin.transpose %[[X]] permutation = [1, 0, 2]
// CHECK-NEXT:    %[[G:.*]] = keratin.gather %[[T]], %[[I]] : (tensor<5x8x2xf32>, tensor<3xi32>) -> tensor<3x8x2xf32>
// CHECK-NEXT:    keratin.transpose %[[G]] permutation = [1, 0, 2]
func.func @the_same_rows_of_own_tables(%x: tensor<8x5x2xf32>, %i: tensor<3xi32>) -> tensor<8x3x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with(%i) {keratin.vectorized} : (tensor<8x5x2xf32>, tensor<3xi32>) -> tensor<8x3x2xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<5x2xf32>, %j: tensor<3xi32>):
    %0 = keratin.gather %e, %j : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    keratin.yield %0 : tensor<3x2xf32>
  }
  return %y : tensor<8x3x2xf32>
}

// CHECK-LABEL: func.func @rows_added_to_own_tables
// CHECK:         keratin.check_range %{{.*}} lower = <0> upper = <5> "scatter_add: an index is outside the first axis of the result"
// CHECK:         %[[S:.*]] = keratin.scatter_add %{{.*}} : (tensor<8x3xi64>, tensor<8x3x2xf32>) -> tensor<40x2xf32>
// CHECK:         keratin.reshape %[[S]] : (tensor<40x2xf32>) -> tensor<8x5x2xf32>
func.func @rows_added_to_own_tables(%i: tensor<8x3xi32>, %u: tensor<3x2xf32>) -> tensor<8x5x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%i) with(%u) {keratin.vectorized} : (tensor<8x3xi32>, tensor<3x2xf32>) -> tensor<8x5x2xf32> {
  ^bb0(%t: tensor<i64>, %j: tensor<3xi32>, %v: tensor<3x2xf32>):
    %0 = keratin.scatter_add %j, %v : (tensor<3xi32>, tensor<3x2xf32>) -> tensor<5x2xf32>
    keratin.yield %0 : tensor<5x2xf32>
  }
  return %y : tensor<8x5x2xf32>
}

// Rows of dimensions that a box takes entirely move as one.
// CHECK-LABEL: func.func @boxes_at_own_places
// CHECK:         keratin.check_range %{{.*}} lower = <0> upper = <4> "slice: the box leaves the tensor"
// CHECK:         %[[R:.*]] = keratin.reshape %{{.*}} : (tensor<8x5x3xf32>) -> tensor<40x3xf32>
// CHECK:         keratin.gather %[[R]], %{{.*}} : (tensor<40x3xf32>, tensor<8x2xi64>) -> tensor<8x2x3xf32>
func.func @boxes_at_own_places(%x: tensor<8x5x3xf32>, %s: tensor<8xi64>) -> tensor<8x2x3xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x, %s) with() {keratin.vectorized} : (tensor<8x5x3xf32>, tensor<8xi64>) -> tensor<8x2x3xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<5x3xf32>, %at: tensor<i64>):
    %zero = keratin.constant dense<0> : tensor<i64>
    %0 = keratin.dynamic_slice %e, %at, %zero : (tensor<5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
    keratin.yield %0 : tensor<2x3xf32>
  }
  return %y : tensor<8x2x3xf32>
}

// The states of all elements side by side; the loop's own steps come first in what it reads.
// CHECK-LABEL: func.func @loops_inside
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x5x2xf32>, %[[H:[a-z0-9]+]]: tensor<2xf32>)
// CHECK-DAG:     %[[T:.*]] = keratin.transpose %[[X]] permutation = [1, 0, 2] : (tensor<8x5x2xf32>) -> tensor<5x8x2xf32>
// CHECK-DAG:     %[[B:.*]] = keratin.broadcast %[[H]] dims = [1] : (tensor<2xf32>) -> tensor<8x2xf32>
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <5> init(%[[B]]) over(%[[T]]) with() : (tensor<8x2xf32>, tensor<5x8x2xf32>) -> (tensor<8x2xf32>, tensor<5x8x2xf32>)
// CHECK:           keratin.add %{{.*}} -> tensor<8x2xf32>
// CHECK:         keratin.transpose %[[L]]#1 permutation = [1, 0, 2]
func.func @loops_inside(%x: tensor<8x5x2xf32>, %h: tensor<2xf32>) -> (tensor<8x2xf32>, tensor<8x5x2xf32>) {
  %y:2 = keratin.scan length = #keratin.dims<8> init() over(%x) with(%h) {keratin.vectorized} : (tensor<8x5x2xf32>, tensor<2xf32>) -> (tensor<8x2xf32>, tensor<8x5x2xf32>) {
  ^bb0(%t: tensor<i64>, %e: tensor<5x2xf32>, %first: tensor<2xf32>):
    %0:2 = keratin.scan length = #keratin.dims<5> init(%first) over(%e) with() : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
    ^bb0(%n: tensor<i64>, %s: tensor<2xf32>, %d: tensor<2xf32>):
      %1 = keratin.add %s, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      keratin.yield %1, %1 : tensor<2xf32>, tensor<2xf32>
    }
    keratin.yield %0#0, %0#1 : tensor<2xf32>, tensor<5x2xf32>
  }
  return %y#0, %y#1 : tensor<8x2xf32>, tensor<8x5x2xf32>
}

// Maps inside of maps are first, and are dimensions before those of their elements.
// CHECK-LABEL: func.func @maps_inside
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %{{.*}} : (tensor<8x5xf32>) -> tensor<8x5xf32>
// CHECK-NEXT:    return %[[E]]
func.func @maps_inside(%x: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with() {keratin.vectorized} : (tensor<8x5xf32>) -> tensor<8x5xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<5xf32>):
    %0 = keratin.scan length = #keratin.dims<5> init() over(%e) with() {keratin.vectorized} : (tensor<5xf32>) -> tensor<5xf32> {
    ^bb0(%n: tensor<i64>, %d: tensor<f32>):
      %1 = keratin.exp %d : (tensor<f32>) -> tensor<f32>
      keratin.yield %1 : tensor<f32>
    }
    keratin.yield %0 : tensor<5xf32>
  }
  return %y : tensor<8x5xf32>
}

// Elements that are done keep what they have while others go on.
// CHECK-LABEL: func.func @loops_that_end_by_themselves
// CHECK:         %[[C:.*]] = keratin.compare
// CHECK:         %[[ANY:.*]] = keratin.reduce_any %[[C]] axes = [0] : (tensor<8xi1>) -> tensor<i1>
// CHECK:         keratin.while at_most = <100> init(%[[ANY]], %[[C]], %{{.*}}) with()
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[ACTIVE:.*]]: tensor<8xi1>, %{{.*}}: tensor<8xi64>, %[[S:.*]]: tensor<8xf32>):
// CHECK:           %[[N:.*]] = keratin.add %[[S]], %[[S]]
// CHECK:           %[[G:.*]] = keratin.and %[[ACTIVE]],
// CHECK:           %[[K:.*]] = keratin.select %[[ACTIVE]], %[[N]], %[[S]]
// CHECK:           keratin.yield %{{.*}}, %[[G]], %{{.*}}, %[[K]]
func.func @loops_that_end_by_themselves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with() {keratin.vectorized} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<f32>):
    %most = keratin.constant dense<100.0> : tensor<f32>
    %more = keratin.compare lt %e, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %0:3 = keratin.while at_most = #keratin.dims<100> init(%more, %e) with() : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
    ^bb0(%n: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>):
      %limit = keratin.constant dense<100.0> : tensor<f32>
      %1 = keratin.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = keratin.compare lt %1, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      keratin.yield %2, %1 : tensor<i1>, tensor<f32>
    }
    keratin.yield %0#1 : tensor<f32>
  }
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @branches_of_each_element
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x2xf32>, %[[C:[a-z0-9]+]]: tensor<8xi1>)
// CHECK-DAG:     %[[E:.*]] = keratin.exp %[[X]]
// CHECK-DAG:     %[[B:.*]] = keratin.broadcast %[[C]] dims = [0] : (tensor<8xi1>) -> tensor<8x2xi1>
// CHECK:         keratin.select %[[B]], %[[E]], %[[X]]
// CHECK-NOT:     keratin.if
func.func @branches_of_each_element(%x: tensor<8x2xf32>, %c: tensor<8xi1>) -> tensor<8x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x, %c) with() {keratin.vectorized} : (tensor<8x2xf32>, tensor<8xi1>) -> tensor<8x2xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<2xf32>, %which: tensor<i1>):
    %0 = keratin.if %which with(%e) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %1 = keratin.exp %a : (tensor<2xf32>) -> tensor<2xf32>
      keratin.yield %1 : tensor<2xf32>
    } else {
    ^bb0(%a: tensor<2xf32>):
      keratin.yield %a : tensor<2xf32>
    }
    keratin.yield %0 : tensor<2xf32>
  }
  return %y : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @a_branch_for_all
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x2xf32>, %[[C:[a-z0-9]+]]: tensor<i1>)
// CHECK-NEXT:    keratin.if %[[C]] with(%[[X]]) : (tensor<i1>, tensor<8x2xf32>) -> tensor<8x2xf32>
func.func @a_branch_for_all(%x: tensor<8x2xf32>, %c: tensor<i1>) -> tensor<8x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with(%c) {keratin.vectorized} : (tensor<8x2xf32>, tensor<i1>) -> tensor<8x2xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<2xf32>, %which: tensor<i1>):
    %0 = keratin.if %which with(%e) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %1 = keratin.exp %a : (tensor<2xf32>) -> tensor<2xf32>
      keratin.yield %1 : tensor<2xf32>
    } else {
    ^bb0(%a: tensor<2xf32>):
      keratin.yield %a : tensor<2xf32>
    }
    keratin.yield %0 : tensor<2xf32>
  }
  return %y : tensor<8x2xf32>
}

// The branch that an element does not take must not end the call.
// CHECK-LABEL: func.func @branches_that_may_fail_stay_a_loop
// CHECK:         keratin.scan length = <8> init() over(%{{.*}}) with(%{{.*}}) {keratin.looped = "a branch may fail, print or never end"}
// CHECK:           keratin.if
func.func @branches_that_may_fail_stay_a_loop(%i: tensor<8xi32>, %c: tensor<8xi1>, %x: tensor<5xf32>) -> tensor<8xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%i, %c) with(%x) {keratin.vectorized} : (tensor<8xi32>, tensor<8xi1>, tensor<5xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %j: tensor<i32>, %which: tensor<i1>, %all: tensor<5xf32>):
    %0 = keratin.if %which with(%all, %j) : (tensor<i1>, tensor<5xf32>, tensor<i32>) -> tensor<f32> {
    ^bb0(%a: tensor<5xf32>, %b: tensor<i32>):
      %1 = keratin.gather %a, %b : (tensor<5xf32>, tensor<i32>) -> tensor<f32>
      keratin.yield %1 : tensor<f32>
    } else {
    ^bb0(%a: tensor<5xf32>, %b: tensor<i32>):
      %2 = keratin.cast %b : (tensor<i32>) -> tensor<f32>
      keratin.yield %2 : tensor<f32>
    }
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<8xf32>
}

// Only the random bits are a loop.
// CHECK-LABEL: func.func @what_has_no_form_is_a_loop_by_itself
// CHECK:         %[[L:.*]] = keratin.scan length = <8> init() over(%{{.*}}) with() {keratin.looped = "each element draws numbers of its own"}
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[D:.*]]: tensor<i64>):
// CHECK-NEXT:      %[[R:.*]] = keratin.random_bits %[[D]]
// CHECK-NEXT:      keratin.yield %[[R]]
// CHECK:         %[[F:.*]] = keratin.cast %[[L]] : (tensor<8x4xui32>) -> tensor<8x4xf32>
// CHECK:         keratin.mul %[[F]], %{{.*}} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @what_has_no_form_is_a_loop_by_itself(%x: tensor<8x4xf32>, %draw: tensor<i64>) -> tensor<8x4xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with(%draw) {keratin.vectorized} : (tensor<8x4xf32>, tensor<i64>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<4xf32>, %d: tensor<i64>):
    %0 = keratin.add %t, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %1 = keratin.random_bits %0 {seed = 7 : i64} : (tensor<i64>) -> tensor<4xui32>
    %2 = keratin.cast %1 : (tensor<4xui32>) -> tensor<4xf32>
    %3 = keratin.mul %2, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %3 : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// An op that all elements share fails only if there is one.
// CHECK-LABEL: func.func @no_element_no_error
// CHECK:         %[[Y:.*]] = keratin.if %{{.*}} with(%{{.*}}, %{{.*}})
// CHECK:           keratin.gather
// CHECK:         } else {
// CHECK:         keratin.add %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>,
func.func @no_element_no_error(%x: tensor<?xf32, #keratin.dims<d0>>, %i: tensor<i32>, %all: tensor<5xf32>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.scan length = #keratin.dims<d0> init() over(%x) with(%i, %all) {keratin.vectorized} : (tensor<?xf32, #keratin.dims<d0>>, tensor<i32>, tensor<5xf32>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%t: tensor<i64>, %e: tensor<f32>, %j: tensor<i32>, %a: tensor<5xf32>):
    %0 = keratin.gather %a, %j : (tensor<5xf32>, tensor<i32>) -> tensor<f32>
    %1 = keratin.add %0, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// The gradient with respect to the map's result is by that, and not by what it came to be.
// CHECK-LABEL: func.func @results_with_gradients_stay_values_of_their_own
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8xf32>)
// CHECK:         %[[Y:.*]] = keratin.identity %[[X]]
// CHECK:         %[[L:.*]] = keratin.mul %[[Y]], %[[X]]
// CHECK:         keratin.gradients %{{.*}} wrt %[[Y]]
func.func @results_with_gradients_stay_values_of_their_own(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x) with() {keratin.vectorized} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<f32>):
    keratin.yield %e : tensor<f32>
  }
  %0 = keratin.mul %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = keratin.reduce_sum %0 axes = [0] : (tensor<8xf32>) -> tensor<f32>
  %g = keratin.gradients %1 wrt %y : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
}

// CHECK-LABEL: func.func @states_stay_a_loop
// CHECK:         keratin.scan {{.*}} {keratin.looped = "it hands states from element to element"}
func.func @states_stay_a_loop(%x: tensor<8xf32>, %h: tensor<f32>) -> tensor<f32> {
  %y = keratin.scan length = #keratin.dims<8> init(%h) over(%x) with() {keratin.vectorized} : (tensor<f32>, tensor<8xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<f32>
}
