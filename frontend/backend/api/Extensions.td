// What keras.backend does not have and models need.
class Keratin_Extension<string name, string signature>
    : Keratin_Function<name, "extensions", signature>;

class Keratin_WholeNumber<string name, string what> : Keratin_Extension<name, name # "(x)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of x's shape and dtype; integers are unchanged. No gradient.
  }];
}
def Api_floor : Keratin_WholeNumber<"floor",
    "The nearest whole number not above, element by element.">;
def Api_ceil : Keratin_WholeNumber<"ceil",
    "The nearest whole number not below, element by element.">;

class Keratin_FloatExtension<string name, string what> : Keratin_Extension<name, name # "(x)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of x's shape and dtype.
  }];
}
def Api_tan : Keratin_FloatExtension<"tan",
    "The tangent of angles in radians, element by element."> {
  let takesComplex = 1;
}
def Api_atan : Keratin_FloatExtension<"atan",
    "The angle from -pi/2 to pi/2 whose tangent is x, element by element.">;
def Api_erf : Keratin_FloatExtension<"erf",
    "2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x, element by element.">;

def Api_floor_divide : Keratin_Extension<"floor_divide", "floor_divide(x, y)"> {
  let documentation = [{
    The quotient rounded down, as of Python's //, element by element.

    Args:
        x, y: tensors or what becomes tensors; they are broadcast. An integer by 0 gives an
            undefined number.

    Returns:
        A tensor of the wider dtype, of integers integers. No gradient.
  }];
}
def Api_where : Keratin_Extension<"where", "where(condition, x, y)"> {
  let takesComplex = 1;
  let documentation = [{
    x where the condition is nonzero, y elsewhere, element by element.

    Args:
        condition, x, y: tensors or what becomes tensors; they are broadcast.

    Returns:
        A tensor of the wider dtype of x and y. The gradient goes to the one that is taken and is
        0 for the other, however infinite that is.
  }];
}
def Api_matmul : Keratin_Extension<"matmul", "matmul(x, y)"> {
  let takesComplex = 1;
  let documentation = [{
    The products of the matrices in the last two axes, as of numpy.matmul.

    Args:
        x, y: tensors or what becomes tensors, of rank 1 or more. Axes before the last two are
            broadcast; a vector is a row on the left, a column on the right.

    Returns:
        A tensor: (5, 1, 2, 3) and (4, 3, 6) give (5, 4, 2, 6); a vector's axis of 1 is left out.

    Raises:
        ValueError: for a scalar, and if the sizes summed over differ.
  }];
}
def Api_einsum : Keratin_Extension<"einsum", "einsum(equation, operands)"> {
  let takesComplex = 1;
  let documentation = [{
    Sums of products in Einstein's notation, as of numpy.einsum.

    Args:
        equation: a letter for each axis of each operand, '...' for further ones, which are
            broadcast, and behind '->' those of the result. What is not in the result is summed
            over; a letter twice in a term is a diagonal.
        operands: a list of tensors or what becomes tensors. Of three and more, those are
            multiplied first that leave the least work.

    Returns:
        A tensor of the widest dtype.

    Raises:
        ValueError: for an equation that says something else or does not fit the operands.

    Example:
        scores = K.einsum('bqhd,bkhd->bhqk', [q, k])
  }];
}
def Api_diag : Keratin_Extension<"diag", "diag(x, k=0)"> {
  let takesComplex = 1;
  let documentation = [{
    A diagonal of matrices, or the matrix of zeros with a vector as its diagonal.

    Args:
        x: matrices in the last two axes, or a vector.
        k: the diagonal, an int: 0 is the main one, 1 the next above it.

    Returns:
        A vector of each matrix, a square matrix of a vector.

    Raises:
        ValueError: for a scalar.
  }];
}
def Api_trace : Keratin_Extension<"trace", "trace(x, offset=0, axis1=0, axis2=1)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    The sum of a diagonal of the matrices in two axes.

    Args:
        x: a tensor or what becomes one, of rank 2 or more.
        offset: the diagonal, an int: 0 is the main one, 1 the next above it.
        axis1, axis2: the matrices' rows and columns, two axes.

    Returns:
        A tensor of x's shape without these axes.
  }];
}
def Api_pad : Keratin_Extension<"pad",
    "pad(x, pad_width, mode='constant', constant_values=0)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let documentation = [{
    The tensor with elements around it, as of numpy.pad.

    Args:
        x: a tensor or what becomes one.
        pad_width: for each axis a pair of ints or scalar tensors: how many before and behind.
        mode: 'constant'; 'edge', the outermost element again; 'reflect', a mirror at it;
            'symmetric', a mirror behind it.
        constant_values: the elements of 'constant', a scalar.

    Returns:
        A tensor of x's dtype: [1, 2, 3] with (2, 2) by 'reflect' is [3, 2, 1, 2, 3, 2, 1].

    Raises:
        ValueError: for another mode, another number of pairs, and a mirror that must show more
            than there is.
  }];
}
def Api_split : Keratin_Extension<"split", "split(x, num_or_size_splits, axis=0)"> {
  let takesComplex = 1;
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The parts of a tensor along an axis.

    Args:
        x: a tensor or what becomes one.
        num_or_size_splits: a number of equal parts; or a list of their sizes, ints or scalar
            tensors, one of which may be -1: what the others leave.
        axis: one axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: if parts of these sizes do not make up the axis.
  }];
}
def Api_scatter : Keratin_Extension<"scatter", "scatter(x, indices, updates, mode='write')"> {
  let documentation = [{
    The tensor with some of its rows written anew, or added to.

    Args:
        x: a tensor or what becomes one, of rank 1 or more.
        indices: integers, of any shape: the rows.
        updates: a row for each index, in the shape indices.shape + x.shape[1:] or what is
            broadcast to it.
        mode: 'write': of several updates of a row the last stays. 'add': all are added, in the
            order of the indices.

    Returns:
        A tensor of x's shape and dtype; x itself is as before.

    Raises:
        TypeError: for indices that are no integers, and for 'add' with bools.
        ValueError: for another mode; at the call, for an index outside the first axis.
  }];
}
def Api_top_k : Keratin_Extension<"top_k", "top_k(x, k, axis=-1)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    The k largest elements along an axis, and where they are.

    Args:
        x: a tensor or what becomes one.
        k: how many, an int or a scalar tensor.
        axis: one axis.

    Returns:
        (values, indices), largest first, of equals the first; a NaN is larger than any number.
        Indices are int64. The gradient goes to the elements that were taken.

    Raises:
        ValueError: for more elements than the axis has.
  }];
}
def Api_while_loop : Keratin_Extension<"while_loop",
    "while_loop(cond, body, loop_vars, maximum_iterations=None)"> {
  let takesComplex = 1;
  let pythonResult = "List[Tensor]";
  let documentation = [{
    Loop variables after a body has been run as long as a condition holds.

    Args:
        cond: a function of the loop variables, each an argument, that returns a bool scalar. It
            is called twice, to make the graph.
        body: a function of them that returns them anew, with their dtypes and shapes: a list, or
            a tensor if there is one.
        loop_vars: what they are at first: a tensor or a list of tensors.
        maximum_iterations: how often the body is run at most, an int or a scalar tensor; None: no
            limit. The gradient of a loop inside a loop or a branch needs it.

    Returns:
        The list of the last loop variables.

    Raises:
        ValueError: for no loop variable, a condition that is no bool scalar, and variables that
            change in number, dtype or shape.

    Example:
        i, n = K.while_loop(lambda i, n: n < 1000., lambda i, n: [i + 1, n * 2.],
                            [K.constant(0, 'int32'), K.constant(1.)])
  }];
}
def Api_jvp : Keratin_Extension<"jvp", "jvp(outputs, inputs, tangents)"> {
  let takesComplex = 1;
  let pythonResult = "List[Tensor]";
  let documentation = [{
    How outputs change with inputs along tangents, by forward-mode differentiation of the graph.

    Args:
        outputs: a tensor of floats, or a list of them.
        inputs: a variable or any other tensor of floats, or a list of them.
        tangents: a tensor of the shape and dtype of the input, or a list with one for each.

    Returns:
        A list with a tensor of the shape and dtype of each output: the sum, over the inputs, of
        its derivative times the tangent, zeros where it does not depend on them in a
        differentiable way. Can be differentiated in turn, forwards and backwards.

    Raises:
        ValueError: if there are not as many tangents as inputs, or one is no tensor of its
            input's shape and dtype, or an output or an input has another dtype than floats.

    Example:
        x = K.variable([1., 2.])
        K.eval(K.jvp(K.square(x), x, K.constant([1., 0.]))[0])   # [2. 0.]
  }];
}
def Api_vector_jacobian_product : Keratin_Extension<"vector_jacobian_product",
    "vector_jacobian_product(outputs, inputs, cotangents)"> {
  let takesComplex = 1;
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The gradients of outputs weighted by cotangents, by reverse-mode differentiation of the graph.

    Args:
        outputs: a tensor of floats, or a list of them.
        inputs: a variable or any other tensor of floats, or a list of them.
        cotangents: a tensor of the shape and dtype of the output, or a list with one for each.

    Returns:
        A list with a tensor of the shape and dtype of each input: the sum, over the outputs, of
        the cotangent times the derivative, zeros where none depends on it in a differentiable
        way. Can be differentiated in turn, with respect to the cotangents too.

    Raises:
        ValueError: if there are not as many cotangents as outputs, or one is no tensor of its
            output's shape and dtype, or an output or an input has another dtype than floats.

    Example:
        x = K.variable([1., 2.])
        K.eval(K.vector_jacobian_product(K.square(x), x, K.constant([1., 3.]))[0])   # [2. 12.]
  }];
}
def Api_hessian_vector_product : Keratin_Extension<"hessian_vector_product",
    "hessian_vector_product(loss, x, v)"> {
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The second derivatives of a loss times a vector: how its gradients change along the vector.

    Args:
        loss: a tensor of floats; the sum is taken of one that is no scalar.
        x: a variable or any other tensor of floats, or a list of them.
        v: a tensor of the shape and dtype of x, or a list with one for each.

    Returns:
        A list with a tensor of the shape and dtype of each x. It takes about twice the time of the
        gradients; no matrix is formed.

    Raises:
        ValueError: if there are not as many of v as of x, or one is no tensor of its x's shape and
            dtype, or the loss or an x has another dtype than floats.

    Example:
        x = K.variable([1., 2.])
        K.eval(K.hessian_vector_product(K.prod(x), x, K.constant([1., 0.]))[0])   # [0. 1.]
  }];
}
def Api_jacobian : Keratin_Extension<"jacobian", "jacobian(output, inputs, mode='auto')"> {
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The derivative of each element of an output by each element of inputs.

    Args:
        output: a tensor of floats.
        inputs: a variable or any other tensor of floats, or a list of them.
        mode: 'forward': by jvp() for all elements of the inputs at once; 'reverse': by
            vector_jacobian_product() for all elements of the output; 'auto': whichever are fewer,
            where sizes are known, else reverse.

    Returns:
        A list with a tensor for each input, of the output's shape and, behind it, the input's;
        zeros where the output does not depend on it in a differentiable way. Can be
        differentiated in turn.

    Raises:
        ValueError: for another mode, and if the output or an input has another dtype than floats.

    Example:
        x = K.variable([1., 2.])
        K.eval(K.jacobian(x * x[0], x)[0])   # [[2. 0.] [2. 1.]]
  }];
}
def Api_hessian : Keratin_Extension<"hessian", "hessian(loss, x)"> {
  let documentation = [{
    The second derivatives of a loss by all pairs of elements of a tensor.

    Args:
        loss: a tensor of floats; the sum is taken of one that is no scalar.
        x: a variable or any other tensor of floats.

    Returns:
        A tensor of x's shape and, behind it, x's shape, made by forward mode over reverse mode for
        all elements at once; hessian_vector_product() forms no matrix.

    Raises:
        ValueError: if the loss or x has another dtype than floats.

    Example:
        x = K.variable([1., 2.])
        K.eval(K.hessian(K.prod(x), x))   # [[0. 1.] [1. 0.]]
  }];
}
def Api_sparse_jacobian : Keratin_Extension<"sparse_jacobian",
    "sparse_jacobian(output, input, mode='auto')"> {
  let documentation = [{
    The derivatives of each element of an output by each element of an input, as a sparse tensor.

    Args:
        output: a tensor of floats, of known sizes.
        input: a variable or any other tensor of floats, of known sizes.
        mode: 'forward': by jvp() for groups of columns that share no row; 'reverse': by
            vector_jacobian_product() for groups of rows that share no column; 'auto': whichever
            are fewer, or both, each for some.

    Returns:
        A sparse tensor with a row for each element of the output and a column for each of the
        input, both in row-major order. Which places are stored is found when the graph is built,
        from what each element is computed of: elsewhere the derivative is zero, whatever the input
        is. Can be differentiated in turn; sparse_parts() gives its vectors.

    Raises:
        ValueError: for another mode, if the output or the input has another dtype than floats or a
            size that is not known, and if a size between the two is not.

    Example:
        x = K.variable([1., 2., 4.])
        slopes = K.sparse_jacobian(x[1:] * x[:-1], x)
        K.eval(K.to_dense(slopes))       # [[2. 1. 0.] [0. 4. 2.]]
        starts, columns, values = map(K.eval, K.sparse_parts(slopes, 'csr'))
        scipy.sparse.csr_matrix((values, columns, starts), (2, 3))
  }];
}
def Api_sparse_hessian : Keratin_Extension<"sparse_hessian", "sparse_hessian(loss, x)"> {
  let documentation = [{
    The second derivatives of a loss by all pairs of elements of a tensor, as a sparse tensor.

    Args:
        loss: a tensor of floats; the sum is taken of one that is no scalar.
        x: a variable or any other tensor of floats, of known sizes.

    Returns:
        A sparse tensor with a row and a column for each element of x, as of sparse_jacobian() of
        the gradient. Symmetry spares products.

    Raises:
        ValueError: if the loss or x has another dtype than floats, and if a size of x, or between
            the two, is not known.

    Example:
        x = K.variable([1., 2., 4.])
        K.eval(K.to_dense(K.sparse_hessian(K.sum(x[1:] * x[:-1]), x)))
        # [[0. 1. 0.] [1. 0. 1.] [0. 1. 0.]]
  }];
}
def Api_sparse_parts : Keratin_Extension<"sparse_parts",
    "sparse_parts(tensor, format='coo')"> {
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The vectors that a sparse tensor is made of.

    Args:
        tensor: a sparse tensor.
        format: 'coo' or 'csr'.

    Returns:
        A list of three tensors: of each stored element the row and the column, both int64, and the
        value. Of 'csr' the first is where each row starts among the others, and at last the number
        of elements; for a tensor whose places are known when the graph is built, as those of
        sparse_jacobian() are.

    Raises:
        ValueError: for a dense tensor, and for another format.
        NotImplementedError: for 'csr' of a tensor whose places are not known, row by row.

    Example:
        x = K.variable(scipy.sparse.csr_matrix([[0., 1.], [2., 0.]]))
        rows, columns, values = map(K.eval, K.sparse_parts(x))   # [0 1], [1 0], [1. 2.]
  }];
}
def Api_vectorized_map : Keratin_Extension<"vectorized_map", "vectorized_map(fn, elems)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let pythonResult = "Union[Tensor, List[Tensor]]";
  let documentation = [{
    A function of each element along the first axis, by operations on all elements at once.

    Args:
        fn: a function of a tensor, or of a tuple of them if elems is a list, that returns a
            tensor or a list of tensors. It is called once, to make the graph, and may use
            tensors and variables from outside, and K.gradients().
        elems: a tensor or what becomes one; or a list of tensors with equal first sizes.

    Returns:
        fn(elems[0]), fn(elems[1]), ... as one tensor; a list of such if fn returns a list. As
        map_fn, but that sums may be added up in another order. What has no form for all
        elements, random numbers for one, stays a loop, by itself.

    Raises:
        ValueError: for a scalar, for an empty list, and for a function that returns none.

    Example:
        def gradient_of(example):
            x, y = example
            loss = K.square(K.sum(x * w) - y)
            return K.gradients(loss, [w])[0]
        K.vectorized_map(gradient_of, [x, y])  # (samples,) + K.int_shape(w)
  }];
}
def Api_vmap : Keratin_Extension<"vmap", "vmap(fn, in_axes=0, out_axes=0)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let pythonResult = "Callable[..., Any]";
  let documentation = [{
    The function that is another one for each element along an axis, by vectorized_map().

    Args:
        fn: a function of tensors that returns a tensor or a list of tensors.
        in_axes: the axis of each argument that elements are along, an int; or a list or tuple of
            such, one for each, where None is an argument that is the same for all elements.
        out_axes: the axis of results that elements are along, an int.

    Returns:
        A function of tensors, or what becomes such, that returns what fn does, with one more axis.

    Example:
        K.vmap(K.dot, in_axes=(0, None))(x, w)  # the product of each x[i] with w
  }];
}
def Api_is_same : Keratin_Extension<"is_same", "is_same(a, b)"> {
  let hasPythonBody = 1;
  let documentation = "Whether both are one value of the graph: a is b.";
}
def Api_set_random_seed : Keratin_Extension<"set_random_seed", "set_random_seed(seed)"> {
  let documentation = [{
    Makes the seeds that C++ draws reproducible; Python's come from numpy.random.seed().

    Args:
        seed: an int, 0 or more.
  }];
}
def Api_device : Keratin_Extension<"device", "device()"> {
  let pythonResult = "str";
  let documentation = [{
    The name of the device that functions run on: 'cpu', 'cuda', ...

    Returns:
        What set_device() was given, else the environment's KERATIN_DEVICE, else 'cpu'.
  }];
}
def Api_set_device : Keratin_Extension<"set_device", "set_device(name)"> {
  let documentation = [{
    Sets where functions that are made from now on run, and where new variables lie.

    Args:
        name: the name of a device.

    Raises:
        ValueError: for a device that is not there; it lists those that are.
  }];
}
def Api_save_function : Keratin_Extension<"save_function", "save_function(f, path)"> {
  let hasPythonBody = 1;
  let documentation =
      "Writes a function to a file, for load_function() and the tools (keratin-compile).";
}
def Api_save_functions : Keratin_Extension<"save_functions", "save_functions(functions, path)"> {
  let documentation = [{
    Writes functions to a file, with the present values of the variables that they share.

    Args:
        functions: a list of what function() has returned, with different names.
        path: a path; '.ktg' is usual. The file appears whole or stays as it was.

    Raises:
        ValueError: for no function, and two of one name.
        RuntimeError: if the file cannot be written.
  }];
}
def Api_load_function : Keratin_Extension<"load_function",
    "load_function(path, name='', **kwargs)"> {
  let hasPythonBody = 1;
  let documentation = "One function of a file.";
}
def Api_load_functions : Keratin_Extension<"load_functions", "load_functions(path, **kwargs)"> {
  let hasPythonBody = 1;
  let documentation =
      "The functions of a file, which share variables as they did when they were saved.";
}
def Api_compile_model : Keratin_Extension<"compile_model",
    "compile_model(functions, path, name='', target='cpu', cpu='native', header='', **kwargs)"> {
  let hasAddress = 0;
  let hasPythonBody = 1;
  let documentation =
      "Compiles functions ahead of time: an object for keratin.Model, and for C by its header.";
}
def Api_save_weights : Keratin_Extension<"save_weights", "save_weights(variables, path)"> {
  let hasAddress = 0;
  let documentation = [{
    Writes the values of variables to a file, by their names.

    Args:
        variables: a list of variables, or a function: those that it reads and updates.
        path: a path that ends in '.safetensors' or, for NumPy's format, '.npz'.

    Raises:
        ValueError: for another end of the path, two variables of one name, and what is no dense
            variable.
        RuntimeError: if the file cannot be written.
  }];
}
def Api_load_weights : Keratin_Extension<"load_weights", "load_weights(variables, path)"> {
  let hasAddress = 0;
  let documentation = [{
    Sets variables to the values that a file has for their names: all of them or none.

    Args:
        variables: a list of variables, or a function: those that it reads and updates.
        path: a '.safetensors' or '.npz' file, or one of Keras 2's, '.h5' or '.hdf5', with Keras's
            names, for which libhdf5 is needed. Names that no variable has are passed over.

    Raises:
        ValueError: if a value is missing or does not fit its variable's shape and dtype.
        RuntimeError: if the file cannot be read.
  }];
}
