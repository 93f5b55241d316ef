// What compile_bench compiles, one function at a time.

// Three operations, element by element, with a broadcast.
func.func @elementwise(
    %x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
    %b: tensor<64xf32> {keratin.kind = "input", keratin.name = "b"}) -> (
    tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "output"}) {
  %0 = keratin.broadcast %b dims = [1] : (tensor<64xf32>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %1 = keratin.add %x, %0 : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %2 = keratin.tanh %1 : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %3 = keratin.constant dense<0.5> : tensor<f32>
  %4 = keratin.broadcast %3 dims = [] : (tensor<f32>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %5 = keratin.mul %2, %4 : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  return %5 : tensor<?x64xf32, #keratin.dims<d0, 64>>
}

// Three operations over one run.
func.func @flat(
    %x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
    %y: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "y"}) -> (
    tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"}) {
  %0 = keratin.add %x, %y : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.mul %0, %x : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.constant dense<0.0> : tensor<f32>
  %3 = keratin.broadcast %2 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.maximum %1, %3 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %4 : tensor<?xf32, #keratin.dims<d0>>
}

// Four reductions along different axes.
func.func @reductions(
    %x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"}) -> (
    tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"},
    tensor<64xf32> {keratin.kind = "output"},
    tensor<f32> {keratin.kind = "output"},
    tensor<64xf32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.reduce_max %x axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  %2 = keratin.reduce_min %x axes = [0, 1] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<f32>
  %3 = keratin.mul %x, %x : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %4 = keratin.reduce_sum %3 axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  return %0, %1, %2, %4 : tensor<?xf32, #keratin.dims<d0>>, tensor<64xf32>, tensor<f32>, tensor<64xf32>
}

func.func @softmax(
    %x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"}) -> (
    tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.exp %2 : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %6 = keratin.div %3, %5 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %6 : tensor<?x?xf32, #keratin.dims<d0, d1>>
}

func.func @layernorm(
    %x: tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "input", keratin.name = "x"},
    %gamma: tensor<256xf32> {keratin.kind = "input", keratin.name = "gamma"},
    %beta: tensor<256xf32> {keratin.kind = "input", keratin.name = "beta"}) -> (
    tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.constant dense<0.00390625> : tensor<f32>
  %2 = keratin.broadcast %1 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %3 = keratin.mul %0, %2 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.broadcast %3 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %5 = keratin.sub %x, %4 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %6 = keratin.mul %5, %5 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %7 = keratin.reduce_sum %6 axes = [1] : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?xf32, #keratin.dims<d0>>
  %8 = keratin.constant dense<0.00390625> : tensor<f32>
  %9 = keratin.broadcast %8 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %10 = keratin.mul %7, %9 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %11 = keratin.constant dense<1.0e-5> : tensor<f32>
  %12 = keratin.broadcast %11 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %13 = keratin.add %10, %12 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %14 = keratin.rsqrt %13 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %15 = keratin.broadcast %14 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %16 = keratin.mul %5, %15 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %17 = keratin.broadcast %gamma dims = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %18 = keratin.mul %16, %17 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %19 = keratin.broadcast %beta dims = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %20 = keratin.add %18, %19 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  return %20 : tensor<?x256xf32, #keratin.dims<d0, 256>>
}

