def Api_update : Keratin_Function<"update", "variable", "update(x, new_x)">;
def Api_update_add : Keratin_Function<"update_add", "variable", "update_add(x, increment)">;
def Api_update_sub : Keratin_Function<"update_sub", "variable", "update_sub(x, decrement)">;
def Api_moving_average_update : Keratin_Function<"moving_average_update", "variable",
    "moving_average_update(x, value, momentum)"> { let hasPythonBody = 1; }
def Api_variable : Keratin_Function<"variable", "variable",
    "variable(value, dtype=None, name=None, constraint=None)"> { let hasAddress = 0; }
