// RUN: keratin-opt %s --keratin-form-kernels --keratin-open-scalars | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels --keratin-open-scalars | keratin-check --function=two_of_three | FileCheck %s --check-prefix=VALUE

// Equal ones are one.
// CHECK-LABEL: func.func @two_of_three
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2xf32>
// CHECK-DAG:     %[[A:.*]] = keratin.constant {keratin.scalar = 0 : i64} dense<1.250000e+00> : tensor<f32>
// CHECK-DAG:     %[[B:.*]] = keratin.constant {keratin.scalar = 1 : i64} dense<3.000000e+00> : tensor<f32>
// CHECK:         keratin.kernel(%[[X]], %[[A]], %[[B]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<2xf32>, %[[C:[^:]*]]: tensor<f32>, %[[D:[^:]*]]: tensor<f32>):
// CHECK-NOT:       keratin.constant
// CHECK-DAG:       keratin.broadcast %[[C]]
// CHECK-DAG:       keratin.broadcast %[[D]]
// VALUE:         result #0: tensor<2xf32> [5.5, 8]
func.func @two_of_three(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  %a = keratin.constant dense<1.25> : tensor<f32>
  %b = keratin.constant dense<3.0> : tensor<f32>
  %c = keratin.constant dense<1.25> : tensor<f32>
  %as = keratin.broadcast %a dims = [] : (tensor<f32>) -> tensor<2xf32>
  %bs = keratin.broadcast %b dims = [] : (tensor<f32>) -> tensor<2xf32>
  %cs = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<2xf32>
  %0 = keratin.mul %x, %as : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.add %0, %bs : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.mul %x, %cs : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = keratin.add %1, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func.func @zero_powers_of_two_and_what_is_not_finite_stay
// CHECK-NOT:     keratin.scalar
// CHECK:         keratin.kernel
// CHECK-COUNT-6: keratin.constant
func.func @zero_powers_of_two_and_what_is_not_finite_stay(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = keratin.constant dense<-0.0> : tensor<f32>
  %one = keratin.constant dense<-1.0> : tensor<f32>
  %half = keratin.constant dense<0.5> : tensor<f32>
  %four = keratin.constant dense<4.0> : tensor<f32>
  %infinity = keratin.constant dense<0x7F800000> : tensor<f32>
  %nan = keratin.constant dense<0x7FC00000> : tensor<f32>
  %0 = keratin.add %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.mul %x, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.mul %x, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = keratin.mul %x, %four : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = keratin.mul %x, %infinity : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = keratin.mul %x, %nan : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @integers_and_tensors_stay
// CHECK-NOT:     keratin.scalar
// CHECK:         return
func.func @integers_and_tensors_stay(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %a = keratin.constant dense<[1.25, 3.0]> : tensor<2xf32>
  %three = keratin.constant dense<3> : tensor<i32>
  %0 = keratin.mul %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = keratin.mul %n, %three : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0, %1 : tensor<2xf32>, tensor<i32>
}

// Each step has its own.
// CHECK-LABEL: func.func @in_loops
// CHECK:         keratin.scan
// CHECK:           %[[A:.*]] = keratin.constant {keratin.scalar = 0 : i64}
// CHECK-NEXT:      keratin.kernel(%{{.*}}, %[[A]])
func.func @in_loops(%h: tensor<4xf32>, %b: tensor<5x4xf32>) -> tensor<4xf32> {
  %l = keratin.scan length = #keratin.dims<5> init(%h) over(%b) with() : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %a = keratin.constant dense<0.1> : tensor<f32>
    %as = keratin.broadcast %a dims = [] : (tensor<f32>) -> tensor<4xf32>
    %0 = keratin.mul %s, %as : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  return %l : tensor<4xf32>
}
