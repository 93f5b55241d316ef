// RUN: keratin-opt %s --keratin-erase-markers --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @markers_become_their_operand
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[P:.*]] = keratin.print "x" %[[X]]
// CHECK:         %[[Y:.*]] = keratin.exp %[[X]]
// CHECK-NOT:     keratin.
// CHECK:         return %[[Y]]
func.func @markers_become_their_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.stop_gradient %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.print "x" %x : tensor<4xf32>
  %2 = keratin.depend %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.identity %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = keratin.exp %3 : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

func.func @gradients_still_need_markers(%x: tensor<f32>) -> tensor<f32> {
  %0 = keratin.stop_gradient %x : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{gradients must be expanded before markers are erased}}
  %1 = keratin.gradients %0 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
