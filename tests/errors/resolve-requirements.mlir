// RUN: keratin-opt %s --keratin-resolve-requirements --split-input-file --verify-diagnostics

func.func @negative_for_every_size() {
  // expected-error @below {{iota: the size -d0 - 1 is negative (-d0 - 1 and 0)}}
  %y = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<-1*d0 + -1>>
  return
}

// -----

func.func @box_never_fits(%x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{slice: dimension 0: the box leaves the size input_0_dim0 (input_0_dim0 and input_0_dim0 + 1)}}
  %y = keratin.slice %x starts = <1> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return
}

// -----

func.func @box_always_starts_before(%x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{slice: dimension 0: the box starts before the first element (-input_0_dim0 - 1 and 0)}}
  %y = keratin.slice %x starts = <-1*d0 + -1> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<1xf32>
  return
}

// -----

func.func @end_of_box_overflows(%x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{slice: dimension 0: the box leaves the size input_0_dim0 (a size does not fit 64 bits)}}
  %y = keratin.slice %x starts = <0> strides = [9223372036854775807] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<2*d0>>
  return
}

// -----

func.func @padded_never_fits(%x: tensor<?xf32, #keratin.dims<d0>>) {
  // expected-error @below {{pad: dimension 0: the box leaves the size input_0_dim0}}
  %y = keratin.pad %x low = <1> interior = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return
}

// -----

func.func @computed_box_never_fits(%x: tensor<?xf32, #keratin.dims<d0>>, %s: tensor<i64>) {
  // expected-error @below {{dynamic_slice: a box of (input_0_dim0 + 1,) does not fit (input_0_dim0,)}}
  %y = keratin.dynamic_slice %x, %s : (tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0 + 1>>
  return
}

// -----

func.func @counts_never_agree(%x: tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  // expected-error @below {{reshape: (input_0_dim0, 2) cannot take the shape (2*input_0_dim0 + 1,) (2*input_0_dim0 and 2*input_0_dim0 + 1)}}
  %y = keratin.reshape %x : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?xf32, #keratin.dims<2*d0 + 1>>
  return
}

// -----

func.func @requirement_never_holds(%x: tensor<2xf32>) {
  // expected-error @below {{dot: the depths differ (3 and 4)}}
  %y = keratin.require equal #keratin.dims<d0, 3> #keratin.dims<d0, 4> "dot: the depths differ" %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}
