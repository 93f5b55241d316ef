// RUN: keratin-opt %s --keratin-hoist-contractions | FileCheck %s

// The bias goes along: it is added where the product is written. The state's own product stays.
// CHECK-LABEL: func.func @the_input_of_a_recurrent_net
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %[[H:[a-z0-9]+]]: tensor<2x4xf32>, %[[W:[a-z0-9]+]]: tensor<3x4xf32>, %[[U:[a-z0-9]+]]: tensor<4x4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:         %[[D:.*]] = keratin.dot_general %[[X]], %[[W]] batch = [] x [] contract = [2] x [0]
// CHECK:         %[[A:.*]] = keratin.add %[[D]], %{{.*}} -> tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>
// CHECK-NEXT:    keratin.scan length = <d0> init(%[[H]]) over(%[[A]]) with(%[[U]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<2x4xf32>, %[[E:.*]]: tensor<2x4xf32>, %[[V:.*]]: tensor<4x4xf32>):
// CHECK-NEXT:      %[[P:.*]] = keratin.dot_general %[[S]], %[[V]]
// CHECK-NEXT:      keratin.add %[[E]], %[[P]]
func.func @the_input_of_a_recurrent_net(%x: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %h: tensor<2x4xf32>, %w: tensor<3x4xf32>,
                                        %u: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w, %u, %b)
      : (tensor<2x4xf32>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x3xf32>, %p: tensor<3x4xf32>, %q: tensor<4x4xf32>, %c: tensor<4xf32>):
    %1 = keratin.dot_general %e, %p batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %3 = keratin.add %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = keratin.dot_general %s, %q batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %5 = keratin.add %3, %4 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = keratin.tanh %5 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %6 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// What stands between element and contraction is done for all steps, by axes one further.
// CHECK-LABEL: func.func @through_moves_and_arithmetic
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<5x6x2xf16>,
// CHECK:         %[[T:.*]] = keratin.transpose %[[X]] permutation = [0, 2, 1]
// CHECK:         %[[S:.*]] = keratin.slice %[[T]] starts = <0, 0, 1> strides = [1, 1, 2]
// CHECK:         %[[P:.*]] = keratin.pad %[[S]] low = <0, 0, 1> interior = [0, 0, 0]
// CHECK:         %[[C:.*]] = keratin.cast %[[P]] : (tensor<5x2x4xf16>) -> tensor<5x2x4xf32>
// CHECK:         %[[N:.*]] = keratin.cast %{{.*}} : (tensor<5xi64>) -> tensor<5xf32>
// CHECK:         keratin.broadcast %[[N]] dims = [0] : (tensor<5xf32>) -> tensor<5x2x4xf32>
// CHECK:         %[[M:.*]] = keratin.mul %[[C]],
// CHECK:         %[[D:.*]] = keratin.dot_general %[[M]], %{{.*}} contract = [2] x [0]
// CHECK:         keratin.scan length = <5> init(%{{[a-z0-9]+}}) over(%[[D]]) with()
func.func @through_moves_and_arithmetic(%x: tensor<5x6x2xf16>, %h: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over(%x) with(%w) : (tensor<2x3xf32>, tensor<5x6x2xf16>, tensor<4x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x3xf32>, %e: tensor<6x2xf16>, %v: tensor<4x3xf32>):
    %1 = keratin.transpose %e permutation = [1, 0] : (tensor<6x2xf16>) -> tensor<2x6xf16>
    %2 = keratin.slice %1 starts = #keratin.dims<0, 1> strides = [1, 2] : (tensor<2x6xf16>) -> tensor<2x3xf16>
    %3 = keratin.pad %2 low = #keratin.dims<0, 1> interior = [0, 0] : (tensor<2x3xf16>) -> tensor<2x4xf16>
    %4 = keratin.cast %3 : (tensor<2x4xf16>) -> tensor<2x4xf32>
    %5 = keratin.cast %t : (tensor<i64>) -> tensor<f32>
    %6 = keratin.broadcast %5 dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %7 = keratin.mul %4, %6 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %8 = keratin.dot_general %7, %v batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %9 = keratin.mul %s, %8 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    keratin.yield %9 : tensor<2x3xf32>
  }
  return %0 : tensor<2x3xf32>
}

