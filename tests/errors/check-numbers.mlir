// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @counts_of_another_shape(%x: tensor<4xf32>, %c: tensor<3xi1>) {
  // expected-error @+1 {{'keratin.check_numbers' op has 'tensor<4xf32>' and counts its elements by 'tensor<3xi1>'}}
  keratin.check_numbers elementwise "log" 0 %x of %x counts %c : (tensor<4xf32>, tensor<4xf32>, tensor<3xi1>) -> ()
  return
}

// -----

func.func @steps(%x: tensor<4xf32>, %t: tensor<2xi64>) {
  // expected-error @+1 {{'keratin.check_numbers' op the step must be a scalar, found 'tensor<2xi64>'}}
  keratin.check_numbers mixing "sum" 0 %x at %t : (tensor<4xf32>, tensor<2xi64>) -> ()
  return
}

// -----

func.func @operand_of_another_shape(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'keratin.check_numbers' op an operand of an elementwise op has type 'tensor<3xf32>' for a result of type 'tensor<4xf32>'}}
  keratin.check_numbers elementwise "log" 0 %x of %y : (tensor<4xf32>, tensor<3xf32>) -> ()
  return
}
