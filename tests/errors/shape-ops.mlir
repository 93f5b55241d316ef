// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @reshape_element_type(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.reshape' op operand and result must have the same element type}}
  %y = keratin.reshape %x : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @reshape_count(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.reshape' op cannot give (4,) with 4 elements the shape (2, 3) with 6}}
  %y = keratin.reshape %x : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_element_type(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.broadcast' op operand and result must have the same element type}}
  %y = keratin.broadcast %x dims = [1] : (tensor<4xf32>) -> tensor<2x4xf64>
  return
}

// -----

func.func @broadcast_needs_each_dimension(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.broadcast' op dims must name one dimension of the result for each of the 1 of the operand}}
  %y = keratin.broadcast %x dims = [] : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_outside_the_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.broadcast' op dims must ascend inside the rank of the result, found 2}}
  %y = keratin.broadcast %x dims = [2] : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_never_transposes(%x: tensor<2x4xf32>) {
  // expected-error @below {{'keratin.broadcast' op dims must ascend inside the rank of the result, found 0}}
  %y = keratin.broadcast %x dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_of_another_size(%x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{'keratin.broadcast' op dimension 0 has size d0; it must be 1 or 4}}
  %y = keratin.broadcast %x dims = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x4xf32>
  return
}

// -----

func.func @transpose_length(%x: tensor<2x4xf32>) {
  // expected-error @below {{transpose: the permutation must have 2 entries}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.transpose %x permutation = [0] : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_twice_the_same(%x: tensor<2x4xf32>) {
  // expected-error @below {{transpose: not a permutation of the dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.transpose %x permutation = [0, 0] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_outside_the_rank(%x: tensor<2xf32>) {
  // expected-error @below {{transpose: not a permutation of the dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.transpose %x permutation = [-1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_element_type(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op operand and result must have the same element type and rank}}
  %y = keratin.slice %x starts = <0> strides = [1] : (tensor<4xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @slice_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op operand and result must have the same element type and rank}}
  %y = keratin.slice %x starts = <0> strides = [1] : (tensor<4xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @slice_starts(%x: tensor<4x4xf32>) {
  // expected-error @below {{'keratin.slice' op needs one start and one stride for each of the 2 dimensions}}
  %y = keratin.slice %x starts = <0> strides = [1, 1] : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op stride 0 must be positive}}
  %y = keratin.slice %x starts = <0> strides = [0] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op start -1 must not be negative}}
  %y = keratin.slice %x starts = <-1> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_leaves(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op dimension 0: the box leaves the operand's size 4}}
  %y = keratin.slice %x starts = <2> strides = [2] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// The last place is beyond 64 bits.
func.func @slice_leaves_far(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.slice' op dimension 0: the box leaves the operand's size 4}}
  %y = keratin.slice %x starts = <2> strides = [9223372036854775807] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op operand and result must have the same element type and rank}}
  %y = keratin.pad %x low = <0> interior = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @pad_lengths(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op needs one low and one interior padding for each of the 1 dimensions}}
  %y = keratin.pad %x low = <0, 0> interior = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_low(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op padding must not be negative}}
  %y = keratin.pad %x low = <-1> interior = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_interior(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op padding must not be negative}}
  %y = keratin.pad %x low = <0> interior = [-1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_interior_too_large(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op interior padding is too large}}
  %y = keratin.pad %x low = <0> interior = [9223372036854775807] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_does_not_fit(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.pad' op dimension 0: the padded operand does not fit the result's size 7}}
  %y = keratin.pad %x low = <1> interior = [1] : (tensor<4xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @concatenate_nothing() {
  // expected-error @below {{concatenate: needs at least one operand}}
  // expected-error @below {{failed to infer returned types}}
  %y = "keratin.concatenate"() {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concatenate_axis(%x: tensor<2xf32>) {
  // expected-error @below {{concatenate: axis 1 is outside the rank of 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.concatenate %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concatenate_element_types(%x: tensor<2xf32>, %z: tensor<2xf64>) {
  // expected-error @below {{concatenate: operands must have the same rank and element type}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.concatenate %x, %z {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_sizes(%x: tensor<2x?xf32, #keratin.dims<2, d0>>, %z: tensor<2x3xf32>) {
  // expected-error @below {{concatenate: dimension 1 has sizes d0 and 3; they must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.concatenate %x, %z {axis = 0 : i64} : (tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concatenate_too_long(%x: tensor<9223372036854775807xi8>) {
  // expected-error @below {{concatenate: the size along the axis does not fit 64 bits}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.concatenate %x, %x {axis = 0 : i64} : (tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @reverse_axis(%x: tensor<2xf32>) {
  // expected-error @below {{reverse: axis 1 is outside the rank of 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.reverse %x axes = [1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reverse_twice(%x: tensor<2xf32>) {
  // expected-error @below {{reverse: axis 0 is named twice}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.reverse %x axes = [0, 0] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_from_scalar(%x: tensor<f32>, %i: tensor<2xi32>) {
  // expected-error @below {{gather: the reference must have at least one dimension}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.gather %x, %i : (tensor<f32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_by_floats(%x: tensor<2xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{operand #1 must be ranked tensor of}}
  %y = keratin.gather %x, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_into_scalar(%i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error @below {{'keratin.scatter_add' op the result needs at least one dimension and the updates' element type}}
  %y = keratin.scatter_add %i, %u : (tensor<2xi32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @scatter_other_rows(%i: tensor<2xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'keratin.scatter_add' op the updates have shape (2, 3); it must be (2, 4)}}
  %y = keratin.scatter_add %i, %u : (tensor<2xi32>, tensor<2x3xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @scatter_max_other_type(%i: tensor<2xi32>, %u: tensor<2xf64>) {
  // expected-error @below {{'keratin.scatter_max' op the result needs at least one dimension and the updates' element type}}
  %y = keratin.scatter_max %i, %u : (tensor<2xi32>, tensor<2xf64>) -> tensor<5xf32>
  return
}

// -----

func.func @scatter_last_other_type(%i: tensor<2xi32>, %u: tensor<2xi64>) {
  // expected-error @below {{'keratin.scatter_last' op the result needs at least one dimension and the updates' element type}}
  %y = keratin.scatter_last %i, %u : (tensor<2xi32>, tensor<2xi64>) -> tensor<5xi32>
  return
}

// -----

func.func @box_starts(%x: tensor<4x4xf32>, %s: tensor<i64>) {
  // expected-error @below {{'keratin.dynamic_slice' op needs equal element types and ranks, and one start a dimension}}
  %y = keratin.dynamic_slice %x, %s : (tensor<4x4xf32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @box_start_is_scalar(%x: tensor<4xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{'keratin.dynamic_slice' op starts must be scalars, found 'tensor<1xi64>'}}
  %y = keratin.dynamic_slice %x, %s : (tensor<4xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @box_does_not_fit(%x: tensor<5xf32>, %s: tensor<i64>) {
  // expected-error @below {{'keratin.dynamic_unslice' op dimension 0: a box of 5 does not fit 4}}
  %y = keratin.dynamic_unslice %x, %s : (tensor<5xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @check_range_bounds(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @below {{'keratin.check_range' op needs one lower and one upper bound}}
  %y = keratin.check_range %x lower = #keratin.dims<0, 1> upper = #keratin.dims<2> "m" : tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @truncate_types(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xi32, #keratin.dims<d0>> {
  // expected-error @below {{operand and result must have the same element type and rank}}
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<?xi32, #keratin.dims<d0>>
  return %y : tensor<?xi32, #keratin.dims<d0>>
}

// -----

func.func @truncate_axis(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @below {{axis 1 is outside the rank of}}
  %y = keratin.truncate %x, %n axis = 1 : (tensor<4xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @truncate_size(%x: tensor<4xf32>, %n: tensor<2xi64>) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @below {{the size must be a scalar, found}}
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @truncate_other_dimension(%x: tensor<4x2xf32>, %n: tensor<i64>) -> tensor<?x3xf32, #keratin.dims<d0, 3>> {
  // expected-error @below {{dimension 1 has sizes 2 and 3; they must be equal}}
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4x2xf32>, tensor<i64>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

// -----

func.func @truncate_no_symbol(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  // expected-error @below {{the size along the axis must be a symbol, found 3}}
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @truncate_known_symbol(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @below {{defines d0, which another size has already}}
  %y = keratin.truncate %x, %n axis = 0 : (tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @define_size_of_vector(%n: tensor<2xi64>) {
  // expected-error @below {{the size must be a scalar, found}}
  keratin.define_size 3 %n at_most <8> : tensor<2xi64>
  return
}

// -----

func.func @define_size_too_large(%n: tensor<i64>) {
  // expected-error @below {{a symbol's number is below 2^62, found 9223372036854775807}}
  keratin.define_size 9223372036854775807 %n at_most <8> : tensor<i64>
  return
}

// -----

func.func @define_size_negative(%n: tensor<i64>) {
  // expected-error @below {{a symbol has no negative number, found -1}}
  keratin.define_size -1 %n at_most <8> : tensor<i64>
  return
}

// -----

func.func @define_size_bounds(%n: tensor<i64>) {
  // expected-error @below {{needs one bound}}
  keratin.define_size 3 %n at_most <8, 9> : tensor<i64>
  return
}
