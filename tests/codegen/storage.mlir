// RUN: keratin-check %s --compiled --symbol=0=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=16 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=77 | FileCheck %s
// RUN: keratin-check %s --compiled --function=rounds | FileCheck %s --check-prefix=ROUNDS
// RUN: keratin-check %s --compiled --function=bools --symbol=0=0 | FileCheck %s --check-prefix=BOOLS
// RUN: keratin-check %s --compiled --function=bools --symbol=0=37 | FileCheck %s --check-prefix=BOOLS

// Narrow floats are read and written as they are and computed in float32: the result of a kernel is rounded once.
// CHECK:      difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[4-9]|[1-9][0-9]))}}
// CHECK:      difference #1: 0.0e+00
// CHECK:      difference #2: 0.0e+00
// CHECK:      difference #3: 0.0e+00
func.func @main(%a: tensor<?xf16, #keratin.dims<d0>>, %b: tensor<?xf16, #keratin.dims<d0>>, %c: tensor<?xbf16, #keratin.dims<d0>>, %i: tensor<?xi8, #keratin.dims<d0>>)
    -> (tensor<?xf16, #keratin.dims<d0>>, tensor<?xbf16, #keratin.dims<d0>>, tensor<?xf16, #keratin.dims<d0>>, tensor<?xi8, #keratin.dims<d0>>) {
  %0 = keratin.mul %a, %b : (tensor<?xf16, #keratin.dims<d0>>, tensor<?xf16, #keratin.dims<d0>>) -> tensor<?xf16, #keratin.dims<d0>>
  %1 = keratin.add %0, %a : (tensor<?xf16, #keratin.dims<d0>>, tensor<?xf16, #keratin.dims<d0>>) -> tensor<?xf16, #keratin.dims<d0>>
  %2 = keratin.add %c, %c : (tensor<?xbf16, #keratin.dims<d0>>, tensor<?xbf16, #keratin.dims<d0>>) -> tensor<?xbf16, #keratin.dims<d0>>
  %3 = keratin.cast %c : (tensor<?xbf16, #keratin.dims<d0>>) -> tensor<?xf16, #keratin.dims<d0>>
  %4 = keratin.mul %i, %i : (tensor<?xi8, #keratin.dims<d0>>, tensor<?xi8, #keratin.dims<d0>>) -> tensor<?xi8, #keratin.dims<d0>>
  return %1, %2, %3, %4 : tensor<?xf16, #keratin.dims<d0>>, tensor<?xbf16, #keratin.dims<d0>>, tensor<?xf16, #keratin.dims<d0>>, tensor<?xi8, #keratin.dims<d0>>
}

// But a cast to a narrow float rounds, though the kernel goes on in float32: 2049 becomes 2048, 65520 infinite.
// ROUNDS:     result #0: tensor<3xf32> [-1, 0.5, inf]
// ROUNDS:     difference #0: 0.0e+00
// ROUNDS:     result #1: tensor<3xf32> [-1, -1.5, 16]
// ROUNDS:     difference #1: 0.0e+00
func.func @rounds(%x: tensor<3xf32> {check.value = dense<[2049.0, 2049.5, 65520.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = keratin.cast %x : (tensor<3xf32>) -> tensor<3xf16>
  %1 = keratin.cast %0 : (tensor<3xf16>) -> tensor<3xf32>
  %2 = keratin.sub %1, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = keratin.cast %x : (tensor<3xf32>) -> tensor<3xbf16>
  %4 = keratin.cast %3 : (tensor<3xbf16>) -> tensor<3xf32>
  %5 = keratin.sub %4, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2, %5 : tensor<3xf32>, tensor<3xf32>
}

// A bool takes a byte; comparisons, choices and arguments read and write whole ones.
// BOOLS:      difference #0: 0.0e+00
// BOOLS:      difference #1: 0.0e+00
func.func @bools(%x: tensor<?xf32, #keratin.dims<d0>>, %p: tensor<?xi1, #keratin.dims<d0>>) -> (tensor<?xi1, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %z = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %c = keratin.compare lt %x, %z : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xi1, #keratin.dims<d0>>
  %q = keratin.xor %c, %p : (tensor<?xi1, #keratin.dims<d0>>, tensor<?xi1, #keratin.dims<d0>>) -> tensor<?xi1, #keratin.dims<d0>>
  %s = keratin.select %q, %x, %z : (tensor<?xi1, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %q, %s : tensor<?xi1, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}
