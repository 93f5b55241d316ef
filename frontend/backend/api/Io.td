def Api_eval : Keratin_Function<"eval", "io", "eval(x)"> {
  let takesComplex = 1;
  let pythonResult = "numpy.ndarray";
  let documentation = [{
    The value of a tensor, computed now.

    Args:
        x: a tensor or what becomes one; of an update op the update happens, and the new value is
            the result.

    Returns:
        An array; dense for a sparse tensor.

    Raises:
        ValueError: if x needs a placeholder, which eval() does not feed; it names it.
  }];
}
def Api_get_value : Keratin_Function<"get_value", "io", "get_value(x)"> {
  let takesComplex = 1;
  let pythonResult = "numpy.ndarray";
  let documentation = [{
    The value of a variable.

    Args:
        x: a variable; of another tensor it is eval(x).

    Returns:
        An array, which is a copy.
  }];
}
def Api_batch_get_value : Keratin_Function<"batch_get_value", "io", "batch_get_value(ops)"> {
  let pythonResult = "List[numpy.ndarray]";
  let documentation = [{
    The values of several variables, as they are between two calls of functions.

    Args:
        ops: a list of variables, or of other tensors, of which each is computed by itself
            (Session.run() computes several at once).

    Returns:
        A list of arrays, in that order.
  }];
}
def Api_set_value : Keratin_Function<"set_value", "io", "set_value(x, value)"> {
  let takesComplex = 1;
  let documentation = [{
    Gives a variable a new value.

    Args:
        x: a variable.
        value: an array or a list of the variable's shape, cast to its dtype; or a number, which
            fills it.

    Raises:
        ValueError: for another shape.
  }];
}
def Api_batch_set_value : Keratin_Function<"batch_set_value", "io",
    "batch_set_value(tuples)"> {
  let documentation = [{
    Gives several variables new values: all of them or, where one is refused, none.

    No call of a function sees some of them and not the others.

    Args:
        tuples: a list of pairs (variable, value), as set_value() takes them.

    Raises:
        ValueError: for a value of another shape than its variable's.
  }];
}
def Api_print_tensor : Keratin_Function<"print_tensor", "io", "print_tensor(x, message='')"> {
  let documentation = [{
    The same value, printed to standard output whenever it is computed.

    Args:
        x: a tensor or what becomes one.
        message: what is printed before it, a string.

    Returns:
        A tensor. If nothing needs it, nothing is printed.

    Example:
        y = K.print_tensor(x, 'x is')   # use y from here on; prints: x is [[1. 2.]]
  }];
}
def Api_function : Keratin_Function<"function", "io",
    "function(inputs, outputs, updates=None, **kwargs)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation = "Compiles outputs and updates of the graph.";
}
