// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=root | FileCheck %s --check-prefix=ROOT
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=root --compiled | FileCheck %s --check-prefix=ROOT
// RUN: keratin-check %s --function=collatz | FileCheck %s --check-prefix=COLLATZ
// RUN: keratin-check %s --function=collatz --compiled | FileCheck %s --check-prefix=COLLATZ
// RUN: keratin-check %s --function=bounded | FileCheck %s --check-prefix=BOUNDED
// RUN: keratin-check %s --function=bounded --compiled | FileCheck %s --check-prefix=BOUNDED
// RUN: keratin-check %s --function=no_steps | FileCheck %s --check-prefix=NONE
// RUN: keratin-check %s --function=no_steps --compiled | FileCheck %s --check-prefix=NONE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=power | FileCheck %s --check-prefix=POWER
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=power --compiled | FileCheck %s --check-prefix=POWER
// RUN: keratin-check %s --function=nested | FileCheck %s --check-prefix=NESTED
// RUN: keratin-check %s --function=nested --compiled | FileCheck %s --check-prefix=NESTED

// The square root by Newton's iteration, while it changes: the gradient is that of the steps made.
// ROOT:      result #0: tensor<f64> 3
// ROOT:      result #1: tensor<i64> 6
// ROOT:      result #2: tensor<f64> 0.166667
// CHECK-LABEL: func.func @root
// CHECK:         %{{.*}}:3 = keratin.while init(%{{.*}}, %{{.*}}) with(%{{.*}}) : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<i1>, tensor<f64>, tensor<i64>) {
// GRAD-LABEL: func.func @root
// GRAD:         %[[W:.*]]:4 = keratin.while length = <d0> init(
// GRAD:         keratin.scan length = <d0> reverse init({{.*}}) over(%[[W]]#3) with(
func.func @root(%a: tensor<f64> {check.value = dense<9.0> : tensor<f64>}) -> (tensor<f64>, tensor<i64>, tensor<f64>) {
  %true = keratin.constant dense<true> : tensor<i1>
  %y:3 = keratin.while init(%true, %a) with(%a) : (tensor<i1>, tensor<f64>, tensor<f64>) -> (tensor<i1>, tensor<f64>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %x: tensor<f64>, %c: tensor<f64>):
    %half = keratin.constant dense<0.5> : tensor<f64>
    %least = keratin.constant dense<1.0e-6> : tensor<f64>
    %q = keratin.div %c, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %s = keratin.add %x, %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %n = keratin.mul %s, %half : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = keratin.sub %x, %n : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %more = keratin.compare gt %d, %least : (tensor<f64>, tensor<f64>) -> tensor<i1>
    keratin.yield %more, %n : tensor<i1>, tensor<f64>
  }
  %g = keratin.gradients %y#1 wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y#1, %y#2, %g : tensor<f64>, tensor<i64>, tensor<f64>
}

// The steps from 27 to 1, and the largest number on the way: states of integers, of which one may be read
// by the condition of the next step only.
// COLLATZ:      result #0: tensor<i64> 1
// COLLATZ:      result #1: tensor<i64> 9232
// COLLATZ:      result #2: tensor<i64> 111
func.func @collatz(%n: tensor<i64> {check.value = dense<27> : tensor<i64>}) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %one = keratin.constant dense<1> : tensor<i64>
  %more = keratin.compare ne %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %y:4 = keratin.while init(%more, %n, %n) with() : (tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>, tensor<i64>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %x: tensor<i64>, %largest: tensor<i64>):
    %1 = keratin.constant dense<1> : tensor<i64>
    %2 = keratin.constant dense<2> : tensor<i64>
    %3 = keratin.constant dense<3> : tensor<i64>
    %half = keratin.floor_div %x, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %triple = keratin.mul %x, %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %up = keratin.add %triple, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %rest = keratin.mod %x, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %odd = keratin.compare eq %rest, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = keratin.select %odd, %up, %half : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %high = keratin.maximum %largest, %next : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = keratin.compare ne %next, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    keratin.yield %again, %next, %high : tensor<i1>, tensor<i64>, tensor<i64>
  }
  return %y#1, %y#2, %y#3 : tensor<i64>, tensor<i64>, tensor<i64>
}

// It would go on for ever. The stack is as long as there were steps, here at most 4; a state that is
// stacked lives there.
// BOUNDED:      result #0: tensor<2xf32> [16, 32]
// BOUNDED:      result #1: tensor<i64> 4
// BOUNDED:      result #2: tensor<4x2xf32> {{\[}}[2, 4], [4, 8], [8, 16], [16, 32]]
// BOUNDED:      result #3: tensor<4xi64> [0, 1, 2, 3]
// CHECK-LABEL: func.func @bounded
// CHECK:         keratin.while length = <d3> at_most = <4> init(
func.func @bounded(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>})
    -> (tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?xi64, #keratin.dims<d3>>) {
  %true = keratin.constant dense<true> : tensor<i1>
  %y:5 = keratin.while length = <d3> at_most = <4> init(%true, %x) with()
      : (tensor<i1>, tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?xi64, #keratin.dims<d3>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<2xf32>):
    %n = keratin.add %s, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %flag, %n, %n, %t : tensor<i1>, tensor<2xf32>, tensor<2xf32>, tensor<i64>
  }
  return %y#1, %y#2, %y#3, %y#4 : tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?xi64, #keratin.dims<d3>>
}

