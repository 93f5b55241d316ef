// RUN: keratin-opt %s --keratin-differentiate --cse --split-input-file | FileCheck %s

// A product: each factor's tangent in its place. Nothing is transposed.
// CHECK-LABEL: func.func @dot
// CHECK-SAME:    (%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3x4xf32>, %[[TA:.*]]: tensor<2x3xf32>, %[[TB:.*]]: tensor<3x4xf32>)
// CHECK-NEXT:    %[[L:.*]] = keratin.dot_general %[[TA]], %[[B]] batch = [] x [] contract = [1] x [0]
// CHECK-NEXT:    %[[R:.*]] = keratin.dot_general %[[A]], %[[TB]] batch = [] x [] contract = [1] x [0]
// CHECK-NEXT:    %[[T:.*]] = keratin.add %[[L]], %[[R]]
// CHECK-NEXT:    return %[[T]]
func.func @dot(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %ta: tensor<2x3xf32>, %tb: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %t = keratin.jvp of %y wrt %a, %b along %ta, %tb : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// -----

// What is linear does with the tangent what it does with the value; absent tangents are zeros where operands lie beside each other.
// CHECK-LABEL: func.func @linear
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[C:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<2x3xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = keratin.broadcast
// CHECK-DAG:     %[[P:.*]] = keratin.transpose %[[V]] permutation = [1, 0]
// CHECK:         %[[W:.*]] = keratin.concatenate %[[P]], %[[ZERO]]
// CHECK:         %[[SUM:.*]] = keratin.reduce_sum %[[W]]
// CHECK-NEXT:    %[[SLICE:.*]] = keratin.slice %[[SUM]]
// CHECK-NEXT:    return %[[SLICE]]
func.func @linear(%x: tensor<2x3xf32>, %c: tensor<2x3xf32>, %v: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = keratin.transpose %c permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = keratin.concatenate %0, %1 {axis = 0 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
  %3 = keratin.reduce_sum %2 axes = [1] : (tensor<6x2xf32>) -> tensor<6xf32>
  %y = keratin.slice %3 starts = <1> strides = [2] : (tensor<6xf32>) -> tensor<2xf32>
  %t = keratin.jvp of %y wrt %x along %v : (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %t : tensor<2xf32>
}

// -----

// The transpose of the gradient: of the stand-in that it is built for nothing is left.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<2x3xf32>)
// CHECK-NOT:     placeholder
// CHECK:         %[[CHOSEN:.*]] = keratin.select %{{.*}}, %[[V]], %{{.*}}
// CHECK:         %[[SUM:.*]] = keratin.reduce_sum %[[CHOSEN]]
// CHECK-NEXT:    %[[T:.*]] = keratin.div %[[SUM]]
// CHECK-NOT:     keratin.select
// CHECK:         return %[[T]]
func.func @transposed(%x: tensor<2x3xf32>, %v: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = keratin.reduce_max %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %t = keratin.jvp of %y wrt %x along %v : (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %t : tensor<2xf32>
}

// -----

// Zeros of what is not chosen need no guard: the tangent is chosen like the value. Where a choice comes first, log has one.
// CHECK-LABEL: func.func @select
// CHECK-SAME:    (%[[C:.*]]: tensor<3xi1>, %[[X:.*]]: tensor<3xf32>, %[[V:.*]]: tensor<3xf32>)
// CHECK:         %[[ZERO:.*]] = keratin.broadcast
// CHECK:         %[[DIV:.*]] = keratin.div %[[V]], %[[X]]
// CHECK:         %[[T:.*]] = keratin.select %[[C]], %[[DIV]], %[[ZERO]]
// CHECK-NOT:     keratin.compare
// CHECK:         %[[CHOSEN:.*]] = keratin.select %[[C]], %[[V]], %[[ZERO]]
// CHECK:         %[[QUOTIENT:.*]] = keratin.div %[[CHOSEN]]
// CHECK:         %[[ISZERO:.*]] = keratin.compare eq %[[CHOSEN]]
// CHECK:         %[[GUARDED:.*]] = keratin.select %{{.*}}, %{{.*}}, %[[QUOTIENT]]
// CHECK:         return %[[T]], %[[GUARDED]]
func.func @select(%c: tensor<3xi1>, %x: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<3xf32>
  %log = keratin.log %x : (tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.select %c, %log, %zeros : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %some = keratin.select %c, %x, %zeros : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = keratin.log %some : (tensor<3xf32>) -> tensor<3xf32>
  %u = keratin.jvp of %z wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %t, %u : tensor<3xf32>, tensor<3xf32>
}

// -----

// One loop carries values and tangents, and stacks nothing that the first one did not. It stands where that stood: the tangent, made
// behind it, moves.
// CHECK-LABEL: func.func @scan
// CHECK-SAME:    (%[[X:.*]]: tensor<5xf32>, %[[H:.*]]: tensor<f32>)
// CHECK:         %[[V:.*]] = keratin.cos %[[X]]
// CHECK:         %[[ZERO:.*]] = keratin.constant dense<0.000000e+00>
// CHECK:         %[[F:.*]]:4 = keratin.scan length = <5> init(%[[H]], %[[ZERO]]) over(%[[X]], %[[V]]) with()
// CHECK-NEXT:    ^bb0(%{{[^:]*}}: tensor<i64>, %[[S:[^:]*]]: tensor<f32>, %[[TS:[^:]*]]: tensor<f32>, %[[E:[^:]*]]: tensor<f32>, %[[TE:[^:]*]]: tensor<f32>):
// CHECK:           %[[N:.*]] = keratin.sin
// CHECK:           keratin.yield %[[N]], %[[TN:.*]], %[[N]], %[[TN]] :
// CHECK-NOT:     keratin.scan
// CHECK:         return %[[F]]#0, %[[F]]#2, %[[F]]#1, %[[F]]#3
func.func @scan(%x: tensor<5xf32>, %h: tensor<f32>) -> (tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>) {
  %y:2 = keratin.scan length = <5> init(%h) over(%x) with() : (tensor<f32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.sin %0 : (tensor<f32>) -> tensor<f32>
    keratin.yield %1, %1 : tensor<f32>, tensor<f32>
  }
  %v = keratin.cos %x : (tensor<5xf32>) -> tensor<5xf32>
  %t:2 = keratin.jvp of %y#0, %y#1 wrt %x along %v : (tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>)
  return %y#0, %y#1, %t#0, %t#1 : tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>
}

// -----

// A tangent that the loop's result is needed for: the loop is run again for tangents, and yields no more than these and the states.
// CHECK-LABEL: func.func @behind
// CHECK-SAME:    (%[[X:.*]]: tensor<5xf32>, %[[H:.*]]: tensor<f32>)
// CHECK:         %[[Y:.*]]:2 = keratin.scan
// CHECK:         %[[V:.*]] = keratin.mul %[[X]], %[[Y]]#1
// CHECK:         %[[T:.*]]:3 = keratin.scan length = <5> init(%[[H]], %{{.*}}) over(%[[X]], %[[V]]) with()
// CHECK:         return %[[T]]#2
func.func @behind(%x: tensor<5xf32>, %h: tensor<f32>) -> tensor<5xf32> {
  %y:2 = keratin.scan length = <5> init(%h) over(%x) with() : (tensor<f32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.sin %0 : (tensor<f32>) -> tensor<f32>
    keratin.yield %1, %1 : tensor<f32>, tensor<f32>
  }
  %v = keratin.mul %x, %y#1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %t = keratin.jvp of %y#1 wrt %x along %v : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %t : tensor<5xf32>
}

// -----

// The number of steps and its name stay those of the loop.
// CHECK-LABEL: func.func @while
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>, %[[V:.*]]: tensor<f32>)
// CHECK:         %[[F:.*]]:6 = keratin.while length = <d0> at_most = <9> init(%[[P]], %[[X]], %[[V]]) with(%[[W]])
// CHECK-NEXT:    ^bb0(%{{[^:]*}}: tensor<i64>, %{{[^:]*}}: tensor<i1>, %[[S:[^:]*]]: tensor<f32>, %[[TS:[^:]*]]: tensor<f32>, %[[C:[^:]*]]: tensor<f32>):
// CHECK-NEXT:      %[[N:.*]] = keratin.mul %[[S]], %[[C]]
// CHECK-NEXT:      %[[TN:.*]] = keratin.mul %[[TS]], %[[C]]
// CHECK:           keratin.yield %{{.*}}, %[[N]], %[[TN]], %[[S]], %[[TS]] :
// CHECK-NOT:     keratin.while
// CHECK:         return %[[F]]#3, %[[F]]#4, %[[F]]#2, %[[F]]#5
func.func @while(%p: tensor<i1>, %x: tensor<f32>, %w: tensor<f32>, %v: tensor<f32>) -> (tensor<i64>, tensor<?xf32, #keratin.dims<d0>>, tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) {
  %y:4 = keratin.while length = <d0> at_most = <9> init(%p, %x) with(%w) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>, tensor<?xf32, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %more: tensor<i1>, %s: tensor<f32>, %c: tensor<f32>):
    %0 = keratin.mul %s, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.compare lt %0, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %1, %0, %s : tensor<i1>, tensor<f32>, tensor<f32>
  }
  %t:2 = keratin.jvp of %y#1, %y#3 wrt %x along %v : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>)
  return %y#2, %y#3, %t#0, %t#1 : tensor<i64>, tensor<?xf32, #keratin.dims<d0>>, tensor<f32>, tensor<?xf32, #keratin.dims<d0>>
}

// -----

// One if; the branch that does not use %x gives zeros.
// CHECK-LABEL: func.func @if
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<3xf32>, %[[Z:.*]]: tensor<3xf32>, %[[V:.*]]: tensor<3xf32>)
// CHECK:         %[[F:.*]]:2 = keratin.if %[[P]] with(%[[X]], %[[Z]], %[[V]])
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>, %[[TA:.*]]: tensor<3xf32>):
// CHECK-NEXT:      %[[SIN:.*]] = keratin.sin %[[A]]
// CHECK-NEXT:      %[[COS:.*]] = keratin.cos %[[A]]
// CHECK-NEXT:      %[[T:.*]] = keratin.mul %[[TA]], %[[COS]]
// CHECK-NEXT:      keratin.yield %[[SIN]], %[[T]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>, %[[TA:.*]]: tensor<3xf32>):
// CHECK:           %[[ZERO:.*]] = keratin.broadcast
// CHECK-NEXT:      keratin.yield %[[B]], %[[ZERO]]
// CHECK-NOT:     keratin.if
// CHECK:         return %[[F]]#0, %[[F]]#1
func.func @if(%p: tensor<i1>, %x: tensor<3xf32>, %z: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.if %p with(%x, %z) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %0 = keratin.sin %a : (tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %0 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    keratin.yield %b : tensor<3xf32>
  }
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %t : tensor<3xf32>, tensor<3xf32>
}

// -----

// A second derivative times a vector: the first loop's gradient is differentiated forwards, so no third loop goes back.
// CHECK-LABEL: func.func @forward_over_reverse
// CHECK-COUNT-2: keratin.scan
// CHECK-NOT:     keratin.scan
func.func @forward_over_reverse(%x: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %y = keratin.scan length = <4> init(%zero) over(%x) with() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.sin %0 : (tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %h = keratin.jvp of %g wrt %x along %v : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

// Gradients weighted by cotangents: nothing is multiplied out.
// CHECK-LABEL: func.func @vjp
// CHECK-SAME:    (%[[X:.*]]: tensor<3xf32>, %[[W:.*]]: tensor<3xf32>)
// CHECK:         %[[Y:.*]] = keratin.exp %[[X]]
// CHECK-NEXT:    %[[G:.*]] = keratin.mul %[[W]], %[[Y]]
// CHECK-NEXT:    return %[[G]]
func.func @vjp(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %y = keratin.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.vjp of %y wrt %x along %w : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %g : tensor<3xf32>
}

// -----

// A loop that is run again has its own name for its steps, and stacks under the name of the first one.
// CHECK-LABEL: func.func @while_behind
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>)
// CHECK:         %[[F:.*]]:4 = keratin.while length = <d0>
// CHECK:         %[[V:.*]] = keratin.sin %[[F]]#1
// CHECK:         %[[T:.*]]:5 = keratin.while length = <d1> at_most = <9> init(%[[P]], %[[X]], %[[V]]) with(%[[W]])
// CHECK:         %[[R:.*]] = keratin.reshape %[[T]]#4 : (tensor<?xf32, #keratin.dims<d1>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         return %[[R]]
func.func @while_behind(%p: tensor<i1>, %x: tensor<f32>, %w: tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y:4 = keratin.while length = <d0> at_most = <9> init(%p, %x) with(%w) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>, tensor<?xf32, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %more: tensor<i1>, %s: tensor<f32>, %c: tensor<f32>):
    %0 = keratin.mul %s, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.compare lt %0, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %1, %0, %s : tensor<i1>, tensor<f32>, tensor<f32>
  }
  %v = keratin.sin %y#1 : (tensor<f32>) -> tensor<f32>
  %t = keratin.jvp of %y#3 wrt %x along %v : (tensor<?xf32, #keratin.dims<d0>>, tensor<f32>, tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  return %t : tensor<?xf32, #keratin.dims<d0>>
}
