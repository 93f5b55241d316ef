// RUN: not keratin-check %s --compiled --function=gather_above 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not keratin-check %s --compiled --function=gather_below 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not keratin-check %s --compiled --function=gather_after_contraction 2>&1 | FileCheck %s --check-prefix=CONTRACTION
// RUN: keratin-check %s --compiled --function=gather_added_to_contraction | FileCheck %s --check-prefix=ADDED
// RUN: not keratin-check %s --compiled --function=scatter 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not keratin-check %s --compiled --function=scatter_last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not keratin-check %s --compiled --function=scatter_max 2>&1 | FileCheck %s --check-prefix=MAX
// RUN: not keratin-check %s --compiled --function=box 2>&1 | FileCheck %s --check-prefix=BOX
// RUN: not keratin-check %s --compiled --function=shape --symbol=0=5 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not keratin-check %s --compiled --function=empty_axis --symbol=0=0 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not keratin-check %s --compiled --function=steps 2>&1 | FileCheck %s --check-prefix=STEPS

// What fails when the call runs names the line of the op, though many ops share a kernel.

// ABOVE: error: gather: {{.*}}out-of-range.mlir:[[@LINE+3]]
func.func @gather_above(%x: tensor<3x2xf32> {check.value = dense<0.0> : tensor<3x2xf32>},
                        %i: tensor<2xi32> {check.value = dense<[0, 3]> : tensor<2xi32>}) -> tensor<2x2xf32> {
  %0 = keratin.gather %x, %i : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %1 = keratin.tanh %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// BELOW: error: gather: {{.*}}out-of-range.mlir:[[@LINE+3]]
func.func @gather_below(%x: tensor<3xf32> {check.value = dense<0.0> : tensor<3xf32>},
                        %i: tensor<40xi64> {check.value = dense<-1> : tensor<40xi64>}) -> tensor<40xf32> {
  %0 = keratin.gather %x, %i : (tensor<3xf32>, tensor<40xi64>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}

// A gather that is added to a contraction belongs to its kernel.
// CONTRACTION: error: gather: {{.*}}out-of-range.mlir:[[@LINE+5]]
func.func @gather_after_contraction(%x: tensor<3x5xf32>, %w: tensor<5x4xf32>, %e: tensor<7x4xf32>,
                                    %i: tensor<3xi64> {check.value = dense<[0, 7, 1]> : tensor<3xi64>})
    -> tensor<3x4xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %1 = keratin.gather %e, %i : (tensor<7x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = keratin.add %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// ADDED: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[6-9]|[1-9][0-9]))}}
// ADDED: 1 kernels
func.func @gather_added_to_contraction(%x: tensor<3x5xf32>, %w: tensor<5x4xf32>, %e: tensor<7x4xf32>,
                                       %i: tensor<3xi64> {check.value = dense<[0, 6, 1]> : tensor<3xi64>})
    -> tensor<3x4xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %1 = keratin.gather %e, %i : (tensor<7x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = keratin.add %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// SCATTER: error: scatter_add: {{.*}}out-of-range.mlir:[[@LINE+3]]
func.func @scatter(%i: tensor<2xi32> {check.value = dense<[0, 2147483647]> : tensor<2xi32>},
                   %u: tensor<2x4xf32> {check.value = dense<0.0> : tensor<2x4xf32>}) -> tensor<3x4xf32> {
  %0 = keratin.scatter_add %i, %u : (tensor<2xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// LAST: error: scatter_last: {{.*}}out-of-range.mlir:[[@LINE+3]]
func.func @scatter_last(%i: tensor<2xi32> {check.value = dense<[0, -1]> : tensor<2xi32>},
                        %u: tensor<2xi32> {check.value = dense<0> : tensor<2xi32>}) -> tensor<3xi32> {
  %0 = keratin.scatter_last %i, %u : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// MAX: error: scatter_max: {{.*}}out-of-range.mlir:[[@LINE+3]]
func.func @scatter_max(%i: tensor<2xi32> {check.value = dense<[0, 3]> : tensor<2xi32>},
                       %u: tensor<2xf32> {check.value = dense<0.0> : tensor<2xf32>}) -> tensor<3xf32> {
  %0 = keratin.scatter_max %i, %u : (tensor<2xi32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// BOX: error: slice: {{.*}}out-of-range.mlir:[[@LINE+2]]
func.func @box(%x: tensor<4xf32> {check.value = dense<0.0> : tensor<4xf32>}, %s: tensor<i64> {check.value = dense<9223372036854775807> : tensor<i64>}) -> tensor<2xf32> {
  %0 = keratin.dynamic_slice %x, %s : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// SHAPE: error: reshape: {{.*}}(input_0_dim0,) cannot take the shape (2, 3){{.*}}out-of-range.mlir:[[@LINE+2]]
func.func @shape(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x3xf32> {
  %0 = keratin.reshape %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// AXIS: error: arg_max: the axis 0 is empty{{.*}}out-of-range.mlir:[[@LINE+2]]
func.func @empty_axis(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64> {
  %0 = keratin.arg_max %x {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64>
  return %0 : tensor<i64>
}

// A scan does nothing in the steps behind one that has failed.
// STEPS-NOT: seen {{[23]}}
// STEPS:     error: gather: {{.*}}out-of-range.mlir:[[@LINE+5]]
// STEPS-NOT: seen {{[23]}}
func.func @steps(%x: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %y:2 = keratin.scan length = <4> init() over() with(%x) : (tensor<1xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<1xf32>):
    %e = keratin.gather %c, %t : (tensor<1xf32>, tensor<i64>) -> tensor<f32>
    %n = keratin.print "seen" %t : tensor<i64>
    keratin.yield %e, %n : tensor<f32>, tensor<i64>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi64>
}
