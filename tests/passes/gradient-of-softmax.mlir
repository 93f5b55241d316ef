// The gradient of a softmax needs its weights and nothing else that is as large.

// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | FileCheck %s

// CHECK-LABEL: func.func @by_weights
// CHECK:         %[[E:.*]] = keratin.exp
// CHECK:         %[[W:.*]] = keratin.div %[[E]]
// CHECK:         %[[P:.*]] = keratin.mul %arg1, %[[W]]
// CHECK:         %[[S:.*]] = keratin.reduce_sum %[[P]] axes = [1]
// CHECK:         %[[B:.*]] = keratin.broadcast %[[S]] dims = [0]
// CHECK:         %[[D:.*]] = keratin.sub %arg1, %[[B]]
// CHECK:         %[[G:.*]] = keratin.mul %[[W]], %[[D]]
// CHECK:         return %[[G]]
func.func @by_weights(%x: tensor<?x8xf32, #keratin.dims<d0, 8>>, %c: tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>> {
  %m = keratin.reduce_max %x axes = [1] : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?xf32, #keratin.dims<d0>>
  %f = keratin.stop_gradient %m : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %f dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %d = keratin.sub %x, %mb : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %e = keratin.exp %d : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %z = keratin.reduce_sum %e axes = [1] : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?xf32, #keratin.dims<d0>>
  %zb = keratin.broadcast %z dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %w = keratin.div %e, %zb : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %p = keratin.mul %w, %c : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  %loss = keratin.reduce_sum %p axes = [0, 1] : (tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %x : (tensor<f32>, tensor<?x8xf32, #keratin.dims<d0, 8>>) -> tensor<?x8xf32, #keratin.dims<d0, 8>>
  return %g : tensor<?x8xf32, #keratin.dims<d0, 8>>
}

// Heads are two dimensions of the softmax and one of the products. The sum is that of dy * y.
// CHECK-LABEL: func.func @of_attention
// CHECK:         %[[Y:.*]] = keratin.dot_general %{{.*}}, %arg1 batch = [0] x [0] contract = [2] x [1]
// CHECK:         %[[DW:.*]] = keratin.dot_general %arg2, %arg1 batch = [0] x [0] contract = [2] x [2]
// CHECK:         %[[P:.*]] = keratin.mul %{{arg2, %.*|.*, %arg2}}
// CHECK:         %[[S:.*]] = keratin.reduce_sum %[[P]] axes = [2] : (tensor<6x20x8xf32>) -> tensor<6x20xf32>
// CHECK:         %[[B:.*]] = keratin.broadcast %[[S]] dims = [0, 1]
// CHECK:         keratin.sub %[[DW]], %[[B]] : (tensor<6x20x16xf32>, tensor<6x20x16xf32>)
func.func @of_attention(%x: tensor<3x2x20x16xf32>, %v: tensor<6x16x8xf32>, %c: tensor<6x20x8xf32>) -> (tensor<6x20x8xf32>, tensor<3x2x20x16xf32>) {
  %m = keratin.reduce_max %x axes = [3] : (tensor<3x2x20x16xf32>) -> tensor<3x2x20xf32>
  %f = keratin.stop_gradient %m : (tensor<3x2x20xf32>) -> tensor<3x2x20xf32>
  %mb = keratin.broadcast %f dims = [0, 1, 2] : (tensor<3x2x20xf32>) -> tensor<3x2x20x16xf32>
  %d = keratin.sub %x, %mb : (tensor<3x2x20x16xf32>, tensor<3x2x20x16xf32>) -> tensor<3x2x20x16xf32>
  %e = keratin.exp %d : (tensor<3x2x20x16xf32>) -> tensor<3x2x20x16xf32>
  %z = keratin.reduce_sum %e axes = [3] : (tensor<3x2x20x16xf32>) -> tensor<3x2x20xf32>
  %zb = keratin.broadcast %z dims = [0, 1, 2] : (tensor<3x2x20xf32>) -> tensor<3x2x20x16xf32>
  %w = keratin.div %e, %zb : (tensor<3x2x20x16xf32>, tensor<3x2x20x16xf32>) -> tensor<3x2x20x16xf32>
  %wr = keratin.reshape %w : (tensor<3x2x20x16xf32>) -> tensor<6x20x16xf32>
  %y = keratin.dot_general %wr, %v batch = [0] x [0] contract = [2] x [1] : (tensor<6x20x16xf32>, tensor<6x16x8xf32>) -> tensor<6x20x8xf32>
  %p = keratin.mul %y, %c : (tensor<6x20x8xf32>, tensor<6x20x8xf32>) -> tensor<6x20x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<6x20x8xf32>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %x : (tensor<f32>, tensor<3x2x20x16xf32>) -> tensor<3x2x20x16xf32>
  return %y, %g : tensor<6x20x8xf32>, tensor<3x2x20x16xf32>
}

// Weights are rounded for both products; the sum is made in their own type.
// CHECK-LABEL: func.func @of_attention_in_halves
// CHECK:         %[[Y:.*]] = keratin.dot_general %{{.*}}, %arg1 batch = [0] x [0] contract = [2] x [1]
// CHECK-DAG:     %[[DW:.*]] = keratin.dot_general %arg2, %arg1 batch = [0] x [0] contract = [2] x [2]
// CHECK-DAG:     %[[DY:.*]] = keratin.cast %arg2 : (tensor<6x20x8xf16>) -> tensor<6x20x8xf32>
// CHECK-DAG:     %[[WIDE:.*]] = keratin.cast %[[Y]] : (tensor<6x20x8xf16>) -> tensor<6x20x8xf32>
// CHECK:         %[[P:.*]] = keratin.mul %[[DY]], %[[WIDE]]
// CHECK:         %[[S:.*]] = keratin.reduce_sum %[[P]] axes = [2] : (tensor<6x20x8xf32>) -> tensor<6x20xf32>
// CHECK:         %[[B:.*]] = keratin.broadcast %[[S]] dims = [0, 1]
// CHECK:         keratin.sub %{{.*}}, %[[B]] : (tensor<6x20x16xf32>, tensor<6x20x16xf32>)
func.func @of_attention_in_halves(%x: tensor<6x20x16xf32>, %v: tensor<6x16x8xf16>, %c: tensor<6x20x8xf16>) -> (tensor<6x20x8xf16>, tensor<6x20x16xf32>) {
  %m = keratin.reduce_max %x axes = [2] : (tensor<6x20x16xf32>) -> tensor<6x20xf32>
  %f = keratin.stop_gradient %m : (tensor<6x20xf32>) -> tensor<6x20xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<6x20xf32>) -> tensor<6x20x16xf32>
  %d = keratin.sub %x, %mb : (tensor<6x20x16xf32>, tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  %e = keratin.exp %d : (tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<6x20x16xf32>) -> tensor<6x20xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<6x20xf32>) -> tensor<6x20x16xf32>
  %w = keratin.div %e, %zb : (tensor<6x20x16xf32>, tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  %wh = keratin.cast %w : (tensor<6x20x16xf32>) -> tensor<6x20x16xf16>
  %y = keratin.dot_general %wh, %v batch = [0] x [0] contract = [2] x [1] : (tensor<6x20x16xf16>, tensor<6x16x8xf16>) -> tensor<6x20x8xf16>
  %p = keratin.mul %y, %c : (tensor<6x20x8xf16>, tensor<6x20x8xf16>) -> tensor<6x20x8xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<6x20x8xf16>) -> tensor<f16>
  %g = keratin.gradients %loss wrt %x : (tensor<f16>, tensor<6x20x16xf32>) -> tensor<6x20x16xf32>
  return %y, %g : tensor<6x20x8xf16>, tensor<6x20x16xf32>
}
