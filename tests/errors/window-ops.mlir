// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @convolution_without_windows(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{'keratin.convolution' op dims "bc,cf->bf": the result needs one to ten dimensions that windows slide along}}
  %y = keratin.convolution %x, %w dims = "bc,cf->bf" strides = [] low = <> x_dilation = [] dilation = [] reversed = [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @convolution_of_unknown_letters(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'z' names no dimension; they are b, c, f, g and digits without gaps}}
  %y = keratin.convolution %x, %w dims = "z0,0->b0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution_with_a_gap(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'1' names no dimension}}
  %y = keratin.convolution %x, %w dims = "b1,1->b1" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution_names_twice(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'b' occurs twice}}
  %y = keratin.convolution %x, %w dims = "bb0,0->b0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution_sums_what_it_keeps(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{'f' must be a dimension of the filter and the result}}
  %y = keratin.convolution %x, %w dims = "b0,0f->b0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution_window_of_x_alone(%x: tensor<2x3xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{'0' must be a dimension of x, the filter and the result}}
  %y = keratin.convolution %x, %w dims = "b0,f->b0f" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @convolution_batch_of_x_alone(%x: tensor<2x3xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{'b' must be a dimension of x and the result}}
  %y = keratin.convolution %x, %w dims = "b0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_contracts_alone(%x: tensor<2x3xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{'c' must be a dimension of x and the filter}}
  %y = keratin.convolution %x, %w dims = "c0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_element_types(%x: tensor<3xf32>, %w: tensor<3xf64>) {
  // expected-error @below {{'keratin.convolution' op x, filter and result must have the same element type}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_ranks(%x: tensor<3x1xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op dims "0,0->0" do not fit the ranks 2, 1 and 1}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3x1xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_lists(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{needs one low padding and one flag of reversal for each of the 1 windows}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <0, 0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_strides(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op strides has 0 entries, it needs 1}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_stride_zero(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op strides 0 is outside 1 to 2147483647}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [0] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_dilation_zero(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op dilation -1 is outside 1 to 2147483647}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [-1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_x_dilation_huge(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op x_dilation 2147483648 is outside 1 to 2147483647}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <0> x_dilation = [2147483648] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_channels(%x: tensor<3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{'keratin.convolution' op dimension 'c' has sizes 2 and 4; they must be equal}}
  %y = keratin.convolution %x, %w dims = "0c,0c->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_groups(%x: tensor<3x2xf32>, %w: tensor<3x2xf32>) {
  // expected-error @below {{'keratin.convolution' op dimension 'g' has sizes 2 and 3; they must be equal}}
  %y = keratin.convolution %x, %w dims = "0g,0g->0g" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @convolution_too_far(%x: tensor<3xf32>, %w: tensor<3xf32>) {
  // expected-error @below {{'keratin.convolution' op the positions that windows cover along dimension 0 do not fit 64 bits}}
  %y = keratin.convolution %x, %w dims = "0,0->0" strides = [1] low = <-9223372036854775807> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @convolution_of_nothing_too_far(%x: tensor<0x3xf32>, %w: tensor<1xf32>) {
  // expected-error @below {{'keratin.convolution' op the positions that windows cover along dimension 1 do not fit 64 bits}}
  %y = keratin.convolution %x, %w dims = "b0,0->b0" strides = [2147483647] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<0x3xf32>, tensor<1xf32>) -> tensor<0x9000000000xf32>
  return
}

// -----

func.func @window_sum_rank(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_sum' op operand and result must have the same rank}}
  %y = keratin.window_sum %x window = [1] strides = [1] low = <0> x_dilation = [1] : (tensor<3xf32>) -> tensor<3x1xf32>
  return
}

// -----

func.func @window_sum_element_type(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_sum' op operand and result must have the same element type}}
  %y = keratin.window_sum %x window = [1] strides = [1] low = <0> x_dilation = [1] : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

func.func @window_sum_low(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_sum' op low has 2 entries, it needs 1}}
  %y = keratin.window_sum %x window = [1] strides = [1] low = <0, 0> x_dilation = [1] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_sum_empty_window(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_sum' op window 0 is outside 1 to 2147483647}}
  %y = keratin.window_sum %x window = [0] strides = [1] low = <0> x_dilation = [1] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_sum_too_far(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_sum' op the positions that windows cover along dimension 0 do not fit 64 bits}}
  %y = keratin.window_sum %x window = [1] strides = [2147483647] low = <0> x_dilation = [1] : (tensor<3xf32>) -> tensor<?xf32, #keratin.dims<9000000000*d0>>
  return
}

// -----

func.func @window_max_bool(%x: tensor<3xi1>) {
  // expected-error @below {{operand #0 must be ranked tensor}}
  %y = keratin.window_max %x window = [1] strides = [1] low = <0> : (tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @window_max_element_type(%x: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_max' op operand and result must have the same element type}}
  %y = keratin.window_max %x window = [1] strides = [1] low = <0> : (tensor<3xf32>) -> tensor<3xf16>
  return
}

// -----

func.func @window_pick_element_type(%x: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_pick' op v and the result must have the same element type}}
  %y = keratin.window_pick %x, %v window = [1] strides = [1] low = <0> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf16>
  return
}

// -----

func.func @window_pick_shape(%x: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error @below {{'keratin.window_pick' op x and v must have the same shape, found (3,) and (4,)}}
  %y = keratin.window_pick %x, %v window = [1] strides = [1] low = <0> : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_scatter_element_type(%x: tensor<3xf32>, %v: tensor<3xi32>) {
  // expected-error @below {{'keratin.window_scatter' op v and the result must have the same element type}}
  %y = keratin.window_scatter %x, %v window = [1] strides = [1] low = <0> : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_scatter_shape(%x: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error @below {{'keratin.window_scatter' op x and the result must have the same shape, found (3,) and (4,)}}
  %y = keratin.window_scatter %x, %v window = [1] strides = [1] low = <0> : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @window_scatter_strides(%x: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{'keratin.window_scatter' op strides has 2 entries, it needs 1}}
  %y = keratin.window_scatter %x, %v window = [1] strides = [1, 1] low = <0> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}
