// RUN: not keratin-check %s --compiled --function=size_of_nothing --symbol=0=3 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not keratin-check %s --function=sum_of_complex_numbers 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not keratin-check %s --compiled --function=other_dialect 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not keratin-check %s --compiled --function=frontend_op 2>&1 | FileCheck %s --check-prefix=FRONTEND
// RUN: not keratin-check %s --compiled --function=kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not keratin-check %s --compiled --function=kernel --mcpu=nobody 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not keratin-check %s --compiled --function=zero_divisor --symbol=0=6 --symbol=1=0 2>&1 | FileCheck %s --check-prefix=DIVISOR
// RUN: not keratin-check %s --compiled --function=far_rows --symbol=0=2 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not keratin-check %s --compiled --function=suspicions 2>&1 | FileCheck %s --check-prefix=SUSPECT

// What the compiler refuses, with the line.

// SUSPECT: error: suspect_numbers: the result must be a scalar, found 'tensor<2xi1>'; at {{.*}}compile.mlir:[[@LINE+2]]
func.func @suspicions(%x: tensor<2xf32>) -> tensor<2xi1> {
  %0 = keratin.suspect_numbers %x : (tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// SIZE: error: nothing gives size 'd0' a value; needed an input that has it; at {{.*}}compile.mlir:[[@LINE+1]]
func.func @size_of_nothing() -> tensor<?xi64, #keratin.dims<d0>> {
  %y = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}

// OTHER: error: not implemented: {{.*}}func.call; at {{.*}}compile.mlir:[[@LINE+2]]
func.func @other_dialect(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @other_dialect(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// FRONTEND: error: not implemented: {{.*}}keratin.placeholder; at {{.*}}compile.mlir:[[@LINE+2]]
func.func @frontend_op() -> tensor<2xf32> {
  %y = keratin.placeholder 0 "x" : tensor<2xf32>
  return %y : tensor<2xf32>
}

// CPU: error: compiling function 'kernel': unknown cpu 'nobody'
// KERNEL: error: a kernel stands in the graph already; kernels do not nest; at {{.*}}compile.mlir:[[@LINE+2]]
func.func @kernel(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = keratin.kernel (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    keratin.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// DIVISOR: a size divides 6 by 0
func.func @zero_divisor(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<?xf32, #keratin.dims<d1>>) -> tensor<?xf32, #keratin.dims<floordiv(d0, d1)>> {
  %y = keratin.slice %x starts = <0> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<floordiv(d0, d1)>>
  return %y : tensor<?xf32, #keratin.dims<floordiv(d0, d1)>>
}

// ROWS: error: slice: the bytes before its rows do not fit 64 bits; at {{.*}}compile.mlir:[[@LINE+2]]
func.func @far_rows(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.slice %x starts = <4611686018427387904*d0, 0> strides = [1, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.scan length = #keratin.dims<d0> init(%h) over(%0) with() : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %1 = keratin.mul %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// PAIRS: keratin.add: complex numbers are pairs here (--keratin-expand-complex)
func.func @sum_of_complex_numbers(%x: tensor<2xf32> {check.value = dense<[5.0, 7.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  %z = keratin.complex %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %s = keratin.add %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %y = keratin.real %s : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
