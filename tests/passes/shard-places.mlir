// RUN: keratin-opt %s --split-input-file --keratin-differentiate --keratin-shard --verify-diagnostics | FileCheck %s

// Places among samples * classes rows count from the rank's first sample: it picks its own rows, and adds to its own. A place of another rank's row is an error of the call.
// CHECK-LABEL: func.func @rows_of_own_samples
// CHECK-NOT:     all_
// CHECK:         %[[SAMPLE:.*]] = keratin.iota {axis = 0 : i64} : tensor<?x3xi64, #keratin.dims<d0, 3>>
// CHECK:         %[[FIRST:.*]] = keratin.mul %[[SAMPLE]]
// CHECK:         %[[PLACES:.*]] = keratin.add %[[FIRST]], %arg1
// CHECK-NEXT:    %[[CHECKED:.*]] = keratin.check_range %[[PLACES]] lower = <0> upper = <5*d0> "gather: an index is outside the rows that its rank has"
// CHECK:         keratin.gather {{.*}}, %[[CHECKED]]
// CHECK:         keratin.scatter_add %[[CHECKED]]
// CHECK-NOT:     all_
// CHECK:         return
func.func @rows_of_own_samples(%x: tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>> {keratin.sharded = 0 : i64},
    %classes: tensor<?x3xi64, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64})
    -> (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>) {
  %list = keratin.reshape %x : (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>) -> tensor<?x2xf32, #keratin.dims<5*d0, 2>>
  %sample = keratin.iota {axis = 0 : i64} : tensor<?x3xi64, #keratin.dims<d0, 3>>
  %five = keratin.constant dense<5> : tensor<i64>
  %fives = keratin.broadcast %five dims = [] : (tensor<i64>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %first = keratin.mul %sample, %fives : (tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %places = keratin.add %first, %classes : (tensor<?x3xi64, #keratin.dims<d0, 3>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  %y = keratin.gather %list, %places : (tensor<?x2xf32, #keratin.dims<5*d0, 2>>, tensor<?x3xi64, #keratin.dims<d0, 3>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %z = keratin.tanh %y : (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %g = keratin.gradients %z wrt %x : (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>) -> tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>
  return %z, %g : tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>, tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>
}

// Where ops may have all parts, places are those of the whole if the list is in another order than that of ranks.
// CHECK-LABEL: func.func @a_list_in_another_order_gathered
// CHECK:         keratin.all_gather {{.*}} -> tensor<?x5xf32, #keratin.dims<d1, 5>>
// CHECK-NEXT:    %[[ALL:.*]] = keratin.transpose {{.*}} -> tensor<5x?xf32, #keratin.dims<5, d1>>
// CHECK:         %[[LIST:.*]] = keratin.reshape %[[ALL]] {{.*}} -> tensor<?xf32, #keratin.dims<5*d1>>
// CHECK:         keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d1>>
// CHECK:         %[[PLACES:.*]] = keratin.all_gather {{.*}} -> tensor<?xi64, #keratin.dims<d1>>
// CHECK:         keratin.gather %[[LIST]], %[[PLACES]]
// CHECK-NOT:     check_range
// CHECK:         return
func.func @a_list_in_another_order_gathered(%x: tensor<5x?xf32, #keratin.dims<5, d0>> {keratin.name = "x", keratin.sharded = 1 : i64}) -> tensor<f32> attributes {keratin.gathers_parts} {
  %list = keratin.reshape %x : (tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<?xf32, #keratin.dims<5*d0>>
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %five = keratin.constant dense<5> : tensor<i64>
  %fives = keratin.broadcast %five dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %places = keratin.mul %sample, %fives : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.gather %list, %places : (tensor<?xf32, #keratin.dims<5*d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %y axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %s : tensor<f32>
}

// How many rows a sample has may be known to the call alone; samples may be picked from the last on.
// CHECK-LABEL: func.func @as_many_as_the_call_says
// CHECK-NOT:     all_
// CHECK:         keratin.check_range {{.*}} upper = <d0*d1> "gather: an index is outside the rows that its rank has"
// CHECK-NOT:     all_
// CHECK:         return
func.func @as_many_as_the_call_says(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.sharded = 0 : i64},
    %classes: tensor<?xi32, #keratin.dims<d0>> {keratin.sharded = 0 : i64}) -> tensor<?xf32, #keratin.dims<d0>> {
  %list = keratin.reshape %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0*d1>>
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d0>>
  %count = keratin.dim %x {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<i32>
  %counts = keratin.broadcast %count dims = [] : (tensor<i32>) -> tensor<?xi32, #keratin.dims<d0>>
  %first = keratin.mul %counts, %sample : (tensor<?xi32, #keratin.dims<d0>>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?xi32, #keratin.dims<d0>>
  %end = keratin.add %first, %counts : (tensor<?xi32, #keratin.dims<d0>>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?xi32, #keratin.dims<d0>>
  %places = keratin.sub %end, %classes : (tensor<?xi32, #keratin.dims<d0>>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?xi32, #keratin.dims<d0>>
  %y = keratin.gather %list, %places : (tensor<?xf32, #keratin.dims<d0*d1>>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// What else is made of places needs those of the whole.
func.func @a_place_is_returned(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.name = "x", keratin.sharded = 0 : i64})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?xi64, #keratin.dims<d0>>) {
  // expected-error @+1 {{not implemented: iota along 'x_dim0', of which each rank has a part; needed gather_parts}}
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.gather %x, %sample : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y, %sample : tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?xi64, #keratin.dims<d0>>
}

// -----

// Row 4 * s of a list of 5 a sample is another sample's.
func.func @another_number_of_rows(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?xf32, #keratin.dims<d0>> {
  %list = keratin.reshape %x : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?xf32, #keratin.dims<5*d0>>
  // expected-error @+1 {{not implemented: iota along 'x_dim0', of which each rank has a part; needed gather_parts}}
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %four = keratin.constant dense<4> : tensor<i64>
  %fours = keratin.broadcast %four dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %places = keratin.mul %sample, %fours : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.gather %list, %places : (tensor<?xf32, #keratin.dims<5*d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// With classes in front of samples a rank's rows are not one behind the other: how many samples there are is no number of a rank's.
func.func @samples_behind_classes(%x: tensor<5x?xf32, #keratin.dims<5, d0>> {keratin.name = "x", keratin.sharded = 1 : i64},
    %classes: tensor<?xi64, #keratin.dims<d0>> {keratin.sharded = 0 : i64}) -> tensor<f32> {
  // expected-error @+1 {{not implemented: iota along 'x_dim1', of which each rank has a part; needed gather_parts}}
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %list = keratin.reshape %x : (tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<?xf32, #keratin.dims<5*d0>>
  %count = keratin.dim %x {axis = 1 : i64} : (tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<i64>
  %counts = keratin.broadcast %count dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %first = keratin.mul %classes, %counts : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %places = keratin.add %first, %sample : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.gather %list, %places : (tensor<?xf32, #keratin.dims<5*d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %y axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Nor are they where the list is one of places * classes, with places in front: a place is one of the list's rows, but its sample is another.
func.func @a_list_in_another_order(%x: tensor<5x?xf32, #keratin.dims<5, d0>> {keratin.name = "x", keratin.sharded = 1 : i64}) -> tensor<f32> {
  %list = keratin.reshape %x : (tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<?xf32, #keratin.dims<5*d0>>
  // expected-error @+1 {{not implemented: iota along 'x_dim1', of which each rank has a part; needed gather_parts}}
  %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %five = keratin.constant dense<5> : tensor<i64>
  %fives = keratin.broadcast %five dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %places = keratin.mul %sample, %fives : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.gather %list, %places : (tensor<?xf32, #keratin.dims<5*d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %y axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %s : tensor<f32>
}
