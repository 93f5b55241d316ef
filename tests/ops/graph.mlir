// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s --function=print | FileCheck %s --check-prefix=PRINT
// RUN: keratin-check %s --function=require --symbol=0=1 | FileCheck %s --check-prefix=HOLDS
// RUN: not keratin-check %s --function=require --symbol=0=2 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: keratin-check %s --function=require --symbol=0=1 --compiled | FileCheck %s --check-prefix=HOLDS

// The ops that the frontend's graph holds; K::function turns the first four into arguments and results.
// CHECK-LABEL: func.func @graph
// CHECK:         keratin.placeholder 0 "x" : tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.variable 1 "w" : tensor<4xf32>
// CHECK:         keratin.literal 2 : tensor<4xf32>
// CHECK:         %[[U:.*]] = keratin.update assign %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK:         keratin.update add %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK:         keratin.depend %{{.*}}, %[[U]] : (tensor<?xf32, #keratin.dims<d0>>, tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.gradients %{{.*}} wrt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         keratin.jvp of %{{.*}}, %{{.*}} wrt %{{.*}} along %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         keratin.vjp of %{{.*}} wrt %{{.*}}, %{{.*}} along %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
func.func @graph() {
  %x = keratin.placeholder 0 "x" : tensor<?xf32, #keratin.dims<d0>>
  %w = keratin.variable 1 "w" : tensor<4xf32>
  %c = keratin.literal 2 : tensor<4xf32>
  %u = keratin.update assign %w, %c : tensor<4xf32>
  %v = keratin.update add %w, %c : tensor<4xf32>
  %d = keratin.depend %x, %u : (tensor<?xf32, #keratin.dims<d0>>, tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d0>>
  %g:2 = keratin.gradients %v wrt %w, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %j:2 = keratin.jvp of %u, %v wrt %w along %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %p:2 = keratin.vjp of %u wrt %w, %c along %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @kernel
// CHECK:         %[[K:.*]]:2 = keratin.kernel(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK:         ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK:           %[[Y:.*]] = keratin.tanh %[[A]]
// CHECK:           keratin.yield %[[Y]], %[[A]] : tensor<4xf32>, tensor<4xf32>
// CHECK:         return %[[K]]#0
func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y:2 = keratin.kernel (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = keratin.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0 : tensor<4xf32>
}

// PRINT:      x = [1. 2.]
// PRINT-NEXT: result #0: tensor<2xf32> [1, 2]
func.func @print(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  %y = keratin.print "x =" %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @require
// CHECK:         keratin.require broadcast <d0> <5> "add: size d0 must be 1 or 5" %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// HOLDS:      result #0: tensor<1xf32> [-0.671875]
// FAILS:      add: size d0 must be 1 or 5
func.func @require(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.require broadcast #keratin.dims<d0> #keratin.dims<5> "add: size d0 must be 1 or 5" %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
