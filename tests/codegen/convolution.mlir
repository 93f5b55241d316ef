// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=9 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=0 --symbol=1=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=40 --mcpu=x86-64-v3 | FileCheck %s

// What follows a convolution, in the store of its tiles: forward with bias, residual and two results; depthwise, whose lanes lie along the groups; a result
// with channels first, whose lanes are far apart; a gradient with unknown sizes and its update.

// CHECK:      difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #2: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #3: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #4: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?x7x5xf32, #keratin.dims<d0, d1, 7, 5>>, %w: tensor<3x3x5x20xf32>, %b: tensor<20xf32>, %residual: tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>,
                %d: tensor<3x3x20xf32>, %g: tensor<20xf32>)
    -> (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>,
        tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>, tensor<3x3x5x20xf32>) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x?x7x5xf32, #keratin.dims<d0, d1, 7, 5>>, tensor<3x3x5x20xf32>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %bb = keratin.broadcast %b dims = [3] : (tensor<20xf32>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %1 = keratin.add %0, %bb : (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %2 = keratin.add %1, %residual : (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %3 = keratin.tanh %2 : (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %4 = keratin.convolution %3, %d dims = "b01g,01g->b01g" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<3x3x20xf32>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %gb = keratin.broadcast %g dims = [3] : (tensor<20xf32>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %5 = keratin.mul %4, %gb : (tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>) -> tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>
  %6 = keratin.convolution %x, %w dims = "b01c,01cf->bf01" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x?x7x5xf32, #keratin.dims<d0, d1, 7, 5>>, tensor<3x3x5x20xf32>) -> tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>
  %fb = keratin.broadcast %b dims = [1] : (tensor<20xf32>) -> tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>
  %7 = keratin.add %6, %fb : (tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>, tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>) -> tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>
  %8 = keratin.convolution %x, %residual dims = "c01b,c01f->01bf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x?x7x5xf32, #keratin.dims<d0, d1, 7, 5>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>) -> tensor<3x3x5x20xf32>
  %9 = keratin.sub %w, %8 : (tensor<3x3x5x20xf32>, tensor<3x3x5x20xf32>) -> tensor<3x3x5x20xf32>
  return %1, %3, %5, %7, %9 : tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>,
      tensor<?x?x7x20xf32, #keratin.dims<d0, d1, 7, 20>>, tensor<?x20x?x7xf32, #keratin.dims<d0, 20, d1, 7>>, tensor<3x3x5x20xf32>
}
