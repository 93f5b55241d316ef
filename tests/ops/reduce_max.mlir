// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// Float16 cannot count far: ties are counted in float32.
// GRAD-LABEL: func.func @main
// GRAD:         %[[TIE:.*]] = keratin.compare eq
// GRAD:         %[[ONES:.*]] = keratin.select %[[TIE]], {{.*}} -> tensor<4xf32>
// GRAD:         %[[COUNT:.*]] = keratin.reduce_sum %[[ONES]] axes = [0]
// GRAD:         %[[SHARE:.*]] = keratin.div %{{.*}}, %[[COUNT]] : {{.*}} -> tensor<f32>
// GRAD:         keratin.cast %[[SHARE]] : (tensor<f32>) -> tensor<f16>
// VALUE:      result #0: tensor<4xf16> [0, 0.5, 0, 0.5]
func.func @main(%x: tensor<4xf16> {check.value = dense<[1.0, 3.0, 2.0, 3.0]> : tensor<4xf16>}) -> tensor<4xf16> {
  %y = keratin.reduce_max %x axes = [0] : (tensor<4xf16>) -> tensor<f16>
  %g = keratin.gradients %y wrt %x : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  return %g : tensor<4xf16>
}
