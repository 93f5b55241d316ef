// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s --function=numbers | FileCheck %s --check-prefix=NUMBERS
// RUN: keratin-check %s --function=all_parts --symbol=0=3 | FileCheck %s --check-prefix=PARTS
// RUN: keratin-check %s --function=no_steps --symbol=0=0 | FileCheck %s --check-prefix=NONE
// RUN: keratin-check %s --function=nested | FileCheck %s --check-prefix=NESTED
// RUN: keratin-check %s --function=prints | FileCheck %s --check-prefix=PRINTS
// RUN: not keratin-check %s --function=fails 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not keratin-check %s --function=negative --symbol=1=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE

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
// NUMBERS:     result #0: tensor<3xi64> [0, 1, 2]
// CHECK-LABEL: func.func @numbers
// CHECK:         keratin.scan length = <3> reverse init() over() with() : () -> tensor<3xi64> {
func.func @numbers() -> tensor<3xi64> {
  %y = keratin.scan length = <3> reverse init() over() with() : () -> tensor<3xi64> {
  ^bb0(%t: tensor<i64>):
    keratin.yield %t : tensor<i64>
  }
  return %y : tensor<3xi64>
}

// From the last place to the first: a state of numbers, and one that remembers the place before.
// PARTS:      result #0: tensor<2xf32> [3, 6]
// PARTS-NEXT: result #1: tensor<i64> 0
// PARTS-NEXT: result #2: tensor<3xi64> [1, 2, -1]
// PARTS-NEXT: result #3: tensor<3x2xf32> {{\[}}[2, 4], [1, 2], [0, 0]]
func.func @all_parts(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {check.value = dense<[[10.0, 20.0], [1.0, 2.0], [0.0, 1.0]]> : tensor<3x2xf32>},
                     %w: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>})
    -> (tensor<2xf32>, tensor<i64>, tensor<?xi64, #keratin.dims<d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  %zero = keratin.constant dense<0.0> : tensor<2xf32>
  %none = keratin.constant dense<-1> : tensor<i64>
  %y:4 = keratin.scan length = <d0> reverse init(%zero, %none) over(%x) with(%w)
      : (tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<2xf32>)
      -> (tensor<2xf32>, tensor<i64>, tensor<?xi64, #keratin.dims<d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %before: tensor<i64>, %e: tensor<2xf32>, %c: tensor<2xf32>):
    %n = keratin.add %s, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %n, %t, %before, %s : tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<2xf32>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<2xf32>, tensor<i64>, tensor<?xi64, #keratin.dims<d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>
}

// NONE:      result #0: tensor<2xf32> [7, 8]
// NONE-NEXT: result #1: tensor<0x2xf32> []
func.func @no_steps(%h: tensor<2xf32> {check.value = dense<[7.0, 8.0]> : tensor<2xf32>}) -> (tensor<2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  %y:2 = keratin.scan length = <d0> init(%h) over() with() : (tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>):
    %n = keratin.add %s, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %n, %n : tensor<2xf32>, tensor<2xf32>
  }
  return %y#0, %y#1 : tensor<2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>
}

// The sum of each row, and of all; the second loop stands in a kernel, as nothing says that it does not.
// NESTED:      result #0: tensor<f32> 21
// NESTED-NEXT: result #1: tensor<2xf32> [6, 15]
func.func @nested(%x: tensor<2x3xf32> {check.value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>}) -> (tensor<f32>, tensor<2xf32>) {
  %y:2 = keratin.kernel(%x) : (tensor<2x3xf32>) -> (tensor<f32>, tensor<2xf32>) {
  ^bb0(%k: tensor<2x3xf32>):
    %zero = keratin.constant dense<0.0> : tensor<f32>
    %all:2 = keratin.scan length = <2> init(%zero) over(%k) with() : (tensor<f32>, tensor<2x3xf32>) -> (tensor<f32>, tensor<2xf32>) {
    ^bb0(%t: tensor<i64>, %s: tensor<f32>, %row: tensor<3xf32>):
      %none = keratin.constant dense<0.0> : tensor<f32>
      %sum = keratin.scan length = <3> init(%none) over(%row) with() : (tensor<f32>, tensor<3xf32>) -> tensor<f32> {
      ^bb0(%u: tensor<i64>, %r: tensor<f32>, %e: tensor<f32>):
        %n = keratin.add %r, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
        keratin.yield %n : tensor<f32>
      }
      %total = keratin.add %s, %sum : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %total, %sum : tensor<f32>, tensor<f32>
    }
    keratin.yield %all#0, %all#1 : tensor<f32>, tensor<2xf32>
  }
  return %y#0, %y#1 : tensor<f32>, tensor<2xf32>
}

// PRINTS:      t = 1
// PRINTS-NEXT: t = 0
// PRINTS-NEXT: result #0: tensor<2xi64> [0, 1]
func.func @prints() -> tensor<2xi64> {
  %y = keratin.scan length = <2> reverse init() over() with() : () -> tensor<2xi64> {
  ^bb0(%t: tensor<i64>):
    %n = keratin.print "t =" %t : tensor<i64>
    keratin.yield %n : tensor<i64>
  }
  return %y : tensor<2xi64>
}

// Each message names one line, that of the op itself.
// FAILS:       gather: index 2 is outside the first axis of size 2
// FAILS-SAME:  ; at {{.*}}scan.mlir:[[#]]
// FAILS-NOT:   ; at
func.func @fails(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = keratin.scan length = <3> init() over() with(%x) : (tensor<2xf32>) -> tensor<3xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<2xf32>):
    %n = keratin.gather %c, %t : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
    keratin.yield %n : tensor<f32>
  }
  return %y : tensor<3xf32>
}

// NEGATIVE: scan: the number of steps d1 - 3 is -1; at {{.*}}scan.mlir:[[#]]
func.func @negative(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = keratin.scan length = <d1 - 3> init(%x) over() with() : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>):
    keratin.yield %s : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
