// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @rows(%x: tensor<f32>) {
  // expected-error @below {{'keratin.all_gather' op needs rows, found 'tensor<f32>'}}
  %y = keratin.all_gather %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @types(%x: tensor<3x2xf32>) {
  // expected-error @below {{'keratin.all_gather' op operand and result must have the same element type and rank}}
  %y = keratin.all_gather %x : tensor<3x2xf32> -> tensor<6x2xf64>
  return
}

// -----

func.func @sizes(%x: tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  // expected-error @below {{'keratin.reduce_scatter' op dimension 1 has sizes 2 and 3; they must be equal}}
  %y = keratin.reduce_scatter sum %x : tensor<?x2xf32, #keratin.dims<d0, 2>> -> tensor<1x3xf32>
  return
}

// -----

func.func @before(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.reduce_scatter' op has no parts of the sum before a rank}}
  %y = keratin.reduce_scatter before %x : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @mean(%x: tensor<4xi32>) {
  // expected-error @below {{'keratin.all_reduce' op mean needs floats, found 'i32'}}
  %y = keratin.all_reduce mean %x : tensor<4xi32>
  return
}

// -----

func.func @root(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.broadcast_from' op from rank -1; ranks are numbers from 0 on}}
  %y = keratin.broadcast_from %x root = -1 : tensor<4xf32>
  return
}

// -----

func.func @no_pairs(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.permute' op needs pairs of ranks, found 3 numbers}}
  %y = keratin.permute %x pairs = [0, 1, 2] : tensor<4xf32>
  return
}

// -----

func.func @negative(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.permute' op has rank -2 in a pair; ranks are numbers from 0 on}}
  %y = keratin.permute %x pairs = [0, -2] : tensor<4xf32>
  return
}

// -----

func.func @twice(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.permute' op has two pairs in which rank 0 sends}}
  %y = keratin.permute %x pairs = [0, 1, 0, 2] : tensor<4xf32>
  return
}

// -----

func.func @no_axis(%x: tensor<4xf32>) {
  // expected-error @below {{attribute 'mesh_axis' failed to satisfy constraint: the name of an axis of a mesh}}
  %y = keratin.all_reduce sum %x along "" : tensor<4xf32>
  return
}

// -----

func.func @received_twice(%x: tensor<4xf32>) {
  // expected-error @below {{'keratin.permute' op has two pairs in which rank 1 receives}}
  %y = keratin.permute %x pairs = [0, 1, 2, 1] : tensor<4xf32>
  return
}
