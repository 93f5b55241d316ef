def Api_constant : Keratin_Function<"constant", "creation",
    "constant(value, dtype=None, shape=None, name=None)"> { let hasAddress = 0; }
def Api_placeholder : Keratin_Function<"placeholder", "creation",
    "placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None)"> { let hasAddress = 0; }
def Api_zeros : Keratin_Function<"zeros", "creation", "zeros(shape, dtype=None, name=None)"> { let hasAddress = 0; }
def Api_ones : Keratin_Function<"ones", "creation", "ones(shape, dtype=None, name=None)"> { let hasAddress = 0; }
def Api_eye : Keratin_Function<"eye", "creation", "eye(size, dtype=None, name=None)"> { let hasAddress = 0; }
def Api_zeros_like : Keratin_Function<"zeros_like", "creation", "zeros_like(x, dtype=None, name=None)"> { let hasAddress = 0; }
def Api_ones_like : Keratin_Function<"ones_like", "creation", "ones_like(x, dtype=None, name=None)"> { let hasAddress = 0; }
def Api_identity : Keratin_Function<"identity", "creation", "identity(x, name=None)">;
def Api_arange : Keratin_Function<"arange", "creation", "arange(start, stop=None, step=1, dtype='int32')"> { let hasAddress = 0; }