// NONE:      result #0: tensor<2xf32> [1, 2]
// NONE:      result #1: tensor<i64> 0
// NONE:      result #2: tensor<2xf32> [0, 0]
func.func @no_steps(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>},
                    %more: tensor<i1> {check.value = dense<false> : tensor<i1>}) -> (tensor<2xf32>, tensor<i64>, tensor<2xf32>) {
  %y:4 = keratin.while length = <d0> init(%more, %x) with() : (tensor<i1>, tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<2xf32>):
    %n = keratin.add %s, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %flag, %n, %s : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  %sum = keratin.reduce_sum %y#3 axes = [0] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2xf32>
  return %y#1, %y#2, %sum : tensor<2xf32>, tensor<i64>, tensor<2xf32>
}

// x to the power of n: the gradient needs the number of steps and, for w, a tape; then the gradient of
// the gradient.
// POWER:      result #0: tensor<f64> 32
// POWER:      result #1: tensor<f64> 80
// POWER:      result #2: tensor<f64> 160
func.func @power(%w: tensor<f64> {check.value = dense<2.0> : tensor<f64>}, %n: tensor<i64> {check.value = dense<5> : tensor<i64>})
    -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %one = keratin.constant dense<1.0> : tensor<f64>
  %zero = keratin.constant dense<0> : tensor<i64>
  %more = keratin.compare gt %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %y:3 = keratin.while init(%more, %one) with(%w, %n) : (tensor<i1>, tensor<f64>, tensor<f64>, tensor<i64>) -> (tensor<i1>, tensor<f64>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f64>, %c: tensor<f64>, %count: tensor<i64>):
    %1 = keratin.constant dense<1> : tensor<i64>
    %p = keratin.mul %s, %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %made = keratin.add %t, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = keratin.compare lt %made, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
    keratin.yield %again, %p : tensor<i1>, tensor<f64>
  }
  %g = keratin.gradients %y#1 wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %h = keratin.gradients %g wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y#1, %g, %h : tensor<f64>, tensor<f64>, tensor<f64>
}

// A loop in a loop: how often 2 divides each number below n, together. Inside a branch, too.
// NESTED: result #0: tensor<i64> 10
func.func @nested(%n: tensor<i64> {check.value = dense<14> : tensor<i64>}, %yes: tensor<i1> {check.value = dense<true> : tensor<i1>}) -> tensor<i64> {
  %y = keratin.if %yes with(%n) : (tensor<i1>, tensor<i64>) -> tensor<i64> {
  ^bb0(%m: tensor<i64>):
    %true = keratin.constant dense<true> : tensor<i1>
    %zero = keratin.constant dense<0> : tensor<i64>
    %all:3 = keratin.while init(%true, %zero) with(%m) : (tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>, tensor<i64>) {
    ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %sum: tensor<i64>, %c: tensor<i64>):
      %1 = keratin.constant dense<1> : tensor<i64>
      %number = keratin.add %t, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %2 = keratin.constant dense<2> : tensor<i64>
      %none = keratin.constant dense<0> : tensor<i64>
      %rest = keratin.mod %number, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %even = keratin.compare eq %rest, %none : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %inner:3 = keratin.while init(%even, %number) with() : (tensor<i1>, tensor<i64>) -> (tensor<i1>, tensor<i64>, tensor<i64>) {
      ^bb0(%u: tensor<i64>, %f: tensor<i1>, %x: tensor<i64>):
        %two = keratin.constant dense<2> : tensor<i64>
        %nothing = keratin.constant dense<0> : tensor<i64>
        %half = keratin.floor_div %x, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %left = keratin.mod %half, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %again = keratin.compare eq %left, %nothing : (tensor<i64>, tensor<i64>) -> tensor<i1>
        keratin.yield %again, %half : tensor<i1>, tensor<i64>
      }
      %total = keratin.add %sum, %inner#2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %behind = keratin.add %number, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %more = keratin.compare lt %behind, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
      keratin.yield %more, %total : tensor<i1>, tensor<i64>
    }
    keratin.yield %all#1 : tensor<i64>
  } else {
  ^bb0(%m: tensor<i64>):
    keratin.yield %m : tensor<i64>
  }
  return %y : tensor<i64>
}
