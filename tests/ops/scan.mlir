// RUN: keratin-opt %s | keratin-opt | FileCheck %s

// CHECK-LABEL: func.func @running_sum
// CHECK-SAME:    (%[[X:.*]]: tensor<?x4xf32, #keratin.dims<d0, 4>>, %[[H:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK:         %[[Y:.*]]:2 = keratin.scan length = <d0> init(%[[H]]) over(%[[X]]) with(%[[W]]) : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[P:.*]] = keratin.mul %[[E]], %[[C]]
// CHECK-NEXT:      %[[N:.*]] = keratin.add %[[S]], %[[P]]
// CHECK-NEXT:      keratin.yield %[[N]], %[[S]] : tensor<4xf32>, tensor<4xf32>
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @running_sum(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %h: tensor<4xf32>, %w: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  %y:2 = keratin.scan length = <d0> init(%h) over(%x) with(%w)
      : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %c: tensor<4xf32>):
    %p = keratin.mul %e, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = keratin.add %s, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %n, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// Numbers of the steps, from the last to the first.
// CHECK-LABEL: func.func @numbers
// CHECK:         keratin.scan length = <3> reverse init() over() with() : () -> tensor<3xi64> {
func.func @numbers() -> tensor<3xi64> {
  %y = keratin.scan length = <3> reverse init() over() with() : () -> tensor<3xi64> {
  ^bb0(%t: tensor<i64>):
    keratin.yield %t : tensor<i64>
  }
  return %y : tensor<3xi64>
}
