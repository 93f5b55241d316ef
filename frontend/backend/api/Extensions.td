def Api_floor : Keratin_Extension<"floor", "floor(x)">;
def Api_ceil : Keratin_Extension<"ceil", "ceil(x)">;
def Api_tan : Keratin_Extension<"tan", "tan(x)">;
def Api_atan : Keratin_Extension<"atan", "atan(x)">;
def Api_erf : Keratin_Extension<"erf", "erf(x)">;
def Api_floor_divide : Keratin_Extension<"floor_divide", "floor_divide(x, y)">;
def Api_where : Keratin_Extension<"where", "where(condition, x, y)">;
def Api_matmul : Keratin_Extension<"matmul", "matmul(x, y)">;
def Api_einsum : Keratin_Extension<"einsum", "einsum(equation, operands)">;
def Api_diag : Keratin_Extension<"diag", "diag(x, k=0)">;
def Api_trace : Keratin_Extension<"trace",
    "trace(x, offset=0, axis1=0, axis2=1)"> { let hasAddress = 0; }
def Api_pad : Keratin_Extension<"pad",
    "pad(x, pad_width, mode='constant', constant_values=0)"> { let hasAddress = 0; }
def Api_split : Keratin_Extension<"split", "split(x, num_or_size_splits, axis=0)">;
def Api_scatter : Keratin_Extension<"scatter", "scatter(x, indices, updates, mode='write')">;
def Api_top_k : Keratin_Extension<"top_k", "top_k(x, k, axis=-1)">;
def Api_while_loop : Keratin_Extension<"while_loop",
    "while_loop(cond, body, loop_vars, maximum_iterations=None)">;
def Api_is_same : Keratin_Extension<"is_same", "is_same(a, b)"> { let hasPythonBody = 1; }
def Api_set_random_seed : Keratin_Extension<"set_random_seed", "set_random_seed(seed)">;
def Api_device : Keratin_Extension<"device", "device()">;
def Api_set_device : Keratin_Extension<"set_device", "set_device(name)">;
def Api_save_function : Keratin_Extension<"save_function", "save_function(f, path)"> { let hasPythonBody = 1; }
def Api_save_functions : Keratin_Extension<"save_functions", "save_functions(functions, path)">;
def Api_load_function : Keratin_Extension<"load_function", "load_function(path, name='')">;
def Api_load_functions : Keratin_Extension<"load_functions", "load_functions(path)">;
def Api_save_weights : Keratin_Extension<"save_weights",
    "save_weights(variables, path)"> { let hasAddress = 0; }
def Api_load_weights : Keratin_Extension<"load_weights",
    "load_weights(variables, path)"> { let hasAddress = 0; }
