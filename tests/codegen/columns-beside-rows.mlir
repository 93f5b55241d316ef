// Reductions of columns beside those of rows: no rows, one, a block and one more, several blocks; rows of a vector and of
// several, of a block of a long sum and of two, and none.
// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s --check-prefix=ONE
// RUN: keratin-check %s --compiled --symbol=0=0,1,7,256,257,700,33,64,65,130,5,3 --symbol=1=64,16,17,33,100,130,1024,1000,1001,520,4097,0 --most=9.9e-4
// RUN: keratin-check %s --compiled --function=types --symbol=0=300 --symbol=1=70 | FileCheck %s --check-prefix=TYPES
// RUN: keratin-check %s --compiled --function=planes --symbol=0=70 --symbol=1=5 --most=9.9e-4
// RUN: keratin-check %s --compiled --function=known --most=9.9e-4

// ONE-LABEL: func.func @main
// ONE:         keratin.kernel{{.*}}keratin.workspaces = 2
// ONE-NOT:     keratin.kernel
// ONE:         return
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %y: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?xf32, #keratin.dims<d1>>, tensor<?xf32, #keratin.dims<d1>>) attributes {check.seed = 7 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.mul %y, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.reduce_sum %2 axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  %4 = keratin.reduce_max %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  return %2, %3, %4 : tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?xf32, #keratin.dims<d1>>, tensor<?xf32, #keratin.dims<d1>>
}

// ONE-LABEL: func.func @types
// ONE-COUNT-4: keratin.workspaces = 1
// TYPES:      difference #0: {{(0.0e.00|[1-9].[0-9]e-0[3-9])}}
// TYPES:      difference #2: {{(0.0e.00|[1-9].[0-9]e-(1[2-9]))}}
// TYPES:      difference #4: 0.0e+00
// TYPES:      difference #6: {{(0.0e.00|[1-9].[0-9]e-0[2-9])}}
func.func @types(%h: tensor<?x?xf16, #keratin.dims<d0, d1>>, %d: tensor<?x?xf64, #keratin.dims<d0, d1>>,
                 %i: tensor<?x?xi32, #keratin.dims<d0, d1>>, %b: tensor<?x?xbf16, #keratin.dims<d0, d1>>)
    -> (tensor<?xf16, #keratin.dims<d1>>, tensor<?xf16, #keratin.dims<d0>>, tensor<?xf64, #keratin.dims<d1>>, tensor<?xf64, #keratin.dims<d0>>,
        tensor<?xi32, #keratin.dims<d1>>, tensor<?xi32, #keratin.dims<d0>>, tensor<?xbf16, #keratin.dims<d1>>, tensor<?xbf16, #keratin.dims<d0>>)
    attributes {check.seed = 8 : i64} {
  %0 = keratin.reduce_sum %h axes = [0] : (tensor<?x?xf16, #keratin.dims<d0, d1>>) -> tensor<?xf16, #keratin.dims<d1>>
  %1 = keratin.reduce_sum %h axes = [1] : (tensor<?x?xf16, #keratin.dims<d0, d1>>) -> tensor<?xf16, #keratin.dims<d0>>
  %2 = keratin.reduce_sum %d axes = [0] : (tensor<?x?xf64, #keratin.dims<d0, d1>>) -> tensor<?xf64, #keratin.dims<d1>>
  %3 = keratin.reduce_sum %d axes = [1] : (tensor<?x?xf64, #keratin.dims<d0, d1>>) -> tensor<?xf64, #keratin.dims<d0>>
  %4 = keratin.reduce_sum %i axes = [0] : (tensor<?x?xi32, #keratin.dims<d0, d1>>) -> tensor<?xi32, #keratin.dims<d1>>
  %5 = keratin.reduce_min %i axes = [1] : (tensor<?x?xi32, #keratin.dims<d0, d1>>) -> tensor<?xi32, #keratin.dims<d0>>
  %6 = keratin.reduce_sum %b axes = [0] : (tensor<?x?xbf16, #keratin.dims<d0, d1>>) -> tensor<?xbf16, #keratin.dims<d1>>
  %7 = keratin.reduce_max %b axes = [1] : (tensor<?x?xbf16, #keratin.dims<d0, d1>>) -> tensor<?xbf16, #keratin.dims<d0>>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?xf16, #keratin.dims<d1>>, tensor<?xf16, #keratin.dims<d0>>, tensor<?xf64, #keratin.dims<d1>>, tensor<?xf64, #keratin.dims<d0>>, tensor<?xi32, #keratin.dims<d1>>, tensor<?xi32, #keratin.dims<d0>>, tensor<?xbf16, #keratin.dims<d1>>, tensor<?xbf16, #keratin.dims<d0>>
}

// Several loops of each kind: what is kept and what is reduced are cut by the broadcasts.
// ONE-LABEL: func.func @planes
// ONE:         keratin.workspaces = 1
// ONE-NOT:     keratin.kernel
// ONE:         return
func.func @planes(%x: tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>, %a: tensor<?xf32, #keratin.dims<d1>>, %b: tensor<19xf32>)
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<6x19xf32>) attributes {check.seed = 9 : i64} {
  %0 = keratin.broadcast %a dims = [1] : (tensor<?xf32, #keratin.dims<d1>>) -> tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>
  %1 = keratin.mul %x, %0 : (tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>, tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>) -> tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>
  %2 = keratin.broadcast %b dims = [3] : (tensor<19xf32>) -> tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>
  %3 = keratin.add %1, %2 : (tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>, tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>) -> tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>
  %4 = keratin.reduce_sum %3 axes = [2, 3] : (tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %5 = keratin.reduce_sum %3 axes = [0, 1] : (tensor<?x?x6x19xf32, #keratin.dims<d0, d1, 6, 19>>) -> tensor<6x19xf32>
  return %4, %5 : tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<6x19xf32>
}

// Known sizes, which leave something over in each loop.
// ONE-LABEL: func.func @known
// ONE:         keratin.workspaces = 1
func.func @known(%x: tensor<301x453xf32>) -> (tensor<301xf32>, tensor<453xf32>) attributes {check.seed = 10 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<301x453xf32>) -> tensor<301xf32>
  %1 = keratin.reduce_sum %x axes = [0] : (tensor<301x453xf32>) -> tensor<453xf32>
  return %0, %1 : tensor<301xf32>, tensor<453xf32>
}
