// RUN: keratin-opt %s --keratin-differentiate --cse --split-input-file | FileCheck %s
// RUN: keratin-opt %s --split-input-file | keratin-opt --split-input-file | FileCheck %s --check-prefix=TEXT

// TEXT-LABEL: func.func @gradient_that_is_given
// TEXT:         keratin.custom_gradient %{{.*}} of %{{.*}} with %{{.*}} {keratin.captured_results = array<i64: 0>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-LABEL: func.func @gradient_that_is_given
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK:         %[[Y:.*]] = keratin.exp %[[X]]
// CHECK:         %[[G:.*]] = keratin.sin %[[Y]]
// CHECK-NOT:     custom_gradient
// CHECK:         return %[[Y]], %[[G]]
func.func @gradient_that_is_given(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %y = keratin.custom_gradient %e of %x with %e {keratin.captured_results = array<i64: 0>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>, %r: tensor<f32>):
    %s = keratin.sin %r : (tensor<f32>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y, %g : tensor<f32>, tensor<f32>
}

// -----

// The gradient is cos(y), y' = sin(y): its own gradient is -sin(y) * sin(y), with nothing of exp.
// CHECK-LABEL: func.func @second_order_goes_through_the_result
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK:         %[[Y:.*]] = keratin.exp %[[X]]
// CHECK-DAG:     %[[S:.*]] = keratin.sin %[[Y]]
// CHECK-NOT:     keratin.exp
// CHECK:         return
func.func @second_order_goes_through_the_result(%x: tensor<f32>) -> tensor<f32> {
  %e = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %y = keratin.custom_gradient %e of %x with %e {keratin.captured_results = array<i64: 0>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%dy: tensor<f32>, %r: tensor<f32>):
    %s = keratin.sin %r : (tensor<f32>) -> tensor<f32>
    %p = keratin.mul %dy, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %p : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = keratin.gradients %g wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %h : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @zeros_for_an_output_without_cotangent
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>
// CHECK:         %[[ZERO:.*]] = keratin.constant dense<0.000000e+00>
// CHECK:         keratin.sub %{{.*}}, %[[ZERO]]
func.func @zeros_for_an_output_without_cotangent(%x: tensor<f32>) -> tensor<f32> {
  %s = keratin.sin %x : (tensor<f32>) -> tensor<f32>
  %c = keratin.cos %x : (tensor<f32>) -> tensor<f32>
  %y:2 = keratin.custom_gradient %s, %c of %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%ds: tensor<f32>, %dc: tensor<f32>):
    %d = keratin.sub %ds, %dc : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %d : tensor<f32>
  }
  %g = keratin.gradients %y#0 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @tangent_is_the_transpose
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>, %[[V:[^:]*]]: tensor<3xf32>
// CHECK-NOT:     placeholder
// CHECK:         %[[T:.*]] = keratin.mul
// CHECK:         return %[[T]]
func.func @tangent_is_the_transpose(%x: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<3xf32> {
  %s = keratin.sin %x : (tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.custom_gradient %s of %x with %x : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%dy: tensor<3xf32>, %a: tensor<3xf32>):
    %d = keratin.mul %dy, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %d : tensor<3xf32>
  }
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %t : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @tangent_of_the_outputs_ops
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>, %[[V:[^:]*]]: tensor<3xf32>
// CHECK:         %[[C:.*]] = keratin.cos %[[X]]
// CHECK:         %[[T:.*]] = keratin.mul %[[V]], %[[C]]
// CHECK:         return %[[T]], %[[V]]
func.func @tangent_of_the_outputs_ops(%x: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %s = keratin.sin %x : (tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.custom_gradient %s of %x {keratin.forward} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%dy: tensor<3xf32>):
    keratin.yield %dy : tensor<3xf32>
  }
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.vjp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %t, %g : tensor<3xf32>, tensor<3xf32>
}

// -----

// The tangent is what the body says, the gradient its transpose, and nothing of sin.
// TEXT-LABEL: func.func @tangent_that_is_given
// TEXT:         keratin.custom_gradient %{{.*}} of %{{.*}} with %{{.*}} {forward, keratin.captured_results = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
// CHECK-LABEL: func.func @tangent_that_is_given
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>, %[[V:[^:]*]]: tensor<3xf32>, %[[W:[^:]*]]: tensor<3xf32>
// CHECK:         %[[Y:.*]] = keratin.sin %[[X]]
// CHECK-NOT:     keratin.cos
// CHECK:         %[[E:.*]] = keratin.exp %[[Y]]
// CHECK:         %[[T:.*]] = keratin.mul %[[V]], %[[E]]
// CHECK:         %[[G:.*]] = keratin.mul %[[W]], %[[E]]
// CHECK-NOT:     custom_gradient
// CHECK:         return %[[T]], %[[G]]
func.func @tangent_that_is_given(%x: tensor<3xf32>, %v: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %s = keratin.sin %x : (tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.custom_gradient %s of %x with %s {forward, keratin.captured_results = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%t: tensor<3xf32>, %r: tensor<3xf32>):
    %e = keratin.exp %r : (tensor<3xf32>) -> tensor<3xf32>
    %p = keratin.mul %t, %e : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %p : tensor<3xf32>
  }
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.vjp of %y wrt %x along %w : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %t, %g : tensor<3xf32>, tensor<3xf32>
}

// -----

// Of an output without a cotangent nothing comes, of an input without a tangent zeros go in.
// CHECK-LABEL: func.func @tangents_of_several
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>, %[[W:[^:]*]]: tensor<f32>, %[[V:[^:]*]]: tensor<f32>
// CHECK:         %[[ZERO:.*]] = keratin.constant dense<0.000000e+00>
// CHECK:         %[[T:.*]] = keratin.sub %[[V]], %[[ZERO]]
// CHECK:         %[[G:.*]] = keratin.neg %[[V]]
// CHECK:         return %[[T]], %[[G]]
func.func @tangents_of_several(%x: tensor<f32>, %w: tensor<f32>, %v: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %s = keratin.sub %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %p = keratin.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y:2 = keratin.custom_gradient %s, %p of %x, %w {forward} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%dx: tensor<f32>, %dw: tensor<f32>):
    %d = keratin.sub %dx, %dw : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %e = keratin.exp %dw : (tensor<f32>) -> tensor<f32>
    keratin.yield %d, %e : tensor<f32>, tensor<f32>
  }
  %t = keratin.jvp of %y#0 wrt %x along %v : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.vjp of %y#0 wrt %w along %v : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t, %g : tensor<f32>, tensor<f32>
}

