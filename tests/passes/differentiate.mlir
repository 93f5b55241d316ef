// RUN: keratin-opt %s --keratin-differentiate --cse --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate --split-input-file -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: func.func @one_for_the_loss_itself
// CHECK:         %[[ONE:.*]] = keratin.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         return %[[ONE]]
func.func @one_for_the_loss_itself(%x: tensor<f32>) -> tensor<f32> {
  %g = keratin.gradients %x wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @loss_that_is_no_scalar_is_summed
// CHECK:         %[[ONE:.*]] = keratin.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[ONES:.*]] = keratin.broadcast %[[ONE]] dims = [] : (tensor<f32>) -> tensor<3xf32>
// CHECK:         %[[G:.*]] = keratin.neg %[[ONES]]
// CHECK:         return %[[G]]
func.func @loss_that_is_no_scalar_is_summed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = keratin.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %g : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @zeros_where_the_loss_does_not_reach
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>, %[[Z:[^:]*]]: tensor<2xf32>
// CHECK:         %[[ZERO:.*]] = keratin.constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[ZEROS:.*]] = keratin.broadcast %[[ZERO]] dims = [] : (tensor<f32>) -> tensor<2xf32>
// CHECK:         return %{{.*}}, %[[ZEROS]]
func.func @zeros_where_the_loss_does_not_reach(%x: tensor<f32>, %z: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %y = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %g:2 = keratin.gradients %y wrt %x, %z : (tensor<f32>, tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  return %g#0, %g#1 : tensor<f32>, tensor<2xf32>
}

// -----

// What an absent path would add is not there, not even as zeros: no add.
// CHECK-LABEL: func.func @absent_paths_add_nothing
// CHECK-NOT:     keratin.add
// CHECK:         return
func.func @absent_paths_add_nothing(%x: tensor<f32>) -> tensor<f32> {
  %stopped = keratin.stop_gradient %x : (tensor<f32>) -> tensor<f32>
  %y = keratin.mul %x, %stopped : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @several_uses_add_up
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK:         %[[E:.*]] = keratin.exp %[[X]]
// CHECK-DAG:     %[[VIA_E:.*]] = keratin.mul %[[X]], %[[E]]
// CHECK:         %[[G:.*]] = keratin.add %[[E]], %[[VIA_E]]
// CHECK:         return %[[G]]
func.func @several_uses_add_up(%x: tensor<f32>) -> tensor<f32> {
  %e = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %y = keratin.mul %x, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// An intermediate value is independent: ones. What is upstream of it gets the whole chain.
// CHECK-LABEL: func.func @intermediate_value_is_independent
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK:         %[[ONE:.*]] = keratin.constant dense<1.000000e+00>
// CHECK:         %[[COS:.*]] = keratin.cos %[[X]]
// CHECK:         return %[[ONE]], %[[COS]]
func.func @intermediate_value_is_independent(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = keratin.sin %x : (tensor<f32>) -> tensor<f32>
  %g:2 = keratin.gradients %e wrt %e, %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g#0, %g#1 : tensor<f32>, tensor<f32>
}

// -----

// Nothing is built for an operand that nobody asks about.
// CHECK-LABEL: func.func @only_what_is_asked
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>, %[[W:[^:]*]]: tensor<f32>
// CHECK-NEXT:    return %[[X]]
func.func @only_what_is_asked(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  %y = keratin.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %y wrt %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// sin, three times: -cos. From the second order on in forward mode.
// CHECK-LABEL: func.func @nested_to_the_third_order
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK-NOT:     keratin.gradients
// CHECK:         %[[COS:.*]] = keratin.cos %[[X]]
// CHECK:         %[[G:.*]] = keratin.neg %[[COS]]
// CHECK:         return %[[G]]
// LOC-LABEL:   func.func @nested_to_the_third_order
// LOC:           keratin.cos {{.*}} loc(#[[THIRD:.*]])
// LOC:         #[[FIRST:.*]] = loc("gradient of sin"(#{{.*}}))
// LOC:         #[[SECOND:.*]] = loc("gradient of cos"(#[[FIRST]]))
// LOC:         #[[THIRD]] = loc("gradient of sin"(#[[SECOND]]))
func.func @nested_to_the_third_order(%x: tensor<f32>) -> tensor<f32> {
  %y = keratin.sin %x : (tensor<f32>) -> tensor<f32>
  %1 = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.gradients %1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = keratin.gradients %2 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// -2 tanh tanh': both factors of the square contribute the same.
// CHECK-LABEL: func.func @second_order_of_a_sum_of_elements
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// CHECK-NOT:     keratin.gradients
// CHECK:         %[[Y:.*]] = keratin.tanh %[[X]]
// CHECK:         %[[SQUARE:.*]] = keratin.mul %[[Y]], %[[Y]]
// CHECK:         %[[FIRST:.*]] = keratin.sub %{{.*}}, %[[SQUARE]]
// CHECK:         %[[PART:.*]] = keratin.mul %[[FIRST]], %[[Y]]
// CHECK:         %[[BOTH:.*]] = keratin.add %[[PART]], %[[PART]]
// CHECK:         %[[SECOND:.*]] = keratin.neg %[[BOTH]]
// CHECK:         return %[[SECOND]]
func.func @second_order_of_a_sum_of_elements(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %s = keratin.reduce_sum %y axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %1 = keratin.gradients %s wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %t = keratin.reduce_sum %1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %2 = keratin.gradients %t wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The infinite derivative of log meets zeros of the branch: reverse mode keeps them.
// CHECK-LABEL: func.func @no_forward_mode_where_zeros_are_chosen
// CHECK-NOT:     keratin.gradients
// CHECK:         keratin.compare ne
// CHECK:         return
func.func @no_forward_mode_where_zeros_are_chosen(%c: tensor<2xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %log = keratin.log %x : (tensor<2xf32>) -> tensor<2xf32>
  %y = keratin.select %c, %log, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.gradients %1 wrt %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// dy / x is 0 / 0 where the other branch is taken and x is 0: the zero is kept.
// CHECK-LABEL: func.func @chosen_zeros_are_kept
// CHECK-SAME:    %[[C:[^:]*]]: tensor<2xi1>, %[[X:[^:]*]]: tensor<2xf32>, %[[Z:[^:]*]]: tensor<2xf32>
// CHECK:         %[[DY:.*]] = keratin.select %[[C]], %{{.*}}, %[[ZERO:.*]] :
// CHECK:         %[[RAW:.*]] = keratin.div %[[DY]], %[[X]]
// CHECK:         %[[IS_ZERO:.*]] = keratin.compare eq %[[DY]], %[[ZERO]]
// CHECK:         %[[IS_NAN:.*]] = keratin.compare ne %[[RAW]], %[[RAW]]
// CHECK:         %[[BOTH:.*]] = keratin.and %[[IS_ZERO]], %[[IS_NAN]]
// CHECK:         %[[G:.*]] = keratin.select %[[BOTH]], %[[ZERO]], %[[RAW]]
// CHECK:         return %[[G]]
func.func @chosen_zeros_are_kept(%c: tensor<2xi1>, %x: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
  %log = keratin.log %x : (tensor<2xf32>) -> tensor<2xf32>
  %y = keratin.select %c, %log, %z : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @no_guard_without_a_choice
// CHECK-NOT:     keratin.select
// CHECK:         return
func.func @no_guard_without_a_choice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = keratin.log %x : (tensor<2xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}
