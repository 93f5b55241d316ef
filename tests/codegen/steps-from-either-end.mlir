// Few rows meet weights in each step of a loop that caches do not hold: every other step begins with the columns that
// the step before has read last.
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-compile %s --emit=llvm --function=one_row --mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
// RUN: keratin-check %s --compiled --function=one_row --symbol=0=0,1,2,5
// RUN: keratin-check %s --compiled --function=any_rows --symbol=0=1,2,5 --symbol=1=1,3,20
// RUN: keratin-check %s --compiled --function=while_below

// The number of the step is an argument, that of a kernel outside of loops is 0.
// CODE-LABEL: define internal void @keratin.one_row.loop_0(
// CODE:         %[[STEP:.*]] = phi i64
// CODE:         store i64 %[[STEP]], ptr

// CHECK-LABEL: function one_row
// CHECK:       schedule: one tile of 1 row x 16 vectors
// CHECK-NEXT:  order: the last unit first in every other step of the loop
func.func @one_row(%h: tensor<1x512xf32>, %x: tensor<?x1x512xf32, #keratin.dims<d0, 1, 512>>, %u: tensor<512x512xf32>) -> tensor<1x512xf32> {
  %last = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%u) : (tensor<1x512xf32>, tensor<?x1x512xf32, #keratin.dims<d0, 1, 512>>, tensor<512x512xf32>) -> tensor<1x512xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<1x512xf32>, %e: tensor<1x512xf32>, %w: tensor<512x512xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %1 = keratin.add %0, %e : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %2 = keratin.sin %1 : (tensor<1x512xf32>) -> tensor<1x512xf32>
    keratin.yield %2 : tensor<1x512xf32>
  }
  return %last : tensor<1x512xf32>
}

// Rows that the call knows: of each number that has code of its own.
// CHECK-LABEL: function any_rows
// CHECK:       order: the last unit first in every other step of the loop
func.func @any_rows(%h: tensor<?x512xf32, #keratin.dims<d1, 512>>, %x: tensor<?x?x512xf32, #keratin.dims<d0, d1, 512>>, %u: tensor<512x512xf32>) -> tensor<?x512xf32, #keratin.dims<d1, 512>> {
  %last = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%u) : (tensor<?x512xf32, #keratin.dims<d1, 512>>, tensor<?x?x512xf32, #keratin.dims<d0, d1, 512>>, tensor<512x512xf32>) -> tensor<?x512xf32, #keratin.dims<d1, 512>> {
  ^bb0(%t: tensor<i64>, %s: tensor<?x512xf32, #keratin.dims<d1, 512>>, %e: tensor<?x512xf32, #keratin.dims<d1, 512>>, %w: tensor<512x512xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<?x512xf32, #keratin.dims<d1, 512>>, tensor<512x512xf32>) -> tensor<?x512xf32, #keratin.dims<d1, 512>>
    %1 = keratin.add %0, %e : (tensor<?x512xf32, #keratin.dims<d1, 512>>, tensor<?x512xf32, #keratin.dims<d1, 512>>) -> tensor<?x512xf32, #keratin.dims<d1, 512>>
    %2 = keratin.sin %1 : (tensor<?x512xf32, #keratin.dims<d1, 512>>) -> tensor<?x512xf32, #keratin.dims<d1, 512>>
    keratin.yield %2 : tensor<?x512xf32, #keratin.dims<d1, 512>>
  }
  return %last : tensor<?x512xf32, #keratin.dims<d1, 512>>
}

// A loop that ends when it says so: five steps.
// CHECK-LABEL: function while_below
// CHECK:       order: the last unit first in every other step of the loop
func.func @while_below(%h: tensor<1x512xf32>, %u: tensor<512x512xf32>) -> tensor<1x512xf32> {
  %true = keratin.constant dense<true> : tensor<i1>
  %zero = keratin.constant dense<0> : tensor<i64>
  %y:4 = keratin.while init(%true, %zero, %h) with(%u) : (tensor<i1>, tensor<i64>, tensor<1x512xf32>, tensor<512x512xf32>) -> (tensor<i1>, tensor<i64>, tensor<1x512xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<i1>, %n: tensor<i64>, %s: tensor<1x512xf32>, %w: tensor<512x512xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %1 = keratin.sin %0 : (tensor<1x512xf32>) -> tensor<1x512xf32>
    %four = keratin.constant dense<4> : tensor<i64>
    %one = keratin.constant dense<1> : tensor<i64>
    %more = keratin.compare lt %n, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = keratin.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    keratin.yield %more, %next, %1 : tensor<i1>, tensor<i64>, tensor<1x512xf32>
  }
  return %y#2 : tensor<1x512xf32>
}