// The steps become rows behind the batch dimensions of the contraction, and are moved to the front.
// CHECK-LABEL: func.func @batch_dimensions_and_the_second_operand
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<5x7x3x4xf32>, %[[W:[a-z0-9]+]]: tensor<7x2x3xf32>,
// CHECK:         %[[D:.*]] = keratin.dot_general %[[W]], %[[X]] batch = [0] x [1] contract = [2] x [2] : {{.*}} -> tensor<7x2x5x4xf32>
// CHECK-NEXT:    keratin.transpose %[[D]] permutation = [2, 0, 1, 3]
func.func @batch_dimensions_and_the_second_operand(%x: tensor<5x7x3x4xf32>, %w: tensor<7x2x3xf32>, %h: tensor<7x2x4xf32>) -> tensor<7x2x4xf32> {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over(%x) with(%w) : (tensor<7x2x4xf32>, tensor<5x7x3x4xf32>, tensor<7x2x3xf32>) -> tensor<7x2x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<7x2x4xf32>, %e: tensor<7x3x4xf32>, %v: tensor<7x2x3xf32>):
    %1 = keratin.dot_general %v, %e batch = [0] x [0] contract = [2] x [1] : (tensor<7x2x3xf32>, tensor<7x3x4xf32>) -> tensor<7x2x4xf32>
    %2 = keratin.mul %s, %1 : (tensor<7x2x4xf32>, tensor<7x2x4xf32>) -> tensor<7x2x4xf32>
    keratin.yield %2 : tensor<7x2x4xf32>
  }
  return %0 : tensor<7x2x4xf32>
}

// Steps and samples are one batch.
// CHECK-LABEL: func.func @a_convolution_of_each_element
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x?x8x3xf32, #keratin.dims<d0, d1, 8, 3>>,
// CHECK:         %[[F:.*]] = keratin.reshape %[[X]] : {{.*}} -> tensor<?x8x3xf32, #keratin.dims<d0*d1, 8, 3>>
// CHECK-NEXT:    %[[C:.*]] = keratin.convolution %[[F]], %{{.*}} dims = "b0c,0cf->b0f"
// CHECK-NEXT:    %[[R:.*]] = keratin.reshape %[[C]] : {{.*}} -> tensor<?x?x8x4xf32, #keratin.dims<d0, d1, 8, 4>>
// CHECK:         keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over(%[[R]]) with()
func.func @a_convolution_of_each_element(%x: tensor<?x?x8x3xf32, #keratin.dims<d0, d1, 8, 3>>, %w: tensor<3x3x4xf32>,
                                         %h: tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>) -> tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w)
      : (tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>, tensor<?x?x8x3xf32, #keratin.dims<d0, d1, 8, 3>>, tensor<3x3x4xf32>) -> tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>> {
  ^bb0(%t: tensor<i64>, %s: tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>, %e: tensor<?x8x3xf32, #keratin.dims<d1, 8, 3>>, %v: tensor<3x3x4xf32>):
    %1 = keratin.convolution %e, %v dims = "b0c,0cf->b0f" strides = [1] low = #keratin.dims<1> x_dilation = [1] dilation = [1] reversed = [false]
        : (tensor<?x8x3xf32, #keratin.dims<d1, 8, 3>>, tensor<3x3x4xf32>) -> tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>
    %2 = keratin.mul %s, %1 : (tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>, tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>) -> tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>
    keratin.yield %2 : tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>
  }
  return %0 : tensor<?x8x4xf32, #keratin.dims<d1, 8, 4>>
}

// All steps of both loops are rows of one product.
// CHECK-LABEL: func.func @out_of_both_loops
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<5x7x3xf32>,
// CHECK-NEXT:    %[[D:.*]] = keratin.dot_general %[[X]], %{{.*}} contract = [2] x [0] : {{.*}} -> tensor<5x7x4xf32>
// CHECK-NEXT:    keratin.scan length = <5> init(%{{[a-z0-9]+}}) over(%[[D]]) with()
func.func @out_of_both_loops(%x: tensor<5x7x3xf32>, %w: tensor<3x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over(%x) with(%w) : (tensor<4xf32>, tensor<5x7x3xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<7x3xf32>, %v: tensor<3x4xf32>):
    %1 = keratin.scan length = #keratin.dims<7> reverse init(%s) over(%e) with(%v) : (tensor<4xf32>, tensor<7x3xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
    ^bb0(%u: tensor<i64>, %a: tensor<4xf32>, %f: tensor<3xf32>, %b: tensor<3x4xf32>):
      %2 = keratin.dot_general %f, %b batch = [] x [] contract = [0] x [0] : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
      %3 = keratin.mul %a, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %3 : tensor<4xf32>
    }
    keratin.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @products_of_two_elements_or_with_a_state_stay
// CHECK-NEXT:    keratin.scan
// CHECK-COUNT-2:   keratin.dot_general
func.func @products_of_two_elements_or_with_a_state_stay(%x: tensor<5x4x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over(%x) with(%w) : (tensor<4x4xf32>, tensor<5x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4x4xf32>, %e: tensor<4x4xf32>, %v: tensor<4x4xf32>):
    %1 = keratin.dot_general %e, %e batch = [] x [] contract = [0] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = keratin.add %1, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
