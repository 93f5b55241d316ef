// RUN: keratin-opt %s --split-input-file --keratin-form-kernels | FileCheck %s
// RUN: keratin-opt %s --split-input-file --keratin-form-kernels=columns=false | FileCheck %s --check-prefix=APART
// RUN: keratin-opt %s --split-input-file --keratin-form-kernels --keratin-schedule --keratin-plan-memory --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN

// Columns of what a kernel computes from rows are reduced in the same pass, in memory that is one result more: a line for
// each block of rows.

// CHECK-LABEL: func.func @columns_beside_rows
// CHECK:         %[[K:.*]]:3 = keratin.kernel(%{{.*}}) {keratin.workspaces = 1 : i64} : {{.*}} -> (tensor<?xf32, #keratin.dims<d0>>, tensor<512xf32>, tensor<?x512xf32, #keratin.dims<floordiv(d0 + 127, 128), 512>>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[ROWS:.*]] = keratin.reduce_max %{{.*}} axes = [1]
// CHECK-NEXT:      keratin.broadcast
// CHECK-NEXT:      keratin.sub
// CHECK-NEXT:      %[[COLUMNS:.*]] = keratin.reduce_sum %{{.*}} axes = [0]
// CHECK-NEXT:      %[[MEMORY:.*]] = keratin.iota
// CHECK-NEXT:      keratin.yield %[[ROWS]], %[[COLUMNS]], %[[MEMORY]]
// CHECK:         return %[[K]]#0, %[[K]]#1
// APART-LABEL:   func.func @columns_beside_rows
// APART-COUNT-2: keratin.kernel(
// APART-NOT:     workspaces
// PLAN-LABEL:  func.func @columns_beside_rows
// PLAN:          keratin.kernel{{.*}}#keratin.place<arena
func.func @columns_beside_rows(%x: tensor<?x512xf32, #keratin.dims<d0, 512>> {keratin.kind = "input"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"}, tensor<512xf32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x512xf32, #keratin.dims<d0, 512>>
  %2 = keratin.sub %x, %1 : (tensor<?x512xf32, #keratin.dims<d0, 512>>, tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<?x512xf32, #keratin.dims<d0, 512>>
  %3 = keratin.reduce_sum %2 axes = [0] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<512xf32>
  return %0, %3 : tensor<?xf32, #keratin.dims<d0>>, tensor<512xf32>
}

// -----

// Neither reads the other, and columns stand first.
// CHECK-LABEL:   func.func @of_an_argument
// CHECK-COUNT-1: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
func.func @of_an_argument(%x: tensor<?x512xf32, #keratin.dims<d0, 512>>) -> (tensor<512xf32>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<512xf32>
  %1 = keratin.reduce_sum %x axes = [1] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0, %1 : tensor<512xf32>, tensor<?xf32, #keratin.dims<d0>>
}

// -----

// What follows from columns is another kernel.
// CHECK-LABEL:   func.func @what_follows
// CHECK:         keratin.workspaces = 1
// CHECK:         keratin.kernel(
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      keratin.tanh
func.func @what_follows(%x: tensor<?x512xf32, #keratin.dims<d0, 512>>) -> (tensor<512xf32>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x512xf32, #keratin.dims<d0, 512>>
  %2 = keratin.mul %x, %1 : (tensor<?x512xf32, #keratin.dims<d0, 512>>, tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<?x512xf32, #keratin.dims<d0, 512>>
  %3 = keratin.reduce_sum %2 axes = [0] : (tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<512xf32>
  %4 = keratin.tanh %3 : (tensor<512xf32>) -> tensor<512xf32>
  return %4, %0 : tensor<512xf32>, tensor<?xf32, #keratin.dims<d0>>
}

// -----

// CHECK-LABEL:   func.func @not_of_few_columns
// CHECK-NOT:     workspaces
func.func @not_of_few_columns(%x: tensor<?x10xf32, #keratin.dims<d0, 10>>) -> (tensor<10xf32>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<10xf32>
  %1 = keratin.reduce_sum %x axes = [1] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0, %1 : tensor<10xf32>, tensor<?xf32, #keratin.dims<d0>>
}

// -----

// CHECK-LABEL:   func.func @not_of_what_caches_hold
// CHECK-NOT:     workspaces
func.func @not_of_what_caches_hold(%x: tensor<128x512xf32>) -> (tensor<512xf32>, tensor<128xf32>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<128x512xf32>) -> tensor<512xf32>
  %1 = keratin.reduce_sum %x axes = [1] : (tensor<128x512xf32>) -> tensor<128xf32>
  return %0, %1 : tensor<512xf32>, tensor<128xf32>
}

// -----

// CHECK-LABEL:   func.func @not_of_truths
// CHECK-NOT:     workspaces
func.func @not_of_truths(%x: tensor<?x512xi1, #keratin.dims<d0, 512>>) -> (tensor<512xi1>, tensor<?xi1, #keratin.dims<d0>>) {
  %0 = keratin.reduce_any %x axes = [0] : (tensor<?x512xi1, #keratin.dims<d0, 512>>) -> tensor<512xi1>
  %1 = keratin.reduce_any %x axes = [1] : (tensor<?x512xi1, #keratin.dims<d0, 512>>) -> tensor<?xi1, #keratin.dims<d0>>
  return %0, %1 : tensor<512xi1>, tensor<?xi1, #keratin.dims<d0>>
}
