def Api_random_uniform_variable : Keratin_Function<"random_uniform_variable", "random",
    "random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None)"> { let hasAddress = 0; }
def Api_random_normal_variable : Keratin_Function<"random_normal_variable", "random",
    "random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None)"> { let hasAddress = 0; }
def Api_random_normal : Keratin_Function<"random_normal", "random",
    "random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)"> { let hasAddress = 0; }
def Api_random_uniform : Keratin_Function<"random_uniform", "random",
    "random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None)"> { let hasAddress = 0; }
def Api_random_binomial : Keratin_Function<"random_binomial", "random",
    "random_binomial(shape, p=0.0, dtype=None, seed=None)"> { let hasAddress = 0; }
def Api_truncated_normal : Keratin_Function<"truncated_normal", "random",
    "truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)"> { let hasAddress = 0; }
