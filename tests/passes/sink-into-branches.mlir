// RUN: keratin-opt %s --keratin-sink-into-branches | FileCheck %s

// CHECK-LABEL: func.func @what_one_branch_needs_moves_into_it
// CHECK-SAME:  (%[[C:[a-z0-9]+]]: tensor<i1>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4x4xf32>)
// CHECK-NEXT:    %[[Y:.*]] = keratin.if %[[C]] with(%[[X]], %[[W]])
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4x4xf32>):
// CHECK-NEXT:      %[[D:.*]] = keratin.dot_general %[[A]], %[[V]]
// CHECK-NEXT:      %[[E:.*]] = keratin.exp %[[D]]
// CHECK-NEXT:      keratin.yield %[[E]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:    ^bb0(%[[B:.*]]: tensor<4xf32>, %{{.*}}: tensor<4x4xf32>):
// CHECK-NEXT:      %[[T:.*]] = keratin.tanh %[[B]]
// CHECK-NEXT:      keratin.yield %[[T]]
// CHECK:         return %[[Y]]
func.func @what_one_branch_needs_moves_into_it(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  %1 = keratin.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %y = keratin.if %c with(%1, %2) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// The inner branch moves first, and then what only it needs moves on into it.
// CHECK-LABEL: func.func @branches_move_into_branches
// CHECK-NEXT:    keratin.if
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      keratin.if
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:        keratin.exp
func.func @branches_move_into_branches(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.if %d with(%0, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %b : tensor<4xf32>
  }
  %2 = keratin.if %c with(%1, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %b : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @in_the_body_of_a_loop_with_constants
// CHECK:         keratin.scan
// CHECK-NOT:       keratin.sin
// CHECK:           keratin.if %{{.*}} with(%{{[^,]*}}, %{{[^,]*}}) :
// CHECK:             keratin.constant
// CHECK:             keratin.sin
func.func @in_the_body_of_a_loop_with_constants(%x: tensor<9xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = keratin.scan length = #keratin.dims<9> init(%s) over(%x) with() : (tensor<f32>, tensor<9xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %a: tensor<f32>, %e: tensor<f32>):
    %one = keratin.constant dense<1.0> : tensor<f32>
    %1 = keratin.compare lt %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = keratin.sin %e : (tensor<f32>) -> tensor<f32>
    %3 = keratin.if %1 with(%2, %one, %a) : (tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%b: tensor<f32>, %k: tensor<f32>, %f: tensor<f32>):
      %4 = keratin.add %b, %k : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %4 : tensor<f32>
    } else {
    ^bb0(%b: tensor<f32>, %k: tensor<f32>, %f: tensor<f32>):
      keratin.yield %f : tensor<f32>
    }
    keratin.yield %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @no_move_of_what_others_need
// CHECK-NEXT:    %[[E:.*]] = keratin.exp
// CHECK-NEXT:    %[[T:.*]] = keratin.tanh
// CHECK-NEXT:    keratin.if %{{.*}} with(%[[E]], %[[T]])
func.func @no_move_of_what_others_need(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %y = keratin.if %c with(%0, %1) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %2 = keratin.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %b : tensor<4xf32>
  }
  return %y, %0 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_move_of_prints_and_conditions
// CHECK:         keratin.print
// CHECK:         %[[C:.*]] = keratin.compare
// CHECK:         keratin.if %[[C]] with(%{{.*}}, %[[C]])
func.func @no_move_of_prints_and_conditions(%x: tensor<f32>, %y: tensor<f32>) -> tensor<i1> {
  %0 = keratin.print "x" %x : tensor<f32>
  %c = keratin.compare lt %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %z = keratin.if %c with(%0, %c) : (tensor<i1>, tensor<f32>, tensor<i1>) -> tensor<i1> {
  ^bb0(%a: tensor<f32>, %b: tensor<i1>):
    %1 = keratin.compare lt %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %1 : tensor<i1>
  } else {
  ^bb0(%a: tensor<f32>, %b: tensor<i1>):
    keratin.yield %b : tensor<i1>
  }
  return %z : tensor<i1>
}

// A gradient needs what its loss is made of, and values that gradients are taken of are others' too.
// CHECK-LABEL: func.func @no_move_of_gradients
// CHECK:         %[[H:.*]] = keratin.exp
// CHECK:         keratin.gradients
// CHECK:         keratin.if
func.func @no_move_of_gradients(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %h = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %l = keratin.sin %h : (tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z = keratin.if %c with(%g, %x) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    keratin.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    keratin.yield %b : tensor<f32>
  }
  return %z : tensor<f32>
}

// CHECK-LABEL: func.func @results_that_nobody_reads_go
// CHECK-SAME:  (%[[C:[a-z0-9]+]]: tensor<i1>, %[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]] = keratin.if %[[C]] with(%[[X]]) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT:       keratin.sin
// CHECK:           keratin.exp
// CHECK-NOT:       keratin.sin
// CHECK:         return %[[Y]]
func.func @results_that_nobody_reads_go(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.sin %x : (tensor<4xf32>) -> tensor<4xf32>
  %y:2 = keratin.if %c with(%x, %0) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = keratin.sin %a : (tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    keratin.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}
