def Api_backend : Keratin_Function<"backend", "config", "backend()"> {
  let hasPythonBody = 1;
  let documentation = "The backend's name: that of keras.json or KERAS_BACKEND, else 'keratin'.";
}
def Api_epsilon : Keratin_Function<"epsilon", "config", "epsilon()"> {
  let hasPythonBody = 1;
  let documentation = "The number that keeps divisions and logarithms away from 0.";
}
def Api_set_epsilon : Keratin_Function<"set_epsilon", "config", "set_epsilon(e)"> {
  let hasPythonBody = 1;
  let documentation = "Sets epsilon().";
}
def Api_floatx : Keratin_Function<"floatx", "config", "floatx()"> {
  let hasPythonBody = 1;
  let documentation =
      "The dtype of tensors for which none is given: 'float16', 'float32' or 'float64'.";
}
def Api_set_floatx : Keratin_Function<"set_floatx", "config", "set_floatx(floatx)"> {
  let hasPythonBody = 1;
  let documentation = "Sets floatx().";
}
def Api_cast_to_floatx : Keratin_Function<"cast_to_floatx", "config", "cast_to_floatx(x)"> {
  let pythonResult = "Any";
  let hasAddress = 0;
  let documentation = [{
    The same numbers in the dtype floatx().

    Args:
        x: an array, a number or a list of numbers; or a tensor.

    Returns:
        An array, of a number one without axes; of a tensor the tensor cast(x, floatx()).
  }];
}
def Api_image_data_format : Keratin_Function<"image_data_format", "config",
    "image_data_format()"> {
  let hasPythonBody = 1;
  let documentation = "Where images have their channels: 'channels_last' or 'channels_first'.";
}
def Api_set_image_data_format : Keratin_Function<"set_image_data_format", "config",
    "set_image_data_format(data_format)"> {
  let hasPythonBody = 1;
  let documentation = "Sets image_data_format().";
}
def Api_symbolic : Keratin_Function<"symbolic", "config", "symbolic(func)"> {
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation = "Returns the function: everything is symbolic here.";
}
def Api_eager : Keratin_Function<"eager", "config", "eager(func)"> {
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation = "Returns the function: see symbolic().";
}
def Api_normalize_data_format : Keratin_Function<"normalize_data_format", "config",
    "normalize_data_format(value)"> {
  let pythonResult = "str";
  let documentation = [{
    The data format in lower case: 'channels_last' or 'channels_first'.

    Args:
        value: a string, or None for image_data_format().

    Returns:
        A string.

    Raises:
        ValueError: for any other string.
  }];
}
