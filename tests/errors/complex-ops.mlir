// RUN: keratin-opt %s --split-input-file --verify-diagnostics --keratin-expand-complex

func.func @comparison_of_complex_numbers(%x: tensor<4xcomplex<f32>>) -> tensor<4xi1> {
  // expected-error @+1 {{has no form for complex numbers}}
  %y = keratin.compare eq %x, %x : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// -----

func.func @parts_of_two_types(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{needs parts of one type, found 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %z = keratin.complex %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xcomplex<f32>>
  return %z : tensor<4xcomplex<f32>>
}

// -----

func.func @parts_of_another_width(%x: tensor<4xcomplex<f32>>) -> tensor<4xf64> {
  // expected-error @+1 {{needs parts of complex numbers of 'f32', found 'f64'}}
  %y = keratin.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @parts_of_another_shape(%x: tensor<4xcomplex<f32>>) -> tensor<5xf32> {
  // expected-error @+1 {{needs parts of shape (4,), found (5,)}}
  %y = keratin.imag %x : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @cast_to_a_real_number(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  // expected-error @+1 {{of complex numbers to real ones; needed keratin.real}}
  %y = keratin.cast %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gradient_of_a_complex_loss(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %y = keratin.add %x, %x : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  // expected-error @+1 {{gradients: the loss is complex; needed a real one, such as its keratin.real}}
  %z = keratin.gradients %y wrt %x : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %z : tensor<complex<f32>>
}
