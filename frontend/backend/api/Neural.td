def Api_normalize_batch_in_training : Keratin_Function<"normalize_batch_in_training", "nn",
    "normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001)"> {
  let pythonResult = "Tuple[Tensor, Tensor, Tensor]";
  let documentation = [{
    Batch normalization by the mean and variance of x itself.

    (x - mean) / sqrt(variance + epsilon) * gamma + beta; Ioffe & Szegedy 2015, Batch
    normalization: accelerating deep network training by reducing internal covariate shift.

    Args:
        x: a tensor or what becomes one.
        gamma: the scale, a tensor that has the other axes' sizes; None: 1.
        beta: the offset, likewise; None: 0.
        reduction_axes: the axes that mean and variance are taken over, a list.
        epsilon: a number, added to the variance.

    Returns:
        (normalized, mean, variance): a tensor of x's shape, and two without the reduced axes.
        The variance is the population's. Gradients flow through both.
  }];
}
def Api_batch_normalization : Keratin_Function<"batch_normalization", "nn",
    "batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=0.001)"> {
  let hasAddress = 0;
  let documentation = [{
    Batch normalization by a given mean and variance.

    (x - mean) / sqrt(var + epsilon) * gamma + beta; Ioffe & Szegedy 2015, Batch normalization:
    accelerating deep network training by reducing internal covariate shift.

    Args:
        x: a tensor or what becomes one.
        mean, var: tensors; vectors lie along `axis`, those of x's rank are broadcast.
        beta: the offset, likewise; None: 0.
        gamma: the scale, likewise; None: 1. Mind the order: beta comes first.
        axis: the axis of channels.
        epsilon: a number, added to the variance.

    Returns:
        A tensor of x's shape.
  }];
}
def Api_relu : Keratin_Function<"relu", "nn",
    "relu(x, alpha=0.0, max_value=None, threshold=0.0)"> {
  let hasAddress = 0;
  let documentation = [{
    The rectified linear unit: x above the threshold, alpha * (x - threshold) below.

    max(x, 0) by default (Nair & Hinton 2010); leaky with alpha > 0 (Maas et al. 2013).

    Args:
        x: a tensor or what becomes one, of numbers.
        alpha: the slope below the threshold, a number.
        max_value: what is above becomes this number; None: nothing does.
        threshold: a number; x at it gives 0.

    Returns:
        A tensor of x's shape. The gradient at 0, with the defaults, is 0.
  }];
}
def Api_elu : Keratin_Function<"elu", "nn", "elu(x, alpha=1.0)"> {
  let documentation = [{
    The exponential linear unit: x above 0, alpha * (exp(x) - 1) below.

    Clevert et al. 2015, Fast and accurate deep network learning by exponential linear units (ELUs).

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        alpha: a number; -alpha is the limit for very negative x.

    Returns:
        A tensor of x's shape and dtype. The gradient at 0 is alpha.
  }];
}
def Api_softmax : Keratin_Function<"softmax", "nn", "softmax(x, axis=-1)"> {
  let documentation = [{
    exp(x) / sum(exp(x)) along an axis: probabilities, of logits x, without overflow.

    Args:
        x: a tensor or what becomes one, of rank 1 or more; integers and bools become floatx().
        axis: the axis of classes, along which the result sums to 1.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: for a scalar.
  }];
}

// y = f(x), element by element.
class Keratin_Activation<string name, string what, string more = "">
    : Keratin_Function<name, "nn", name # "(x)"> {
  let documentation = what # more # [{

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of x's shape and dtype.
  }];
}
def Api_softplus : Keratin_Activation<"softplus",
    "log(1 + exp(x)), element by element, without overflow.",
    [{

    Dugas et al. 2000, Incorporating second-order functional knowledge for better option
    pricing.}]>;
def Api_softsign : Keratin_Activation<"softsign", "x / (1 + abs(x)), element by element.",
    [{

    Glorot & Bengio 2010, Understanding the difficulty of training deep feedforward neural
    networks.}]>;
def Api_sigmoid : Keratin_Activation<"sigmoid",
    "1 / (1 + exp(-x)), element by element, without overflow.">;
def Api_hard_sigmoid : Keratin_Activation<"hard_sigmoid",
    "clip(0.2 * x + 0.5, 0, 1), element by element: a sigmoid of straight lines.",
    [{

    The gradient is 0.2 from -2.5 to 2.5, the ends among them, and 0 outside.}]>;
def Api_tanh : Keratin_Activation<"tanh", "The hyperbolic tangent, element by element."> {
  let takesComplex = 1;
}

