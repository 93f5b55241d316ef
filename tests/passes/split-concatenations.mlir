// RUN: keratin-opt %s --keratin-split-concatenations=max-operands=2 | FileCheck %s
// RUN: keratin-opt %s --keratin-split-concatenations=max-operands=2 | keratin-check --function=five --compiled | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @five
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2xf32>
// CHECK:         %[[AA:.*]] = keratin.concatenate %[[A]], %[[A]] {{.*}} -> tensor<4xf32>
// CHECK:         %[[AB:.*]] = keratin.concatenate %[[A]], %[[B:[^ ]*]] {{.*}} -> tensor<3xf32>
// CHECK:         %[[LEFT:.*]] = keratin.concatenate %[[AA]], %[[AB]] {{.*}} -> tensor<7xf32>
// CHECK:         %[[Y:.*]] = keratin.concatenate %[[LEFT]], %[[B]] {{.*}} -> tensor<8xf32>
// CHECK:         return %[[Y]]
// VALUE:       result #0: tensor<8xf32> [1, 2, 1, 2, 1, 2, 3, 3]
func.func @five(%a: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>}, %b: tensor<1xf32> {check.value = dense<3.0> : tensor<1xf32>}) -> tensor<8xf32> {
  %y = keratin.concatenate %a, %a, %a, %b, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @few_operands_stay
// CHECK:         %[[Y:.*]] = keratin.concatenate
// CHECK-NEXT:    return %[[Y]]
func.func @few_operands_stay(%a: tensor<2xf32>) -> tensor<4xf32> {
  %y = keratin.concatenate %a, %a {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is copied has each operand in a place of its own, so that they can be made there.
// CHECK-LABEL: func.func @fills_twice
// CHECK-SAME:    %[[X:[^:]*]]: tensor<40xf32>
// CHECK-DAG:     %[[FIRST:.*]] = keratin.broadcast
// CHECK-DAG:     %[[SECOND:.*]] = keratin.broadcast
// CHECK-DAG:     %[[ALL:.*]] = keratin.concatenate %[[FIRST]], %[[X]], %[[SECOND]]
func.func @fills_twice(%x: tensor<40xf32>) -> tensor<40x3xf32> {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %ones = keratin.broadcast %one dims = [] : (tensor<f32>) -> tensor<40xf32>
  %all = keratin.concatenate %ones, %x, %ones {axis = 0 : i64} : (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<120xf32>
  %rows = keratin.reshape %all : (tensor<120xf32>) -> tensor<3x40xf32>
  %y = keratin.transpose %rows permutation = [1, 0] : (tensor<3x40xf32>) -> tensor<40x3xf32>
  return %y : tensor<40x3xf32>
}
