// RUN: keratin-opt %s --split-input-file --verify-diagnostics

func.func @shapes_differ(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{keratin.add: operands have types 'tensor<2xf32>' and 'tensor<3xf32>'; their shapes must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// A size is not equal to another that only may be as large.
func.func @symbols_differ(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<?xf32, #keratin.dims<d1>>) {
  // expected-error @below {{keratin.add: operands have types}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.add %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  return
}

// -----

func.func @result_shape(%a: tensor<2xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.neg %a : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @element_types_differ(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %y = keratin.add %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @compared_types_differ(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{requires all operands to have the same type}}
  %y = keratin.compare eq %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

func.func @unknown_comparison(%a: tensor<2xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'direction' [eq, ne, lt, le, gt, ge]}}
  %y = keratin.compare about %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @no_exponential_of_integers(%a: tensor<2xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of}}
  %y = keratin.exp %a : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @no_arithmetic_on_bool(%a: tensor<2xi1>) {
  // expected-error @below {{operand #0 must be ranked tensor of}}
  %y = keratin.add %a, %a : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @no_ranks(%a: tensor<*xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of}}
  %y = keratin.neg %a : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @no_odd_widths(%a: tensor<2xi7>) {
  // expected-error @below {{operand #0 must be ranked tensor of}}
  %y = keratin.neg %a : (tensor<2xi7>) -> tensor<2xi7>
  return
}

// -----

func.func @choices_differ(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{keratin.select: the choices have types 'tensor<2xf32>' and 'tensor<2xf64>'; they must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %y = keratin.select %c, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @condition_is_bool(%c: tensor<2xi8>, %a: tensor<2xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 1-bit signless integer values}}
  %y = keratin.select %c, %a, %a : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @cast_keeps_the_shape(%a: tensor<2xf32>) {
  // expected-error @below {{'keratin.cast' op operand and result must have the same shape, found 'tensor<2xf32>' and 'tensor<3xi32>'}}
  %y = keratin.cast %a : (tensor<2xf32>) -> tensor<3xi32>
  return
}
