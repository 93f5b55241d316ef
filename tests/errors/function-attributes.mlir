// RUN: keratin-opt %s --split-input-file --verify-diagnostics

// What a signature and the shape contract are written in is read by code generation without further questions.

// expected-error @below {{argument 0: keratin.kind must be "input" or "variable"}}
func.func @argument_kind(%x: tensor<2xf32> {keratin.kind = "output"}) { return }

// -----

// expected-error @below {{argument 0: keratin.name must be a string}}
func.func @argument_name(%x: tensor<2xf32> {keratin.name = 3}) { return }

// -----

// expected-error @below {{argument 0: keratin.symbol must be the number of a symbol}}
func.func @argument_symbol(%x: tensor<i64> {keratin.symbol = -1}) { return }

// -----

// expected-error @below {{argument 0: keratin.negative_part must be the number of a symbol}}
func.func @argument_part(%x: tensor<i64> {keratin.positive_part = 1, keratin.negative_part = "n"}) { return }

// -----

// expected-error @below {{result 0: keratin.kind must be "output" or "update"}}
func.func private @result_kind() -> (tensor<2xf32> {keratin.kind = 1})

// -----

// expected-error @below {{keratin.sizes must be a list of different names of a function's sizes}}
func.func private @sizes_are_a_list() attributes {keratin.sizes = "batch"}

// -----

// expected-error @below {{keratin.sizes must be a list of different names of a function's sizes}}
func.func private @sizes_are_words() attributes {keratin.sizes = ["batch size"]}

// -----

// expected-error @below {{keratin.sizes must be a list of different names of a function's sizes}}
func.func private @sizes_differ() attributes {keratin.sizes = ["batch", "", "batch"]}

// -----

// expected-error @below {{keratin.limits must be a dictionary of a function's sizes}}
func.func private @limits_are_a_dictionary() attributes {keratin.limits = [512]}

// -----

// expected-error @below {{keratin.limits: length = {max = 512 : i64}; needed the limits of a size, as in d0 = {min = 1, max = 512, multiple_of = 8}, which some size keeps}}
func.func @limits_of_symbols(%x: tensor<?xf32, #keratin.dims<d0>>) attributes {keratin.limits = {length = {max = 512}}} { return }

// -----

// expected-error @below {{keratin.limits: d0 = {most = 512 : i64}; needed the limits of a size}}
func.func @limits_have_names(%x: tensor<?xf32, #keratin.dims<d0>>) attributes {keratin.limits = {d0 = {most = 512}}} { return }

// -----

// expected-error @below {{keratin.limits: d0 = {max = 7 : i64, min = 1 : i64, multiple_of = 8 : i64}; needed the limits of a size}}
func.func @no_size_keeps_limits(%x: tensor<?xf32, #keratin.dims<d0>>) attributes {keratin.limits = {d0 = {min = 1, max = 7, multiple_of = 8}}} { return }

// -----

// expected-error @below {{keratin.limits: d1 is no dimension of an input}}
func.func @limits_of_inputs(%x: tensor<?xf32, #keratin.dims<d0>>) attributes {keratin.limits = {d1 = {max = 512}}} { return }

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @checks_are_a_list() attributes {keratin.checks = 1}

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @checks_have_parts() attributes {keratin.checks = [{kind = 0, message = ""}]}

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @checks_have_pairs() attributes {keratin.checks = [{kind = 0, lhs = #keratin.dims<d0>, rhs = #keratin.dims<>, message = ""}]}

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @checks_of_unknown_kind() attributes {keratin.checks = [{kind = 7, lhs = #keratin.dims<d0>, rhs = #keratin.dims<1>, message = ""}]}

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @checks_say_texts_and_sizes() attributes {keratin.checks = [{kind = 0, lhs = #keratin.dims<d0>, rhs = #keratin.dims<1>, message = ["size ", 1]}]}

// -----

// expected-error @below {{keratin.checks must be a list of requirements {kind, lhs, rhs, message}}}
func.func private @assumptions_are_equations() attributes {keratin.checks = [{assumed, kind = 1, lhs = #keratin.dims<d0>, rhs = #keratin.dims<1>, message = ""}]}

// -----

// expected-error @below {{argument 0: keratin.stated must be a size for each dimension}}
func.func private @stated_shape(tensor<2xf32> {keratin.stated = #keratin.dims<d0, d1>})

// -----

// expected-error @below {{argument 1: inputs come before variables}}
func.func private @argument_order(tensor<2xf32> {keratin.kind = "variable"}, tensor<2xf32> {keratin.kind = "input"})

// -----

// What nothing is said of is an input.
// expected-error @below {{argument 1: inputs come before variables}}
func.func private @unsaid_behind_a_variable(tensor<2xf32> {keratin.kind = "variable"}, tensor<2xf32>)

// -----

// expected-error @below {{result 1: outputs come before updates}}
func.func private @result_order(tensor<2xf32> {keratin.kind = "variable"}) -> (tensor<2xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<2xf32> {keratin.kind = "output"})

// -----

// expected-error @below {{result 0: an update needs keratin.variable, the number of one of the 1 variables}}
func.func private @update_of_nothing(tensor<2xf32> {keratin.kind = "variable"}) -> (tensor<2xf32> {keratin.kind = "update", keratin.variable = 1 : i64})

// -----

func.func @f() -> tensor<i64> {
  // expected-error @below {{keratin.size must be the symbol of a keratin.rank or a keratin.rank_count}}
  %y = keratin.rank {keratin.size = #keratin.dims<2*d0>} : tensor<i64>
  return %y : tensor<i64>
}

// -----

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{keratin.own_rows must be on a gather or a scatter_add}}
  %y = keratin.neg %x {keratin.own_rows} : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
