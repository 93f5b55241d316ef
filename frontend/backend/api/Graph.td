def Api_get_uid : Keratin_Function<"get_uid", "graph", "get_uid(prefix='')">;
def Api_reset_uids : Keratin_Function<"reset_uids", "graph", "reset_uids()">;
def Api_clear_session : Keratin_Function<"clear_session", "graph", "clear_session()">;
def Api_manual_variable_initialization : Keratin_Function<"manual_variable_initialization", "graph",
    "manual_variable_initialization(value)">;
def Api_get_session : Keratin_Function<"get_session", "graph", "get_session()"> { let hasPythonBody = 1; }
def Api_set_session : Keratin_Function<"set_session", "graph", "set_session(session)"> { let hasPythonBody = 1; }
def Api_name_scope : Keratin_Function<"name_scope", "graph", "name_scope(name)"> { let hasAddress = 0; let hasPythonBody = 1; }
def Api_is_keras_tensor : Keratin_Function<"is_keras_tensor", "graph", "is_keras_tensor(x)"> { let hasPythonBody = 1; }
def Api_is_tensor : Keratin_Function<"is_tensor", "graph", "is_tensor(x)">;
def Api_is_variable : Keratin_Function<"is_variable", "graph", "is_variable(x)">;
def Api_is_placeholder : Keratin_Function<"is_placeholder", "graph", "is_placeholder(x)">;
def Api_shape : Keratin_Function<"shape", "graph", "shape(x)">;
def Api_int_shape : Keratin_Function<"int_shape", "graph", "int_shape(x)"> { let hasPythonBody = 1; }
def Api_ndim : Keratin_Function<"ndim", "graph", "ndim(x)">;
def Api_size : Keratin_Function<"size", "graph", "size(x, name=None)">;
def Api_dtype : Keratin_Function<"dtype", "graph", "dtype(x)">;
def Api_count_params : Keratin_Function<"count_params", "graph", "count_params(x)">;
def Api_gradients : Keratin_Function<"gradients", "graph", "gradients(loss, variables)">;
def Api_stop_gradient : Keratin_Function<"stop_gradient", "graph",
    "stop_gradient(variables)"> { let hasAddress = 0; }
def Api_control_dependencies : Keratin_Function<"control_dependencies", "graph",
    "control_dependencies(control_inputs)"> { let hasAddress = 0; let hasPythonBody = 1; }
def Api_get_variable_shape : Keratin_Function<"get_variable_shape", "graph", "get_variable_shape(x)"> { let hasPythonBody = 1; }
