// A function given to these is called while the graph is made, not at each step: it gets tensors
// that stand for the values of any step.
def Api_rnn : Keratin_Function<"rnn", "rnn-control",
    "rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, "
    "unroll=False, input_length=None, time_major=False, zero_output_for_mask=False)"> {
  let takesComplex = 1;
  let pythonResult = "Tuple[Tensor, Tensor, List[Tensor]]";
  let hasAddress = 0;
  let documentation = [{
    The outputs of a step function run over the time of sequences.

    Args:
        step_function: a function of (input, states), of one time and the states followed by the
            constants, a list, that returns (output, list of new states).
        inputs: a tensor of shape (samples, time, ...).
        initial_states: a list of tensors; dtypes and shapes stay.
        go_backwards: whether time runs from the last to the first; outputs come in that order.
        mask: a tensor (samples, time) or (samples, time, 1), or None. Where it is 0, states stay
            and the output is the previous one, at first zeros.
        constants: a list of tensors that every step is given, or None.
        unroll: whether steps are made one by one, which needs a known time.
        input_length: the time for unroll, a number; or a vector of each sample's time, which
            works as a mask.
        time_major: whether inputs, mask and outputs are (time, samples, ...).
        zero_output_for_mask: whether the output is zeros wherever the mask is 0.

    Returns:
        (output of the last step, outputs (samples, time, ...), list of last states). Gradients
        flow to all that the steps use.

    Raises:
        ValueError: for inputs of rank below 3, a mask without states, unroll without a known
            time, and states whose number, dtypes or shapes change.

    Example:
        def step(x, states):
            h = K.tanh(K.dot(x, w) + K.dot(states[0], u))
            return h, [h]
        last, outputs, states = K.rnn(step, inputs, [K.zeros_like(inputs[:, 0, :])])
  }];
}
def Api_switch : Keratin_Function<"switch", "rnn-control",
    "switch(condition, then_expression, else_expression)"> {
  let takesComplex = 1;
  let cxxName = "switch_";
  let documentation = [{
    One expression where a condition is nonzero, another where it is 0.

    Args:
        condition: a tensor. By a scalar one expression is computed and the other not; the axes of
            any other are the first axes of the expressions, both of which are computed.
        then_expression, else_expression: tensors or what becomes tensors, or functions without
            arguments that return such.

    Returns:
        A tensor of the wider dtype. The gradient goes to the expression taken and is 0 for the
        other, however infinite that is.

    Raises:
        ValueError: for a condition of higher rank than the expressions, and for shapes that do
            not fit each other.
  }];
}
def Api_map_fn : Keratin_Function<"map_fn", "rnn-control",
    "map_fn(fn, elems, name=None, dtype=None)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    A function of each element along the first axis, as one tensor.

    Args:
        fn: a function of a tensor, or of a tuple of them if elems is a list.
        elems: a tensor or what becomes one; or a list of tensors with equal first sizes.
        name: the result's name, a string.
        dtype: what the result is cast to; None: nothing else than fn returns.

    Returns:
        A tensor of fn(elems[0]), fn(elems[1]), ...

    Raises:
        ValueError: for a scalar and for an empty list.
  }];
}

class Keratin_Fold<string name, string first, string last, string formula>
    : Keratin_Function<name, "rnn-control", name # "(fn, elems, initializer=None, name=None)"> {
  let hasAddress = 0;
  let documentation = "A function of all elements, from the " # first # " to the " # last # ": " #
      formula # [{.

    Args:
        fn: a function of (accumulator, element), two tensors, that returns the next accumulator
            with the dtype and shape of the last.
        elems: a tensor or what becomes one, of rank 1 or more, whose first axis has the elements.
        initializer: the first accumulator; None: the }] # first # [{ element, a.
        name: the result's name, a string.

    Returns:
        The last accumulator, a tensor.

    Raises:
        ValueError: for a scalar.
  }];
}
def Api_foldl : Keratin_Fold<"foldl", "first", "last", "fn(fn(a, b), c)"> {
  let takesComplex = 1;
}
def Api_foldr : Keratin_Fold<"foldr", "last", "first", "fn(fn(c, b), a)"> {
  let takesComplex = 1;
}
