// RUN: keratin-check %s --function=good | FileCheck %s --check-prefix=GOOD
// RUN: keratin-check %s --function=good --compiled | FileCheck %s --check-prefix=GOOD
// RUN: %{exits} 1 keratin-check %s --function=bad 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %{exits} 1 keratin-check %s --function=bad --compiled 2>&1 | FileCheck %s --check-prefix=BAD

// GOOD: result #0: tensor<3xi32> [0, 3, 4]
func.func @good(%x: tensor<3xi32> {check.value = dense<[-1, 2, 3]> : tensor<3xi32>}) -> tensor<3xi32> {
  %y = keratin.check_range %x lower = #keratin.dims<-1> upper = #keratin.dims<4> "embedding: a word is outside [-1, 4)" : tensor<3xi32>
  %one = keratin.constant dense<1> : tensor<3xi32>
  %z = keratin.add %y, %one : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %z : tensor<3xi32>
}

// BAD: embedding: a word is outside [0, 3)
func.func @bad(%x: tensor<?xi64, #keratin.dims<d0>> {check.value = dense<[0, 1, 3]> : tensor<3xi64>}) -> tensor<?xi64, #keratin.dims<d0>> {
  %y = keratin.check_range %x lower = #keratin.dims<0> upper = #keratin.dims<d0> "embedding: a word is outside [0, 3)" : tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}

// The message tells of the lowest element that is outside; of one beyond those that are told apart,
// or below 0, it does not.
// RUN: %{exits} 1 keratin-check %s --function=one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %{exits} 1 keratin-check %s --function=one --compiled 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: f: place (5, 2) of x
func.func @one(%x: tensor<21xi64> {check.value = dense<[-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 19, 17, 18, -1]> : tensor<21xi64>}) -> tensor<21xi64> {
  %y = keratin.check_range %x lower = #keratin.dims<-1> upper = #keratin.dims<0> "f: {22|a place|place (#/3, #%3)} of x" : tensor<21xi64>
  return %y : tensor<21xi64>
}

// RUN: %{exits} 1 keratin-check %s --function=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %{exits} 1 keratin-check %s --function=none --compiled 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: g: a place of x
func.func @none(%x: tensor<3xi32> {check.value = dense<[0, -7, 3]> : tensor<3xi32>}) -> tensor<3xi32> {
  %y = keratin.check_range %x lower = #keratin.dims<0> upper = #keratin.dims<3> "g: {4|a place|place #} of x" : tensor<3xi32>
  return %y : tensor<3xi32>
}
