// A column is taken for a row, whose sums are vectors. What follows from them stands where it stood: rows in several
// dimensions, summands that repeat, and results that lie otherwise.
// RUN: keratin-check %s --compiled --symbol=0=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=7 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=40 | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=main | FileCheck %s --check-prefix=PLAN

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CHECK: difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CHECK: difference #2: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}

// PLAN:      nest: batch 1, m 5*d0, n 1, k 10
// PLAN:      schedule: dot products of 16 lanes, 16 rows x 1 vector, whole rows; units of 64 rows
// PLAN:      nest: batch 1, m 10, n 1, k 5*d0
// PLAN:      schedule: one tile of 1 row x 1 vector x 16 lanes over the whole depth, B in place; 8 steps side by side
func.func @main(%x: tensor<?x5x10xf32, #keratin.dims<d0, 5, 10>> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<10x1xf32> {keratin.kind = "input", keratin.name = "w"},
                %c: tensor<5xf32> {keratin.kind = "input", keratin.name = "c"})
    -> (tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>> {keratin.kind = "output", keratin.name = "y"},
        tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "output", keratin.name = "z"},
        tensor<10x1xf32> {keratin.kind = "output", keratin.name = "dw"}) attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [2] x [0] : (tensor<?x5x10xf32, #keratin.dims<d0, 5, 10>>, tensor<10x1xf32>) -> tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>
  %1 = keratin.broadcast %c dims = [1] : (tensor<5xf32>) -> tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>
  %2 = keratin.add %0, %1 : (tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>, tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>) -> tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>
  %3 = keratin.tanh %2 : (tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>) -> tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>
  %4 = keratin.reshape %3 : (tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %5 = keratin.mul %4, %4 : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %6 = keratin.dot_general %x, %3 batch = [] x [] contract = [0, 1] x [0, 1] : (tensor<?x5x10xf32, #keratin.dims<d0, 5, 10>>, tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>) -> tensor<10x1xf32>
  return %3, %5, %6 : tensor<?x5x1xf32, #keratin.dims<d0, 5, 1>>, tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<10x1xf32>
}
