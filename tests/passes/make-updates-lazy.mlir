// RUN: keratin-opt %s --split-input-file --keratin-make-updates-lazy | FileCheck %s

// The moment and the variable that follows from it keep their rows; a new value that is read
// elsewhere is the one that is kept.
// CHECK-LABEL: func.func @momentum(
// CHECK-SAME:    %[[I:[^:]*]]: tensor<3xi32>{{.*}}, %[[DY:[^:]*]]: tensor<3x4xf32>{{.*}}, %[[V:[^:]*]]: tensor<9x4xf32>{{.*}}, %[[W:[^:]*]]: tensor<9x4xf32>
// CHECK-NOT:     keratin.lazy_updates
// CHECK:         %[[MOVED:.*]] = keratin.mul
// CHECK:         %[[MOMENT:.*]] = keratin.sub %[[MOVED]]
// CHECK:         %[[ONES:.*]] = keratin.broadcast {{.*}} -> tensor<3xi32>
// CHECK:         %[[COUNTS:.*]] = keratin.scatter_add %[[I]], %[[ONES]] : (tensor<3xi32>, tensor<3xi32>) -> tensor<9xi32>
// CHECK:         %[[IS_NAMED:.*]] = keratin.compare gt %[[COUNTS]]
// CHECK:         %[[NAMED:.*]] = keratin.broadcast %[[IS_NAMED]] dims = [0]
// CHECK:         %[[NEW_V:.*]] = keratin.select %[[NAMED]], %[[MOMENT]], %[[V]]
// CHECK:         %[[SUM:.*]] = keratin.add %[[W]], %[[NEW_V]]
// CHECK:         %[[NEW_W:.*]] = keratin.select {{.*}}, %[[SUM]], %[[W]]
// CHECK:         return %[[NEW_V]], %[[NEW_V]], %[[NEW_W]]
func.func @momentum(
      %i: tensor<3xi32> {keratin.kind = "input"}, %dy: tensor<3x4xf32> {keratin.kind = "input"},
      %v: tensor<9x4xf32> {keratin.kind = "variable"}, %w: tensor<9x4xf32> {keratin.kind = "variable"})
    -> (tensor<9x4xf32> {keratin.kind = "output"}, tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 1})
    attributes {keratin.lazy_updates} {
  %c = keratin.constant dense<0.9> : tensor<f32>
  %b = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<9x4xf32>
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %0 = keratin.mul %b, %v : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.sub %0, %g : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %2 = keratin.add %w, %1 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %1, %1, %2 : tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>
}

// -----

// CHECK-LABEL: func.func @no_lazy_update_that_nobody_asks_for
// CHECK-NOT:     keratin.select
func.func @no_lazy_update_that_nobody_asks_for(
      %i: tensor<3xi32> {keratin.kind = "input"}, %dy: tensor<3x4xf32> {keratin.kind = "input"},
      %v: tensor<9x4xf32> {keratin.kind = "variable"})
    -> (tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %0 = keratin.add %v, %v : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.sub %0, %g : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}

// -----

// CHECK-LABEL: func.func @gradients_of_two_gathers_are_one
// CHECK:         %[[I:.*]] = keratin.concatenate %arg0, %arg1
// CHECK:         keratin.scatter_add %[[I]], {{.*}} -> tensor<9x4xf32>
// CHECK:         keratin.scatter_add %[[I]], {{.*}} -> tensor<9xi32>
// CHECK:         keratin.select
func.func @gradients_of_two_gathers_are_one(
      %i: tensor<3xi32> {keratin.kind = "input"}, %j: tensor<8xi32> {keratin.kind = "input"},
      %dy: tensor<3x4xf32> {keratin.kind = "input"}, %dz: tensor<8x4xf32> {keratin.kind = "input"},
      %v: tensor<9x4xf32> {keratin.kind = "variable"})
    -> (tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.lazy_updates} {
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %h = keratin.scatter_add %j, %dz : (tensor<8xi32>, tensor<8x4xf32>) -> tensor<9x4xf32>
  %s = keratin.add %g, %h : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %0 = keratin.mul %v, %v : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.sub %0, %s : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}

// -----

// A regulariser changes every row, and is part of the gradient.
// CHECK-LABEL: func.func @no_lazy_update_by_more_than_rows
// CHECK-NOT:     keratin.select
func.func @no_lazy_update_by_more_than_rows(
      %i: tensor<3xi32> {keratin.kind = "input"}, %dy: tensor<3x4xf32> {keratin.kind = "input"},
      %w: tensor<9x4xf32> {keratin.kind = "variable"})
    -> (tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.lazy_updates} {
  %c = keratin.constant dense<0.01> : tensor<f32>
  %b = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<9x4xf32>
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %0 = keratin.mul %b, %w : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.add %g, %0 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %2 = keratin.mul %b, %1 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %3 = keratin.sub %w, %2 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// -----

// Another row than the named one follows from it.
// CHECK-LABEL: func.func @no_lazy_update_by_moved_rows
// CHECK-NOT:     keratin.select
func.func @no_lazy_update_by_moved_rows(
      %i: tensor<3xi32> {keratin.kind = "input"}, %dy: tensor<3x4xf32> {keratin.kind = "input"},
      %w: tensor<9x4xf32> {keratin.kind = "variable"})
    -> (tensor<9x4xf32> {keratin.kind = "update", keratin.variable = 0})
    attributes {keratin.lazy_updates} {
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %0 = keratin.reverse %g axes = [0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.sub %w, %0 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}