// -----

// The derivative of sin at tangents of zero.
// CHECK-LABEL: func.func @transpose_at_zero
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>, %[[V:[^:]*]]: tensor<f32>
// CHECK:         %[[ZERO:.*]] = keratin.constant dense<0.000000e+00>
// CHECK:         %[[C:.*]] = keratin.cos %[[ZERO]]
// CHECK:         %[[G:.*]] = keratin.mul %[[V]], %[[C]]
// CHECK:         return %[[G]]
func.func @transpose_at_zero(%x: tensor<f32>, %v: tensor<f32>) -> tensor<f32> {
  %y = keratin.custom_gradient %x of %x {forward} : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<f32>):
    %s = keratin.sin %t : (tensor<f32>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  }
  %g = keratin.vjp of %y wrt %x along %v : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// TEXT-LABEL: func.func @checkpoint_is_done_again
// TEXT:         keratin.checkpoint(%{{.*}}, %{{.*}}) {keratin.delayed = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
// CHECK-LABEL: func.func @checkpoint_is_done_again
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf32>, %[[W:[^:]*]]: tensor<3xf32>
// CHECK:         %[[E:.*]] = keratin.exp %[[X]]
// CHECK:         %[[S:.*]] = keratin.sin %[[E]]
// CHECK:         %[[Y:.*]] = keratin.mul %[[S]], %[[W]]
// CHECK:         %[[DY:.*]] = keratin.broadcast
// CHECK:         %[[LATER:.*]] = keratin.delay %[[X]] until %[[DY]] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK:         %[[AGAIN:.*]] = keratin.exp %[[LATER]]
// CHECK:         keratin.cos %[[AGAIN]]
// CHECK-NOT:     keratin.checkpoint
// CHECK:         return %[[Y]]
func.func @checkpoint_is_done_again(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.checkpoint(%x, %w) {keratin.delayed = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %e = keratin.exp %a : (tensor<3xf32>) -> tensor<3xf32>
    %s = keratin.sin %e : (tensor<3xf32>) -> tensor<3xf32>
    %p = keratin.mul %s, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %p : tensor<3xf32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<3xf32>, tensor<3xf32>
}

// -----

// A print is no part of what is done again.
// CHECK-LABEL: func.func @prints_once
// CHECK:         keratin.print
// CHECK-NOT:     keratin.print
// CHECK:         return
func.func @prints_once(%x: tensor<f32>) -> tensor<f32> {
  %y = keratin.checkpoint(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %e = keratin.exp %a : (tensor<f32>) -> tensor<f32>
    %p = keratin.print "e" %e : tensor<f32>
    %s = keratin.sin %p : (tensor<f32>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// Both copies compute a size, each its own.
// CHECK-LABEL: func.func @sizes_of_copies
// CHECK:         keratin.truncate {{.*}}#keratin.dims<[[FIRST:d[0-9]+]]>
// CHECK:         keratin.delay
// CHECK-NOT:     keratin.truncate {{.*}}#keratin.dims<[[FIRST]]>
// CHECK:         keratin.truncate
func.func @sizes_of_copies(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<8xf32> {
  %y = keratin.checkpoint(%x, %n) : (tensor<8xf32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<i64>):
    %t = keratin.truncate %a, %b axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    %e = keratin.exp %t : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    %s = keratin.reduce_sum %e axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
}
