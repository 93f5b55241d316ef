// Gradients of the user's own, gradients that keep less, solutions of equations.
//
// A function given to these is called while the graph is made.
def Api_custom_gradient : Keratin_Extension<"custom_gradient", "custom_gradient(f, vjp)"> {
  let hasAddress = 0;
  let pythonResult = "Callable[..., Any]";
  let documentation = [{
    The function that computes what f does, with a gradient of the user's own.

    Args:
        f: a function of tensors of floats that returns one or a list of them. What it takes from
            outside is a constant to the gradient: what is to have a gradient is an argument.
        vjp: a function of (inputs, outputs, cotangents) that returns the gradient of each input,
            a list, with the input's shape and dtype; None stands for zeros. Inputs are a list, or
            the tensor if f has one argument; outputs and cotangents are lists if f returns one.

    Returns:
        A function of tensors, or what becomes such. A gradient of its gradient differentiates vjp,
        to which outputs have this gradient too; K.jvp() needs a vjp that is linear in the
        cotangents.

    Raises:
        ValueError: from the function: for inputs and outputs of other dtypes than floats, and
            gradients that are not as many as inputs, or of another shape or dtype.

    Example:
        clipped = K.custom_gradient(lambda x: x, lambda x, y, dy: K.clip(dy, -1., 1.))
  }];
}
def Api_custom_jvp : Keratin_Extension<"custom_jvp", "custom_jvp(f, jvp)"> {
  let hasAddress = 0;
  let pythonResult = "Callable[..., Any]";
  let documentation = [{
    The function that computes what f does, with tangents of the user's own.

    Args:
        f: a function of tensors of floats that returns one or a list of them. What it takes from
            outside is a constant to tangents: what is to have one is an argument.
        jvp: a function of (inputs, tangents) that returns the tangent of each output, a list or,
            of one, the tensor, with the output's shape and dtype; None stands for zeros. Inputs and
            tangents are lists, or the tensors if f has one argument. It is to be linear in the
            tangents.

    Returns:
        A function of tensors, or what becomes such. K.jvp() of its results is what jvp returns, and
        K.gradients() is the transpose of that; where jvp is not linear in the tangents, of its
        derivative where they are zero.

    Raises:
        ValueError: from the function: for inputs and outputs of other dtypes than floats, and
            tangents that are not as many as outputs, or of another shape or dtype.

    Example:
        exp = K.custom_jvp(K.exp, lambda x, t: t * K.exp(x))
  }];
}
def Api_checkpoint : Keratin_Extension<"checkpoint", "checkpoint(f)"> {
  let takesComplex = 1;
  let hasAddress = 0;
  let pythonResult = "Callable[..., Any]";
  let documentation = [{
    The function that computes what f does, and whose gradient computes it once more.

    Args:
        f: a function of tensors that returns one or a list of them. It may use tensors and
            variables from outside, to which gradients flow.

    Returns:
        A function of tensors, or what becomes such, with f's values and gradients. What f computes
        on the way is not kept for the gradient, which makes it again when it needs it: less
        memory, more time. Random numbers are the same both times.

    Example:
        for block in blocks:
            x = K.checkpoint(block)(x)   # keeps the inputs of blocks only
  }];
}
def Api_fixed_point : Keratin_Extension<"fixed_point",
    "fixed_point(f, x0, tolerance=None, maximum_iterations=1000, check=True)"> {
  let hasAddress = 0;
  let pythonResult = "Union[Tensor, List[Tensor]]";
  let documentation = [{
    The x = f(x) that a function leads to when it is applied again and again.

    Args:
        f: a function of tensors like x0 that returns as many, of their shapes and dtypes.
        x0: where it begins: a tensor or what becomes one, or a list of tensors.
        tolerance: it ends when an iteration changes no element by more than tolerance times the
            larger of 1 and the largest element; None: what fits the dtype.
        maximum_iterations: it ends after so many, an int or a scalar tensor.
        check: whether the call fails where these do not suffice, for gradients as well. Otherwise
            the result is what they have reached.

    Returns:
        A tensor, or a list if x0 is one. The gradient flows to what f takes from outside, by the
        implicit function theorem: nothing is kept of the iterations. None flows to x0. K.jvp() finds
        tangents as x was found.

    Raises:
        ValueError: for a function that returns another number of tensors, or other shapes or
            dtypes, and for a negative tolerance; from the call, where it does not converge.

    Example:
        h = K.fixed_point(lambda h: K.tanh(K.dot(h, w) + x), K.zeros_like(x))
  }];
}
def Api_root : Keratin_Extension<"root",
    "root(f, x0, tolerance=None, maximum_iterations=50, check=True)"> {
  let hasAddress = 0;
  let documentation = [{
    The x with f(x) = 0 that Newton's method finds.

    Args:
        f: a function of a tensor like x0 that returns one of its shape and dtype. All elements are
            one system, whose matrix of derivatives is formed; vmap() makes one of each element.
        x0: where it begins: a tensor or what becomes one.
        tolerance: it ends when a step changes no element by more than tolerance times the larger of
            1 and the largest element; None: what fits the dtype.
        maximum_iterations: it ends after so many, an int or a scalar tensor.
        check: whether the call fails where these do not suffice. Otherwise the result is what they
            have reached.

    Returns:
        A tensor of x0's shape. The gradient flows to what f takes from outside, by the implicit
        function theorem: nothing is kept of the iterations. None flows to x0.

    Raises:
        ValueError: for a function that returns another number of tensors, or another shape or
            dtype, and for a negative tolerance; from the call, where it does not converge.

    Example:
        K.root(lambda x: x * x - a, 1.)   # the square root of a
  }];
}
def Api_odeint : Keratin_Extension<"odeint",
    "odeint(f, y0, t, rtol=1e-5, atol=1e-7, maximum_steps=10000)"> {
  let hasAddress = 0;
  let pythonResult = "Union[Tensor, List[Tensor]]";
  let documentation = [{
    The solution of the differential equation dy/dt = f(y, t) at times.

    Args:
        f: a function of (y, t), t a scalar, that returns the derivative, of y's shape and dtype; of
            (y1, y2, ..., t) if y0 is a list, that returns a list.
        y0: y at the first time: a tensor or what becomes one, or a list of tensors.
        t: a vector of times, up or down.
        rtol, atol: by the root mean square of all elements, a step's error is at most
            rtol * abs(y) + atol. float32 has about 1e-6 for rtol.
        maximum_steps: from one time to the next, an int or a scalar tensor.

    Returns:
        A tensor of y0's shape with the times before it, or a list if y0 is one; by the pair of
        orders 5 and 4 of Dormand and Prince. NaN from where the steps are too many or too short.
        The gradient flows to y0, t and what f takes from outside: it integrates the adjoint
        equation back in time, as exactly, and keeps y at the times alone. K.jvp() takes the same
        steps as y.

    Raises:
        ValueError: for a function that returns another number of tensors, or other shapes or
            dtypes, t that is no vector with an element, and tolerances that are not positive.

    Example:
        K.odeint(lambda y, t: -k * y, [1., 2.], K.linspace(0., 1., 11))
  }];
}
