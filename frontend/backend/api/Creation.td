def Api_constant : Keratin_Function<"constant", "creation",
    "constant(value, dtype=None, shape=None, name=None)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    A tensor that always has this value.

    Args:
        value: a number, an array or a list.
        dtype: the dtype; None: floatx(), for whole numbers too.
        shape: the shape, or None for that of the value. One element fills it; more are taken in
            row-major order.
        name: the tensor's name, a string.

    Returns:
        A tensor.

    Raises:
        ValueError: if the shape needs another number of elements.
  }];
}
def Api_placeholder : Keratin_Function<"placeholder", "creation",
    "placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    A tensor whose value each call of a function is given.

    Args:
        shape: a tuple of sizes; None is a size that may differ from call to call. A name,
            'batch' or a keratin.Dim, is one size wherever it stands.
        ndim: the number of axes, all of unknown size, if there is no shape.
        dtype: the dtype; None: floatx().
        sparse: whether it is fed sparse matrices; needs rank 2.
        name: its name, a string, by which a function may be fed.

    Returns:
        A tensor; evaluating it without a value for it is a ValueError.

    Raises:
        ValueError: if neither shape nor ndim is given.
  }];
}

// A variable of one number, or a tensor where its shape is known at the call only.
class Keratin_Filled<string name, string what>
    : Keratin_Function<name, "creation", name # "(shape, dtype=None, name=None)"> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        shape: an int, a tuple of ints and scalar tensors, or an integer vector.
        dtype: the dtype; None: floatx().
        name: the name, a string.

    Returns:
        A variable; where the shape holds tensors, a tensor that cannot be updated.
  }];
}
def Api_zeros : Keratin_Filled<"zeros", "A variable full of zeros."> {
  let takesComplex = 1;
}
def Api_ones : Keratin_Filled<"ones", "A variable full of ones."> {
  let takesComplex = 1;
}

def Api_eye : Keratin_Function<"eye", "creation", "eye(size, dtype=None, name=None)"> {
  let hasAddress = 0;
  let documentation = [{
    An identity matrix: ones on the main diagonal, zeros elsewhere.

    Args:
        size: an int, or a pair (rows, columns).
        dtype: the dtype; None: floatx().
        name: the name, a string.

    Returns:
        A variable; where a size is a tensor, a tensor that cannot be updated.
  }];
}

class Keratin_FilledLike<string name, string what>
    : Keratin_Function<name, "creation", name # "(x, dtype=None, name=None)"> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.
        dtype: the dtype; None: that of x.
        name: the result's name, a string.

    Returns:
        A tensor that has, at each call, the shape of x. No gradient flows to x.
  }];
}
def Api_zeros_like : Keratin_FilledLike<"zeros_like", "Zeros in the shape of a tensor."> {
  let takesComplex = 1;
}
def Api_ones_like : Keratin_FilledLike<"ones_like", "Ones in the shape of a tensor."> {
  let takesComplex = 1;
}

def Api_identity : Keratin_Function<"identity", "creation", "identity(x, name=None)"> {
  let takesComplex = 1;
  let documentation = [{
    The same value as a tensor of its own.

    Args:
        x: a tensor or what becomes one.
        name: the new tensor's name, a string.

    Returns:
        A tensor, sparse if x is. Gradients pass.
  }];
}
def Api_arange : Keratin_Function<"arange", "creation",
    "arange(start, stop=None, step=1, dtype='int32')"> {
  let hasAddress = 0;
  let documentation = [{
    Equally spaced numbers: start, start + step, ... before stop.

    Args:
        start: the first, a number or a scalar tensor.
        stop: what none reaches; None: the numbers go from 0 to `start`.
        step: the distance, not 0; negative to count down.
        dtype: what the result is cast to.

    Returns:
        A vector of ceil((stop - start) / step) elements, at least 0.
  }];
}