def Api_categorical_crossentropy : Keratin_Function<"categorical_crossentropy", "nn",
    "categorical_crossentropy(target, output, from_logits=False, axis=-1)"> {
  let hasAddress = 0;
  let documentation = [{
    -sum(target * log(p)) over the classes, for predicted probabilities p.

    Args:
        target: the true probabilities (one-hot vectors, for one), of the shape of output.
        output: the predicted probabilities, which are scaled to sum to 1 and clipped to
            [epsilon(), 1 - epsilon()]; or logits.
        from_logits: whether output is logits: p is softmax(output), not clipped.
        axis: the axis of classes: -1, or counted from the first.

    Returns:
        A tensor of output's shape without that axis.

    Raises:
        ValueError: for another negative axis, and for shapes that differ.
  }];
}
def Api_sparse_categorical_crossentropy : Keratin_Function<"sparse_categorical_crossentropy",
    "nn", "sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1)"> {
  let hasAddress = 0;
  let documentation = [{
    -log(p[target]): the cross-entropy for true classes given by number.

    Args:
        target: the numbers of classes, as integers or floats, of output's shape without the
            classes, or that with a last axis of size 1.
        output: the predicted probabilities, which are clipped to [epsilon(), 1 - epsilon()] and
            then scaled to sum to 1; or logits.
        from_logits: whether output is logits: p is softmax(output), not clipped.
        axis: the axis of classes: -1, or counted from the first.

    Returns:
        A tensor of output's shape without that axis; NaN for a number that is no class.

    Raises:
        TypeError: for bools as target.
  }];
}
def Api_binary_crossentropy : Keratin_Function<"binary_crossentropy", "nn",
    "binary_crossentropy(target, output, from_logits=False)"> {
  let documentation = [{
    -(target * log(p) + (1 - target) * log(1 - p)), element by element.

    Args:
        target: the true probabilities.
        output: the predicted probabilities p, which are clipped to [epsilon(), 1 - epsilon()]
            and have epsilon() added inside both logarithms; or logits.
        from_logits: whether output is logits l: max(l, 0) - l * target + log(1 + exp(-abs(l))),
            not clipped.

    Returns:
        A tensor of output's shape; no mean is taken.
  }];
}
def Api_dropout : Keratin_Function<"dropout", "nn",
    "dropout(x, level, noise_shape=None, seed=None)"> {
  let hasAddress = 0;
  let documentation = [{
    Zeros with probability `level`, x / (1 - level) otherwise; in every phase.

    Srivastava et al. 2014, Dropout: a simple way to prevent neural networks from overfitting.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        level: the part that becomes 0, a number from 0 to below 1.
        noise_shape: the shape of what is drawn, which is broadcast to x; None entries are x's
            sizes, None all of them. (None, 1, None) draws once for all steps of a sequence.
        seed: an int, or None for one that is drawn now; see random_uniform().

    Returns:
        A tensor of x's shape, x itself if level is 0.

    Raises:
        ValueError: for another level, and for a noise_shape that does not broadcast to x.
  }];
}
def Api_l2_normalize : Keratin_Function<"l2_normalize", "nn", "l2_normalize(x, axis=None)"> {
  let documentation = [{
    x / sqrt(max(sum(x**2), 1e-12)): vectors of length 1.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        axis: the axes of the vectors, one or a list; None: all of x is one vector.

    Returns:
        A tensor of x's shape and dtype.
  }];
}
def Api_in_top_k : Keratin_Function<"in_top_k", "nn", "in_top_k(predictions, targets, k)"> {
  let documentation = [{
    Whether fewer than k classes are predicted above the true one.

    Args:
        predictions: a tensor of shape (batch, classes).
        targets: the true classes, a vector of integers.
        k: an int.

    Returns:
        A vector of bools. Ties with the true class do not count against it. False where the
        target is no class, and where the row has an infinity or a NaN.
  }];
}
def Api_bias_add : Keratin_Function<"bias_add", "nn", "bias_add(x, bias, data_format=None)"> {
  let documentation = [{
    x plus a bias for each channel, or for each place and channel.

    Args:
        x: a tensor or what becomes one, with the batch first.
        bias: a vector along the channels; or a tensor of rank ndim(x) - 1 and shape
            (spatial..., channels), whose elements in row-major order are, for 'channels_first',
            given the shape (channels, spatial...).
        data_format: 'channels_last' or 'channels_first' for ranks 3 to 5, otherwise the channels
            are last; None: image_data_format().

    Returns:
        A tensor of x's shape.

    Raises:
        ValueError: for a bias of another rank, and for sizes that differ.
  }];
}
