def Api_backend : Keratin_Function<"backend", "config", "backend()"> { let hasPythonBody = 1; }
def Api_epsilon : Keratin_Function<"epsilon", "config", "epsilon()"> { let hasPythonBody = 1; }
def Api_set_epsilon : Keratin_Function<"set_epsilon", "config", "set_epsilon(e)"> { let hasPythonBody = 1; }
def Api_floatx : Keratin_Function<"floatx", "config", "floatx()"> { let hasPythonBody = 1; }
def Api_set_floatx : Keratin_Function<"set_floatx", "config", "set_floatx(floatx)"> { let hasPythonBody = 1; }
def Api_cast_to_floatx : Keratin_Function<"cast_to_floatx", "config",
    "cast_to_floatx(x)"> { let hasAddress = 0; }
def Api_image_data_format : Keratin_Function<"image_data_format", "config", "image_data_format()"> { let hasPythonBody = 1; }
def Api_set_image_data_format : Keratin_Function<"set_image_data_format", "config",
    "set_image_data_format(data_format)"> { let hasPythonBody = 1; }
def Api_symbolic : Keratin_Function<"symbolic", "config", "symbolic(func)"> { let hasAddress = 0; let hasPythonBody = 1; }
def Api_eager : Keratin_Function<"eager", "config", "eager(func)"> { let hasAddress = 0; let hasPythonBody = 1; }
def Api_normalize_data_format : Keratin_Function<"normalize_data_format", "config",
    "normalize_data_format(value)">;
