// RUN: keratin-opt %s --keratin-expand-complex --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-expand-complex="keep-views=false" --split-input-file | FileCheck %s --check-prefix=SAVED

// CHECK-LABEL: func.func @parts_by_themselves
// CHECK-SAME:    %[[Z:[^:]*]]: tensor<4xcomplex<f32>>
// CHECK-DAG:     %[[PAIRS:.*]] = keratin.as_parts %[[Z]] : (tensor<4xcomplex<f32>>) -> tensor<4x2xf32>
// CHECK-DAG:     %[[FIRST:.*]] = keratin.slice %[[PAIRS]] starts = <0, 0>
// CHECK-DAG:     %[[RE:.*]] = keratin.reshape %[[FIRST]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-DAG:     %[[SECOND:.*]] = keratin.slice %[[PAIRS]] starts = <0, 1>
// CHECK-DAG:     %[[IM:.*]] = keratin.reshape %[[SECOND]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-DAG:     keratin.neg %[[RE]]
// CHECK-DAG:     keratin.neg %[[IM]]
// CHECK:         %[[JOINED:.*]] = keratin.concatenate
// CHECK:         %[[Y:.*]] = keratin.from_parts %[[JOINED]]
// CHECK:         return %[[Y]] : tensor<4xcomplex<f32>>
// SAVED-LABEL: func.func @parts_by_themselves
// SAVED-SAME:    %[[Z:[^:]*]]: tensor<4xcomplex<f32>>
// SAVED-DAG:     %[[RE:.*]] = keratin.real %[[Z]]
// SAVED-DAG:     %[[IM:.*]] = keratin.imag %[[Z]]
// SAVED-DAG:     %[[A:.*]] = keratin.neg %[[RE]]
// SAVED-DAG:     %[[B:.*]] = keratin.neg %[[IM]]
// SAVED:         %[[Y:.*]] = keratin.complex %[[A]], %[[B]]
// SAVED:         return %[[Y]]
func.func @parts_by_themselves(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %y = keratin.neg %z : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %y : tensor<4xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @real_of_complex_is_the_part
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2xf64>, %[[B:[^:]*]]: tensor<2xf64>
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @real_of_complex_is_the_part(%a: tensor<2xf64>, %b: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %z = keratin.complex %a, %b : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %re = keratin.real %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %im = keratin.imag %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %re, %im : tensor<2xf64>, tensor<2xf64>
}

// -----

// CHECK-LABEL: func.func @constants_are_split
// CHECK-DAG:     keratin.constant dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     keratin.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func @constants_are_split() -> tensor<2xcomplex<f32>> {
  %z = keratin.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return %z : tensor<2xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @loops_carry_two_for_one
// CHECK:         keratin.scan length = <3> init(%{{.*}}, %{{.*}}) over(%{{.*}}, %{{.*}}) with(%{{.*}}, %{{.*}})
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
// CHECK:         keratin.yield %{{.*}}, %{{.*}}, %[[A]], %[[B]] : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
func.func @loops_carry_two_for_one(%z: tensor<2xcomplex<f32>>, %x: tensor<3x2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) {
  %last, %all = keratin.scan length = #keratin.dims<3> init(%z) over(%x) with(%z)
      : (tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) {
  ^bb0(%t: tensor<i64>, %state: tensor<2xcomplex<f32>>, %element: tensor<2xcomplex<f32>>, %c: tensor<2xcomplex<f32>>):
    %0 = keratin.add %state, %element : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %1 = keratin.add %0, %c : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    keratin.yield %1, %state : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  }
  return %last, %all : tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @gradients_with_respect_to_both
// CHECK:         keratin.gradients %{{.*}} wrt %{{.*}}, %{{.*}} : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
func.func @gradients_with_respect_to_both(%z: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %re = keratin.real %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %s = keratin.reduce_sum %re axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %g = keratin.gradients %s wrt %z : (tensor<f32>, tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %g : tensor<3xcomplex<f32>>
}

// -----

// What else the parts are used for is no use of the complex number.
// CHECK-LABEL: func.func @gradients_do_not_see_other_uses_of_the_parts
// CHECK-SAME:    %[[A:[^:]*]]: tensor<f32>, %[[B:[^:]*]]: tensor<f32>
// CHECK:         %[[RE:.*]] = keratin.identity %[[A]]
// CHECK:         %[[IM:.*]] = keratin.identity %[[B]]
// CHECK:         %[[L:.*]] = keratin.mul %[[RE]], %[[A]]
// CHECK:         keratin.gradients %[[L]] wrt %[[RE]], %[[IM]]
func.func @gradients_do_not_see_other_uses_of_the_parts(%a: tensor<f32>, %b: tensor<f32>) -> tensor<complex<f32>> {
  %z = keratin.complex %a, %b : (tensor<f32>, tensor<f32>) -> tensor<complex<f32>>
  %re = keratin.real %z : (tensor<complex<f32>>) -> tensor<f32>
  %l = keratin.mul %re, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %z : (tensor<f32>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %g : tensor<complex<f32>>
}

// -----

// CHECK-LABEL: func.func @one_truncate_defines_the_size
// CHECK:         keratin.truncate
// CHECK-NOT:     keratin.truncate
func.func @one_truncate_defines_the_size(%z: tensor<8xcomplex<f32>>, %n: tensor<i64>) -> tensor<?xcomplex<f32>, #keratin.dims<d0>> {
  %y = keratin.truncate %z, %n axis = 0 : (tensor<8xcomplex<f32>>, tensor<i64>) -> tensor<?xcomplex<f32>, #keratin.dims<d0>>
  return %y : tensor<?xcomplex<f32>, #keratin.dims<d0>>
}

// -----

// CHECK-LABEL: func.func @no_change_without_complex_numbers
// CHECK-NEXT:    return
func.func @no_change_without_complex_numbers(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
