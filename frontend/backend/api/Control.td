def Api_rnn : Keratin_Function<"rnn", "rnn-control",
    "rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, "
    "unroll=False, input_length=None, time_major=False, zero_output_for_mask=False)"> { let hasAddress = 0; }
def Api_switch : Keratin_Function<"switch", "rnn-control",
    "switch(condition, then_expression, else_expression)"> { let cxxName = "switch_"; }
def Api_map_fn : Keratin_Function<"map_fn", "rnn-control", "map_fn(fn, elems, name=None, dtype=None)"> { let hasAddress = 0; }
def Api_foldl : Keratin_Function<"foldl", "rnn-control", "foldl(fn, elems, initializer=None, name=None)"> { let hasAddress = 0; }
def Api_foldr : Keratin_Function<"foldr", "rnn-control", "foldr(fn, elems, initializer=None, name=None)"> { let hasAddress = 0; }
