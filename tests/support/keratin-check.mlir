// RUN: keratin-check %s | FileCheck %s
// RUN: keratin-check %s --function=sized --symbol=0=2 | FileCheck %s --check-prefix=SIZED
// RUN: not keratin-check %s --function=sized 2>&1 | FileCheck %s --check-prefix=UNSIZED
// RUN: not keratin-check %s --function=picks 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not keratin-check %s --function=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: keratin-check %s --function=sized --symbol=0=2,3 | FileCheck %s --check-prefixes=SIZED,THREE
// RUN: keratin-check %s --function=negates --compiled --symbol=0=0,3,40 --most=0 | FileCheck %s --check-prefix=COMPILED
// RUN: not keratin-check %s --function=negates --compiled --symbol=0=2,3 --most=-1 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not keratin-check %s --function=sized --symbol=0=2,3 --symbol=1=1,2,3 2>&1 | FileCheck %s --check-prefix=RUNS

// The tool itself: given, random and printed values, sizes, errors.

// CHECK:      x [1. 2. 3.]
// CHECK-NEXT: result #0: tensor<3xf32> [2, 4, 6]
// CHECK-NEXT: result #1: tensor<2x2xi32> {{\[}}[{{-?[0-8]}}, {{-?[0-8]}}], [{{-?[0-8]}}, {{-?[0-8]}}]]
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
                %r: tensor<2x2xi32>) -> (tensor<3xf32>, tensor<2x2xi32>)
    attributes {check.seed = 7 : i64} {
  %p = keratin.print "x" %x : tensor<3xf32>
  %y = keratin.add %p, %p : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %r : tensor<3xf32>, tensor<2x2xi32>
}

// SIZED: result #0: tensor<2xi64> [0, 1]
// THREE: result #0: tensor<3xi64> [0, 1, 2]
// RUNS: error: a symbol is given as --symbol=ID=VALUE, or with a value for each run
// UNSIZED: error: keratin.iota: size d0 has no value
func.func @sized() -> tensor<?xi64, #keratin.dims<d0>> {
  %y = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}

// FAILS: error: gather: index 2 is outside the first axis of size 2
func.func @picks(%x: tensor<2xf32>) -> tensor<1xf32> {
  %i = keratin.constant dense<2> : tensor<1xi32>
  %y = keratin.gather %x, %i : (tensor<2xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// NOBODY: error: no function @nobody

// COMPILED-COUNT-3: difference #0: 0.0e+00
// MOST: error: result #0 differs
func.func @negates(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.neg %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
