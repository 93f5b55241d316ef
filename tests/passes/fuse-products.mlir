// RUN: keratin-opt %s --keratin-fuse-products | FileCheck %s
// RUN: keratin-opt %s --keratin-fuse-products | keratin-check --compiled --function=sum_and_differences | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @sum_and_differences
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2xf32> {{.*}}, %[[Y:[^:]*]]: tensor<2xf32> {{.*}}, %[[Z:[^:]*]]: tensor<2xf32>
// CHECK:         %[[SUM:.*]] = keratin.multiply_add %[[X]], %[[Y]], %[[Z]]
// CHECK:         %[[NOT_Z:.*]] = keratin.neg %[[Z]]
// CHECK:         %[[LESS:.*]] = keratin.multiply_add %[[X]], %[[Y]], %[[NOT_Z]]
// CHECK:         %[[NOT_X:.*]] = keratin.neg %[[X]]
// CHECK:         %[[FROM:.*]] = keratin.multiply_add %[[NOT_X]], %[[Y]], %[[Z]]
// CHECK:         return %[[SUM]], %[[LESS]], %[[FROM]]
// VALUE: result #0: tensor<2xf32> [11, 26]
// VALUE: result #1: tensor<2xf32> [1, 14]
// VALUE: result #2: tensor<2xf32> [-1, -14]
func.func @sum_and_differences(%x: tensor<2xf32> {check.value = dense<[2.0, 4.0]> : tensor<2xf32>},
                               %y: tensor<2xf32> {check.value = dense<[3.0, 5.0]> : tensor<2xf32>},
                               %z: tensor<2xf32> {check.value = dense<[5.0, 6.0]> : tensor<2xf32>})
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = keratin.mul %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.add %z, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.mul %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = keratin.sub %2, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = keratin.mul %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = keratin.sub %z, %4 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @of_two_products_the_first
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2xf32>, %[[Y:[^:]*]]: tensor<2xf32>
// CHECK-DAG:     %[[YY:.*]] = keratin.mul %[[Y]], %[[Y]]
// CHECK:         keratin.multiply_add %[[X]], %[[X]], %[[YY]]
func.func @of_two_products_the_first(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = keratin.mul %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.mul %y, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.add %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Of x * y - x * y both are one value, and of x * y + z somebody wants the product too.
// CHECK-LABEL: func.func @no_fusion_of_a_product_with_another_use
// CHECK-NOT:     multiply_add
func.func @no_fusion_of_a_product_with_another_use(%x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = keratin.mul %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.sub %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.mul %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = keratin.add %2, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @no_fusion_of_integers
// CHECK-NOT:     multiply_add
func.func @no_fusion_of_integers(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = keratin.mul %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = keratin.add %0, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}
