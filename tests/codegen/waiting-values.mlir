// Values that wait in the place of a result, in rows of a few vectors, of one block and of several. The second result has
// the place; the first is one a row.
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=16 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=5 --symbol=1=33 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=100 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=4096 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=4097 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=9000 | FileCheck %s

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CHECK: difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %y: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.exp %2 : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %6 = keratin.div %3, %5 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %7 = keratin.sub %6, %y : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %4, %7 : tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}
