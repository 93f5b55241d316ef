def Api_get_uid : Keratin_Function<"get_uid", "graph", "get_uid(prefix='')"> {
  let pythonResult = "int";
  let documentation = [{
    The next number of a prefix: 1, 2, 3, ...

    Args:
        prefix: a string; each has its own numbers.

    Returns:
        An int.
  }];
}
def Api_reset_uids : Keratin_Function<"reset_uids", "graph", "reset_uids()"> {
  let documentation = "Lets get_uid() count from 1 again, for every prefix.";
}
def Api_clear_session : Keratin_Function<"clear_session", "graph", "clear_session()"> {
  let documentation = [{
    Resets get_uid(), the names of tensors and the learning phase, and drops cached code.

    Tensors, variables and functions that exist go on as before, with their values.
  }];
}
def Api_manual_variable_initialization : Keratin_Function<"manual_variable_initialization",
    "graph", "manual_variable_initialization(value)"> {
  let documentation = [{
    Sets a flag that changes nothing: variables always hold their initial values.

    Args:
        value: a bool.
  }];
}
def Api_get_session : Keratin_Function<"get_session", "graph", "get_session()"> {
  let hasPythonBody = 1;
  let documentation = "The session that set_session() was given, else the default one.";
}
def Api_set_session : Keratin_Function<"set_session", "graph", "set_session(session)"> {
  let hasPythonBody = 1;
  let documentation = "Sets what get_session() returns.";
}
def Api_name_scope : Keratin_Function<"name_scope", "graph", "name_scope(name)"> {
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation = "A context in which names of tensors begin with this one.";
}
def Api_is_keras_tensor : Keratin_Function<"is_keras_tensor", "graph", "is_keras_tensor(x)"> {
  let hasPythonBody = 1;
  let documentation = "Whether a layer of Keras's has made the tensor.";
}
def Api_is_tensor : Keratin_Function<"is_tensor", "graph", "is_tensor(x)"> {
  let pythonResult = "bool";
  let documentation = [{
    Whether x is a tensor; variables and sparse tensors are.

    Args:
        x: anything.

    Returns:
        True or False; False for arrays and numbers.
  }];
}
def Api_is_variable : Keratin_Function<"is_variable", "graph", "is_variable(x)"> {
  let pythonResult = "bool";
  let documentation = [{
    Whether x is a variable.

    Args:
        x: anything.

    Returns:
        True or False; False for other tensors.
  }];
}
def Api_is_placeholder : Keratin_Function<"is_placeholder", "graph", "is_placeholder(x)"> {
  let pythonResult = "bool";
  let documentation = [{
    Whether x is what placeholder() has returned.

    Args:
        x: anything.

    Returns:
        True or False; False for learning_phase(), which has a default.
  }];
}
def Api_shape : Keratin_Function<"shape", "graph", "shape(x)"> {
  let takesComplex = 1;
  let documentation = [{
    The sizes of x at the call, as a tensor.

    Args:
        x: a tensor or what becomes one.

    Returns:
        An int32 vector of ndim(x) elements, a constant where all sizes are known. Its elements
        may stand in shapes: K.zeros((K.shape(x)[0], 4)).
  }];
}
def Api_int_shape : Keratin_Function<"int_shape", "graph", "int_shape(x)"> {
  let takesComplex = 1;
  let hasPythonBody = 1;
  let documentation = "The shape as far as it is known.";
}
def Api_ndim : Keratin_Function<"ndim", "graph", "ndim(x)"> {
  let takesComplex = 1;
  let pythonResult = "int";
  let documentation = [{
    The number of axes.

    Args:
        x: a tensor, or an array, a number or a list.

    Returns:
        An int, 0 for a scalar.
  }];
}
def Api_size : Keratin_Function<"size", "graph", "size(x, name=None)"> {
  let takesComplex = 1;
  let documentation = [{
    The number of elements at the call, as a tensor.

    Args:
        x: a tensor or what becomes one.
        name: the result's name, a string.

    Returns:
        An int32 scalar; 1 for a scalar x.
  }];
}
def Api_dtype : Keratin_Function<"dtype", "graph", "dtype(x)"> {
  let takesComplex = 1;
  let pythonResult = "str";
  let documentation = [{
    The name of the dtype: 'float32', 'int64', 'bool', ...

    Args:
        x: a tensor, or an array, a number or a list.

    Returns:
        A string.
  }];
}
def Api_count_params : Keratin_Function<"count_params", "graph", "count_params(x)"> {
  let takesComplex = 1;
  let pythonResult = "int";
  let documentation = [{
    The number of elements as an int.

    Args:
        x: a variable or another tensor of known sizes.

    Returns:
        An int, 1 for a scalar.

    Raises:
        ValueError: if a size is None; size() has it as a tensor.
  }];
}
def Api_gradients : Keratin_Function<"gradients", "graph", "gradients(loss, variables)"> {
  let takesComplex = 1;
  let pythonResult = "List[Optional[Tensor]]";
  let documentation = [{
    The derivatives of a loss, by reverse-mode differentiation of the graph.

    Args:
        loss: a tensor of floats; the sum is taken of one that is no scalar.
        variables: a variable or any other tensor, or a list of them.

    Returns:
        A list with an entry for each of the variables: a tensor of its shape and dtype, or None
        where the loss does not depend on it in a differentiable way. Gradients have gradients.

    Example:
        w = K.variable([1., 2.])
        K.eval(K.gradients(K.sum(K.square(w)), [w])[0])   # [2. 4.]
  }];
}
def Api_stop_gradient : Keratin_Function<"stop_gradient", "graph", "stop_gradient(variables)"> {
  let takesComplex = 1;
  let pythonResult = "Any";
  let hasAddress = 0;
  let documentation = [{
    The same values, which gradients() and jvp() take for constants.

    Args:
        variables: a tensor or what becomes one, or a list of tensors.

    Returns:
        A tensor, or of a list a list.
  }];
}
def Api_control_dependencies : Keratin_Function<"control_dependencies", "graph",
    "control_dependencies(control_inputs)"> {
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation =
      "A context in which tensors are computed after others, and read what those update.";
}
def Api_get_variable_shape : Keratin_Function<"get_variable_shape", "graph",
    "get_variable_shape(x)"> {
  let hasPythonBody = 1;
  let documentation = "As int_shape().";
}
