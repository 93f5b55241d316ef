// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<2x3xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{needs logits of rank 3 and a length for each of their samples, found}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return
}

// -----

func.func @lengths(%x: tensor<2x3x4xf32>, %n: tensor<3xi32>) {
  // expected-error @below {{needs logits of rank 3 and a length for each of their samples, found}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3x4xf32>, tensor<3xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return
}

// -----

func.func @classes(%x: tensor<2x3x0xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{needs at least one class, the blank}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3x0xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return
}

// -----

func.func @width(%x: tensor<2x3x4xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{beam_width must be positive, found 0}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 0 : i64} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return
}

// -----

func.func @paths(%x: tensor<2x3x4xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{needs labels for 1 to 3 paths, found}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<2x4x3xi64>, tensor<2x4xi64>, tensor<2x4xf32>)
  return
}

// -----

func.func @results(%x: tensor<2x3x4xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{the results must be labels (2, 2, 3), and counts and log probabilities (2, 2) of the logits' element type}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 3 : i64} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x3xi64>, tensor<2x2xf32>)
  return
}

// -----

func.func @too_large(%x: tensor<2x3x4xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{the memory to search in does not fit 64 bits}}
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 9000000000000000000 : i64} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<2x2x3xi64>, tensor<2x2xi64>, tensor<2x2xf32>)
  return
}
