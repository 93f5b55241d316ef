// RUN: keratin-opt %s --keratin-form-kernels=max-moves=1 | FileCheck %s

// Parts of a value that is in memory are its elements at constant distances: they take no index of
// their own, however many there are.
// CHECK-LABEL: func.func @parts_of_what_is_in_memory
// CHECK:         keratin.kernel
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      keratin.exp
// CHECK:         keratin.kernel
// CHECK-COUNT-3:   keratin.slice
// CHECK-COUNT-2:   keratin.add
// CHECK-NOT:     keratin.kernel
func.func @parts_of_what_is_in_memory(%x: tensor<12xf32>) -> tensor<4xf32> {
  %e = keratin.exp %x : (tensor<12xf32>) -> tensor<12xf32>
  %y = keratin.delay %e until %e : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %r = keratin.reshape %y : (tensor<12xf32>) -> tensor<3x4xf32>
  %0 = keratin.slice %r starts = <0, 0> strides = [1, 1] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %1 = keratin.slice %r starts = <1, 0> strides = [1, 1] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %2 = keratin.slice %r starts = <2, 0> strides = [1, 1] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %3 = keratin.add %0, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = keratin.add %3, %2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %z = keratin.reshape %4 : (tensor<1x4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Every other element is at another place for each.
// CHECK-LABEL: func.func @strides_in_memory_are_indices
// CHECK-COUNT-3: keratin.kernel
func.func @strides_in_memory_are_indices(%x: tensor<12xf32>) -> tensor<6xf32> {
  %e = keratin.exp %x : (tensor<12xf32>) -> tensor<12xf32>
  %y = keratin.delay %e until %e : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %0 = keratin.slice %y starts = <0> strides = [2] : (tensor<12xf32>) -> tensor<6xf32>
  %1 = keratin.slice %y starts = <1> strides = [2] : (tensor<12xf32>) -> tensor<6xf32>
  %2 = keratin.add %0, %1 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}
