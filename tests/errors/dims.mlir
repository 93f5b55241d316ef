// RUN: keratin-opt %s --split-input-file --verify-diagnostics

// The sizes of a tensor are untrusted text.

func.func @encoding_too_short(
    // expected-error @below {{#keratin.dims has 1 sizes for a tensor of rank 2}}
    %x: tensor<?x?xf32, #keratin.dims<d0>>) { return }

// -----

func.func @encoding_of_scalar(
    // expected-error @below {{#keratin.dims has 1 sizes for a tensor of rank 0}}
    %x: tensor<f32, #keratin.dims<d0>>) { return }

// -----

func.func @contradicting_size(
    // expected-error @below {{size 1 is 4 in the shape, but 5 in #keratin.dims}}
    %x: tensor<?x4xf32, #keratin.dims<d0, 5>>) { return }

// -----

func.func @unknown_in_the_encoding_only(
    // expected-error @below {{size 0 is 4 in the shape, but d1 in #keratin.dims}}
    %x: tensor<4x?xf32, #keratin.dims<d1, d0>>) { return }

// -----

func.func @known_in_the_encoding_only(
    // expected-error @below {{size 0 is 4 in #keratin.dims, but unknown in the shape}}
    %x: tensor<?x?xf32, #keratin.dims<4, d0>>) { return }

// -----

func.func @encoding_without_need(
    // expected-error @below {{a tensor of known sizes needs no #keratin.dims}}
    %x: tensor<4xf32, #keratin.dims<4>>) { return }

// -----

// What is equal for all sizes is a number.
func.func @folds_to_a_number(
    // expected-error @below {{size 0 is 3 in #keratin.dims, but unknown in the shape}}
    %x: tensor<?xf32, #keratin.dims<d0 + 3 + -1*d0>>) { return }

// -----

func.func @no_encoding(%x: tensor<?xf32>) {
  // expected-error @below {{'keratin.neg' op 'tensor<?xf32>' has unknown sizes; #keratin.dims must say what they are}}
  %y = keratin.neg %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @result_without_encoding(%x: tensor<2x3xf32>) {
  // expected-error @below {{'keratin.reshape' op 'tensor<?xf32>' has unknown sizes; #keratin.dims must say what they are}}
  %y = keratin.reshape %x : (tensor<2x3xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @other_encoding(%x: tensor<2xf32, "csr">) {
  // expected-error @below {{'keratin.neg' op 'tensor<2xf32, "csr">' has an encoding other than #keratin.dims}}
  %y = keratin.neg %x : (tensor<2xf32, "csr">) -> tensor<2xf32, "csr">
  return
}

// -----

// expected-error @below {{argument 0: 'tensor<?xf32>' has unknown sizes; #keratin.dims must say what they are}}
func.func @argument_without_encoding(%x: tensor<?xf32> {keratin.kind = "input"}) { return }

// -----

// expected-error @below {{argument 0: 'f32' is not a ranked tensor}}
func.func @argument_is_no_tensor(%x: f32 {keratin.kind = "input"}) { return }

// -----

// expected-error @below {{argument 0: 'tensor<2xindex>' has elements that are neither bool, integers, floats nor complex numbers of a known width}}
func.func @argument_elements(%x: tensor<2xindex> {keratin.kind = "variable"}) { return }

// -----

// expected-error @below {{result 0: 'tensor<?xf32>' has unknown sizes; #keratin.dims must say what they are}}
func.func private @result_of_function() -> (tensor<?xf32> {keratin.kind = "output"})

// -----

func.func @too_many_elements(%x: tensor<4294967296x4294967296xi8>) {
  // expected-error @below {{'keratin.neg' op the number of elements of 'tensor<4294967296x4294967296xi8>' does not fit 64 bits}}
  %y = keratin.neg %x : (tensor<4294967296x4294967296xi8>) -> tensor<4294967296x4294967296xi8>
  return
}

// -----

// Strides are computed even where there are no elements.
func.func @too_many_elements_times_zero(%x: tensor<0x4294967296x4294967296xi8>) {
  // expected-error @below {{'keratin.neg' op the number of elements of 'tensor<0x4294967296x4294967296xi8>' does not fit 64 bits}}
  %y = keratin.neg %x : (tensor<0x4294967296x4294967296xi8>) -> tensor<0x4294967296x4294967296xi8>
  return
}

// -----

func.func @too_many_elements_for_every_size(%x: tensor<?x4294967296xi8, #keratin.dims<4294967296*d0, 4294967296>>) {
  // expected-error @below {{does not fit 64 bits}}
  %y = keratin.neg %x : (tensor<?x4294967296xi8, #keratin.dims<4294967296*d0, 4294967296>>) -> tensor<?x4294967296xi8, #keratin.dims<4294967296*d0, 4294967296>>
  return
}

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @missing_symbol_number(tensor<?xf32, #keratin.dims<d>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @unknown_name(tensor<?xf32, #keratin.dims<rows>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @symbol_too_large(tensor<?xf32, #keratin.dims<d9223372036854775808>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @two_without_operator(tensor<?xf32, #keratin.dims<d0 d1>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @two_numbers(tensor<?xf32, #keratin.dims<d0 5>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @operator_without_operand(tensor<?xf32, #keratin.dims<2 *>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @unknown_function(tensor<?xf32, #keratin.dims<sqrt(d0, 2)>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @one_argument(tensor<?xf32, #keratin.dims<floordiv(d0)>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @division_by_zero(tensor<?xf32, #keratin.dims<floordiv(d0, 0)>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @sum_overflows(tensor<?xf32, #keratin.dims<9223372036854775807*d0 + d0>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @product_overflows(tensor<?xf32, #keratin.dims<4294967296 * 4294967296>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @cannot_broadcast(tensor<?xf32, #keratin.dims<broadcast(2, 3)>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @deep_functions(tensor<?xf32, #keratin.dims<mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, mod(d1, d0))))))))))))))))))))))))))))))))))))))))>>)

// -----

// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @number_too_large(tensor<?xf32, #keratin.dims<9223372036854775808*d0>>)

// -----

// expected-error @below {{dimension expression is nested too deeply}}
func.func private @deep_parentheses(tensor<?xf32, #keratin.dims<((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((d0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>>)

// -----

// Short text, but more terms than any dimension has.
// expected-error @below {{expected a dimension expression over symbols d0, d1, …}}
func.func private @many_terms(tensor<?xf32, #keratin.dims<(d0 + d1 + d2 + 1)*(d3 + d4 + d5 + 1)*(d6 + d7 + d8 + 1)*(d9 + d10 + d11 + 1)*(d12 + d13 + d14 + 1)*(d15 + d16 + d17 + 1)*(d18 + d19 + d20 + 1)*(d21 + d22 + d23 + 1)*(d24 + d25 + d26 + 1)*(d27 + d28 + d29 + 1)*(d30 + d31 + d32 + 1)*(d33 + d34 + d35 + 1)>>)
