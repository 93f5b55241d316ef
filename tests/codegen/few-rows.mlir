// Products of as many rows as turn out: of one tile, of the smaller ones for the rest, and of several. The first has
// weights that stream, the second a panel that is not whole.
// RUN: keratin-check %s --compiled --symbol=0=0 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=4 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=5 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=6 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=8 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=9 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=12 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=13 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=14 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=19 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=27 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=30 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=57 | FileCheck %s

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CHECK: difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x520xf32, #keratin.dims<d0, 520>>, %w: tensor<520x512xf32>, %v: tensor<520x90xf32>)
    -> (tensor<?x512xf32, #keratin.dims<d0, 512>>, tensor<?x90xf32, #keratin.dims<d0, 90>>) attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x520xf32, #keratin.dims<d0, 520>>, tensor<520x512xf32>) -> tensor<?x512xf32, #keratin.dims<d0, 512>>
  %1 = keratin.dot_general %x, %v batch = [] x [] contract = [1] x [0] : (tensor<?x520xf32, #keratin.dims<d0, 520>>, tensor<520x90xf32>) -> tensor<?x90xf32, #keratin.dims<d0, 90>>
  return %0, %1 : tensor<?x512xf32, #keratin.dims<d0, 512>>, tensor<?x90xf32, #keratin.dims<d0, 90>>
}