// A contraction with bias and activation.
func.func @dense(
    %x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x256xf32> {keratin.kind = "input", keratin.name = "w"},
    %b: tensor<256xf32> {keratin.kind = "input", keratin.name = "b"}) -> (
    tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "output"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<64x256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %1 = keratin.broadcast %b dims = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %2 = keratin.add %0, %1 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %3 = keratin.constant dense<0.0> : tensor<f32>
  %4 = keratin.broadcast %3 dims = [] : (tensor<f32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %5 = keratin.maximum %2, %4 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  return %5 : tensor<?x256xf32, #keratin.dims<d0, 256>>
}

func.func @transpose(
    %x: tensor<?x24x?xf32, #keratin.dims<d0, 24, d1>> {keratin.kind = "input", keratin.name = "x"}) -> (
    tensor<?x?x24xf32, #keratin.dims<d1, d0, 24>> {keratin.kind = "output"}) {
  %0 = keratin.transpose %x permutation = [2, 0, 1] : (tensor<?x24x?xf32, #keratin.dims<d0, 24, d1>>) -> tensor<?x?x24xf32, #keratin.dims<d1, d0, 24>>
  return %0 : tensor<?x?x24xf32, #keratin.dims<d1, d0, 24>>
}

// A training step of a perceptron: three layers, softmax, cross entropy, Adam.
func.func @mlp_step(
    %x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
    %t: tensor<?x10xf32, #keratin.dims<d0, 10>> {keratin.kind = "input", keratin.name = "t"},
    %w0: tensor<64x256xf32> {keratin.kind = "variable", keratin.name = "w0"},
    %b0: tensor<256xf32> {keratin.kind = "variable", keratin.name = "b0"},
    %w1: tensor<256x128xf32> {keratin.kind = "variable", keratin.name = "w1"},
    %b1: tensor<128xf32> {keratin.kind = "variable", keratin.name = "b1"},
    %w2: tensor<128x10xf32> {keratin.kind = "variable", keratin.name = "w2"},
    %b2: tensor<10xf32> {keratin.kind = "variable", keratin.name = "b2"},
    %mw0: tensor<64x256xf32> {keratin.kind = "variable", keratin.name = "mw0"},
    %mb0: tensor<256xf32> {keratin.kind = "variable", keratin.name = "mb0"},
    %mw1: tensor<256x128xf32> {keratin.kind = "variable", keratin.name = "mw1"},
    %mb1: tensor<128xf32> {keratin.kind = "variable", keratin.name = "mb1"},
    %mw2: tensor<128x10xf32> {keratin.kind = "variable", keratin.name = "mw2"},
    %mb2: tensor<10xf32> {keratin.kind = "variable", keratin.name = "mb2"},
    %vw0: tensor<64x256xf32> {keratin.kind = "variable", keratin.name = "vw0"},
    %vb0: tensor<256xf32> {keratin.kind = "variable", keratin.name = "vb0"},
    %vw1: tensor<256x128xf32> {keratin.kind = "variable", keratin.name = "vw1"},
    %vb1: tensor<128xf32> {keratin.kind = "variable", keratin.name = "vb1"},
    %vw2: tensor<128x10xf32> {keratin.kind = "variable", keratin.name = "vw2"},
    %vb2: tensor<10xf32> {keratin.kind = "variable", keratin.name = "vb2"},
    %step: tensor<f32> {keratin.kind = "variable", keratin.name = "step"}) -> (
    tensor<f32> {keratin.kind = "output"},
    tensor<64x256xf32> {keratin.kind = "update", keratin.variable = 0 : i32},
    tensor<64x256xf32> {keratin.kind = "update", keratin.variable = 6 : i32},
    tensor<64x256xf32> {keratin.kind = "update", keratin.variable = 12 : i32},
    tensor<256xf32> {keratin.kind = "update", keratin.variable = 1 : i32},
    tensor<256xf32> {keratin.kind = "update", keratin.variable = 7 : i32},
    tensor<256xf32> {keratin.kind = "update", keratin.variable = 13 : i32},
    tensor<256x128xf32> {keratin.kind = "update", keratin.variable = 2 : i32},
    tensor<256x128xf32> {keratin.kind = "update", keratin.variable = 8 : i32},
    tensor<256x128xf32> {keratin.kind = "update", keratin.variable = 14 : i32},
    tensor<128xf32> {keratin.kind = "update", keratin.variable = 3 : i32},
    tensor<128xf32> {keratin.kind = "update", keratin.variable = 9 : i32},
    tensor<128xf32> {keratin.kind = "update", keratin.variable = 15 : i32},
    tensor<128x10xf32> {keratin.kind = "update", keratin.variable = 4 : i32},
    tensor<128x10xf32> {keratin.kind = "update", keratin.variable = 10 : i32},
    tensor<128x10xf32> {keratin.kind = "update", keratin.variable = 16 : i32},
    tensor<10xf32> {keratin.kind = "update", keratin.variable = 5 : i32},
    tensor<10xf32> {keratin.kind = "update", keratin.variable = 11 : i32},
    tensor<10xf32> {keratin.kind = "update", keratin.variable = 17 : i32},
    tensor<f32> {keratin.kind = "update", keratin.variable = 18 : i32}) {
  %0 = keratin.dot_general %x, %w0 batch = [] x [] contract = [1] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<64x256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %1 = keratin.broadcast %b0 dims = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %2 = keratin.add %0, %1 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %3 = keratin.constant dense<0.0> : tensor<f32>
  %4 = keratin.broadcast %3 dims = [] : (tensor<f32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %5 = keratin.maximum %2, %4 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %6 = keratin.dot_general %5, %w1 batch = [] x [] contract = [1] x [0] : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<256x128xf32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %7 = keratin.broadcast %b1 dims = [1] : (tensor<128xf32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %8 = keratin.add %6, %7 : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %9 = keratin.constant dense<0.0> : tensor<f32>
  %10 = keratin.broadcast %9 dims = [] : (tensor<f32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %11 = keratin.maximum %8, %10 : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %12 = keratin.dot_general %11, %w2 batch = [] x [] contract = [1] x [0] : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<128x10xf32>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %13 = keratin.broadcast %b2 dims = [1] : (tensor<10xf32>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %14 = keratin.add %12, %13 : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %15 = keratin.reduce_max %14 axes = [1] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?xf32, #keratin.dims<d0>>
  %16 = keratin.broadcast %15 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %17 = keratin.sub %14, %16 : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %18 = keratin.exp %17 : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %19 = keratin.reduce_sum %18 axes = [1] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?xf32, #keratin.dims<d0>>
  %20 = keratin.broadcast %19 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %21 = keratin.div %18, %20 : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %22 = keratin.constant dense<1.0e-7> : tensor<f32>
  %23 = keratin.broadcast %22 dims = [] : (tensor<f32>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %24 = keratin.maximum %21, %23 : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %25 = keratin.log %24 : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %26 = keratin.mul %t, %25 : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %27 = keratin.reduce_sum %26 axes = [0, 1] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<f32>
  %28 = keratin.neg %27 : (tensor<f32>) -> tensor<f32>
  %29 = keratin.sub %21, %t : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  %30 = keratin.dot_general %11, %29 batch = [] x [] contract = [0] x [0] : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<128x10xf32>
  %31 = keratin.reduce_sum %29 axes = [0] : (tensor<?x10xf32, #keratin.dims<d0, 10>>) -> tensor<10xf32>
  %32 = keratin.dot_general %29, %w2 batch = [] x [] contract = [1] x [1] : (tensor<?x10xf32, #keratin.dims<d0, 10>>, tensor<128x10xf32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %33 = keratin.constant dense<0.0> : tensor<f32>
  %34 = keratin.broadcast %33 dims = [] : (tensor<f32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %35 = keratin.compare gt %11, %34 : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<?x128xi1, #keratin.dims<d0, 128>>
  %36 = keratin.constant dense<0.0> : tensor<f32>
  %37 = keratin.broadcast %36 dims = [] : (tensor<f32>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %38 = keratin.select %35, %32, %37 : (tensor<?x128xi1, #keratin.dims<d0, 128>>, tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<?x128xf32, #keratin.dims<d0, 128>>
  %39 = keratin.dot_general %5, %38 batch = [] x [] contract = [0] x [0] : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<256x128xf32>
  %40 = keratin.reduce_sum %38 axes = [0] : (tensor<?x128xf32, #keratin.dims<d0, 128>>) -> tensor<128xf32>
  %41 = keratin.dot_general %38, %w1 batch = [] x [] contract = [1] x [1] : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<256x128xf32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %42 = keratin.constant dense<0.0> : tensor<f32>
  %43 = keratin.broadcast %42 dims = [] : (tensor<f32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %44 = keratin.compare gt %5, %43 : (tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xi1, #keratin.dims<d0, 256>>
  %45 = keratin.constant dense<0.0> : tensor<f32>
  %46 = keratin.broadcast %45 dims = [] : (tensor<f32>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %47 = keratin.select %44, %41, %46 : (tensor<?x256xi1, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %48 = keratin.dot_general %x, %47 batch = [] x [] contract = [0] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<64x256xf32>
  %49 = keratin.reduce_sum %47 axes = [0] : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<256xf32>
  %50 = keratin.constant dense<1.0> : tensor<f32>
  %51 = keratin.add %step, %50 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %52 = keratin.constant dense<1.0> : tensor<f32>
  %53 = keratin.constant dense<0.9> : tensor<f32>
  %54 = keratin.pow %53, %51 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %55 = keratin.sub %52, %54 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %56 = keratin.constant dense<0.999> : tensor<f32>
  %57 = keratin.pow %56, %51 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %58 = keratin.sub %52, %57 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %59 = keratin.constant dense<0.001> : tensor<f32>
  %60 = keratin.sqrt %58 : (tensor<f32>) -> tensor<f32>
  %61 = keratin.mul %59, %60 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %62 = keratin.div %61, %55 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %63 = keratin.constant dense<0.9> : tensor<f32>
  %64 = keratin.broadcast %63 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %65 = keratin.mul %mw0, %64 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %66 = keratin.constant dense<0.1> : tensor<f32>
  %67 = keratin.broadcast %66 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %68 = keratin.mul %48, %67 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %69 = keratin.add %65, %68 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %70 = keratin.constant dense<0.999> : tensor<f32>
  %71 = keratin.broadcast %70 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %72 = keratin.mul %vw0, %71 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %73 = keratin.mul %48, %48 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %74 = keratin.constant dense<0.001> : tensor<f32>
  %75 = keratin.broadcast %74 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %76 = keratin.mul %73, %75 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %77 = keratin.add %72, %76 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %78 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %79 = keratin.mul %69, %78 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %80 = keratin.sqrt %77 : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %81 = keratin.constant dense<1.0e-8> : tensor<f32>
  %82 = keratin.broadcast %81 dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %83 = keratin.add %80, %82 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %84 = keratin.div %79, %83 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %85 = keratin.sub %w0, %84 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %86 = keratin.constant dense<0.9> : tensor<f32>
  %87 = keratin.broadcast %86 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %88 = keratin.mul %mb0, %87 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %89 = keratin.constant dense<0.1> : tensor<f32>
  %90 = keratin.broadcast %89 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %91 = keratin.mul %49, %90 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %92 = keratin.add %88, %91 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %93 = keratin.constant dense<0.999> : tensor<f32>
  %94 = keratin.broadcast %93 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %95 = keratin.mul %vb0, %94 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %96 = keratin.mul %49, %49 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %97 = keratin.constant dense<0.001> : tensor<f32>
  %98 = keratin.broadcast %97 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %99 = keratin.mul %96, %98 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %100 = keratin.add %95, %99 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %101 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %102 = keratin.mul %92, %101 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %103 = keratin.sqrt %100 : (tensor<256xf32>) -> tensor<256xf32>
  %104 = keratin.constant dense<1.0e-8> : tensor<f32>
  %105 = keratin.broadcast %104 dims = [] : (tensor<f32>) -> tensor<256xf32>
  %106 = keratin.add %103, %105 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %107 = keratin.div %102, %106 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %108 = keratin.sub %b0, %107 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %109 = keratin.constant dense<0.9> : tensor<f32>
  %110 = keratin.broadcast %109 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %111 = keratin.mul %mw1, %110 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %112 = keratin.constant dense<0.1> : tensor<f32>
  %113 = keratin.broadcast %112 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %114 = keratin.mul %39, %113 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %115 = keratin.add %111, %114 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %116 = keratin.constant dense<0.999> : tensor<f32>
  %117 = keratin.broadcast %116 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %118 = keratin.mul %vw1, %117 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %119 = keratin.mul %39, %39 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %120 = keratin.constant dense<0.001> : tensor<f32>
  %121 = keratin.broadcast %120 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %122 = keratin.mul %119, %121 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %123 = keratin.add %118, %122 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %124 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %125 = keratin.mul %115, %124 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %126 = keratin.sqrt %123 : (tensor<256x128xf32>) -> tensor<256x128xf32>
  %127 = keratin.constant dense<1.0e-8> : tensor<f32>
  %128 = keratin.broadcast %127 dims = [] : (tensor<f32>) -> tensor<256x128xf32>
  %129 = keratin.add %126, %128 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %130 = keratin.div %125, %129 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %131 = keratin.sub %w1, %130 : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  %132 = keratin.constant dense<0.9> : tensor<f32>
  %133 = keratin.broadcast %132 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %134 = keratin.mul %mb1, %133 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %135 = keratin.constant dense<0.1> : tensor<f32>
  %136 = keratin.broadcast %135 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %137 = keratin.mul %40, %136 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %138 = keratin.add %134, %137 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %139 = keratin.constant dense<0.999> : tensor<f32>
  %140 = keratin.broadcast %139 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %141 = keratin.mul %vb1, %140 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %142 = keratin.mul %40, %40 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %143 = keratin.constant dense<0.001> : tensor<f32>
  %144 = keratin.broadcast %143 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %145 = keratin.mul %142, %144 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %146 = keratin.add %141, %145 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %147 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %148 = keratin.mul %138, %147 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %149 = keratin.sqrt %146 : (tensor<128xf32>) -> tensor<128xf32>
  %150 = keratin.constant dense<1.0e-8> : tensor<f32>
  %151 = keratin.broadcast %150 dims = [] : (tensor<f32>) -> tensor<128xf32>
  %152 = keratin.add %149, %151 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %153 = keratin.div %148, %152 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %154 = keratin.sub %b1, %153 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %155 = keratin.constant dense<0.9> : tensor<f32>
  %156 = keratin.broadcast %155 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %157 = keratin.mul %mw2, %156 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %158 = keratin.constant dense<0.1> : tensor<f32>
  %159 = keratin.broadcast %158 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %160 = keratin.mul %30, %159 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %161 = keratin.add %157, %160 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %162 = keratin.constant dense<0.999> : tensor<f32>
  %163 = keratin.broadcast %162 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %164 = keratin.mul %vw2, %163 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %165 = keratin.mul %30, %30 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %166 = keratin.constant dense<0.001> : tensor<f32>
  %167 = keratin.broadcast %166 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %168 = keratin.mul %165, %167 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %169 = keratin.add %164, %168 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %170 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %171 = keratin.mul %161, %170 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %172 = keratin.sqrt %169 : (tensor<128x10xf32>) -> tensor<128x10xf32>
  %173 = keratin.constant dense<1.0e-8> : tensor<f32>
  %174 = keratin.broadcast %173 dims = [] : (tensor<f32>) -> tensor<128x10xf32>
  %175 = keratin.add %172, %174 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %176 = keratin.div %171, %175 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %177 = keratin.sub %w2, %176 : (tensor<128x10xf32>, tensor<128x10xf32>) -> tensor<128x10xf32>
  %178 = keratin.constant dense<0.9> : tensor<f32>
  %179 = keratin.broadcast %178 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %180 = keratin.mul %mb2, %179 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %181 = keratin.constant dense<0.1> : tensor<f32>
  %182 = keratin.broadcast %181 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %183 = keratin.mul %31, %182 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %184 = keratin.add %180, %183 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %185 = keratin.constant dense<0.999> : tensor<f32>
  %186 = keratin.broadcast %185 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %187 = keratin.mul %vb2, %186 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %188 = keratin.mul %31, %31 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %189 = keratin.constant dense<0.001> : tensor<f32>
  %190 = keratin.broadcast %189 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %191 = keratin.mul %188, %190 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %192 = keratin.add %187, %191 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %193 = keratin.broadcast %62 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %194 = keratin.mul %184, %193 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %195 = keratin.sqrt %192 : (tensor<10xf32>) -> tensor<10xf32>
  %196 = keratin.constant dense<1.0e-8> : tensor<f32>
  %197 = keratin.broadcast %196 dims = [] : (tensor<f32>) -> tensor<10xf32>
  %198 = keratin.add %195, %197 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %199 = keratin.div %194, %198 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %200 = keratin.sub %b2, %199 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return %28, %85, %69, %77, %108, %92, %100, %131, %115, %123, %154, %138, %146, %177, %161, %169, %200, %184, %192, %51 : tensor<f32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x128xf32>, tensor<256x128xf32>, tensor<256x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x10xf32>, tensor<128x10xf32>, tensor<128x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<f32>
}
