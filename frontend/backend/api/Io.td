def Api_eval : Keratin_Function<"eval", "io", "eval(x)">;
def Api_get_value : Keratin_Function<"get_value", "io", "get_value(x)">;
def Api_batch_get_value : Keratin_Function<"batch_get_value", "io", "batch_get_value(ops)">;
def Api_set_value : Keratin_Function<"set_value", "io", "set_value(x, value)">;
def Api_batch_set_value : Keratin_Function<"batch_set_value", "io", "batch_set_value(tuples)">;
def Api_print_tensor : Keratin_Function<"print_tensor", "io", "print_tensor(x, message='')">;
def Api_function : Keratin_Function<"function", "io", "function(inputs, outputs, updates=None, **kwargs)"> { let hasAddress = 0; let hasPythonBody = 1; }
