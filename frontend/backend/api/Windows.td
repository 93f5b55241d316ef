// The parameters that all windows moving over space have.
class Keratin_Window<string perAxis, string paddings = ".", string dilations = ""> {
  string arguments = [{
        strides: the distance of windows: an int, or }] # perAxis # [{
        padding: 'valid', no zeros around; 'same', so many that strides of 1 keep the sizes, an
            odd one at the end}] # paddings # [{
        data_format: 'channels_last' (batch, space, channels) or 'channels_first' (batch,
            channels, space); None: image_data_format().}] # dilations;
}

// Dumoulin & Visin 2016, A guide to convolution arithmetic for deep learning, has the sizes.
class Keratin_Convolution<string name, string signature, string what, string kernels,
                          string returns, bit isDilated = 1,
                          string perAxis = "one for each spatial axis.", string paddings = ".">
    : Keratin_Function<name, "conv", name # signature> {
  let hasAddress = 0;
  let documentation = !strconcat(what, [{

    Args:
        x: a tensor or what becomes one, with the batch first.
        }], kernels, Keratin_Window<perAxis, paddings, !if(isDilated, [{
        dilation_rate: the distance of a window's elements, likewise.}], "")>.arguments, [{

    Returns:
        }], returns, [{

    Raises:
        ValueError: for ranks, channels and sizes that do not fit, and any other padding or
            data_format.
  }]);
}

def Api_conv1d : Keratin_Convolution<"conv1d",
    "(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1)",
    [{The convolution of sequences with a kernel that is not flipped.

    y[b, o, f] is the sum over i and c of
    x[b, o * stride + i * dilation - zeros before, c] * kernel[i, c, f].}],
    "kernel: a tensor of shape (k, channels of x, channels of the result).",
    [{A tensor with the kernel's channels. Its time is, for n steps of x and a window that reaches
        over r = (k - 1) * dilation + 1, ceil((n - r + 1) / stride) by 'valid', else
        ceil(n / stride).}],
    1, "a tuple of one.", [{; 'causal', all before, so that no step sees a later one,
            with 'channels_last'.}]>;
def Api_conv2d : Keratin_Convolution<"conv2d",
    "(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1))",
    "The convolution of images with a kernel that is not flipped.",
    "kernel: a tensor of shape (rows, columns, channels of x, channels of the result).",
    "A tensor with the kernel's channels; each axis has the size that conv1d has.">;
def Api_conv3d : Keratin_Convolution<"conv3d",
    "(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1))",
    "The convolution of volumes with a kernel that is not flipped.",
    "kernel: a tensor of shape (depth, rows, columns, channels of x, channels of the result).",
    "A tensor with the kernel's channels; each axis has the size that conv1d has.">;

def Api_conv2d_transpose : Keratin_Convolution<"conv2d_transpose",
    "(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))",
    [{The gradient of conv2d with respect to its images, applied to x.

    Each element of x adds its multiple of the kernel to the result, strides apart; Zeiler et al.
    2010, Deconvolutional networks.}],
    [{kernel: that of the convolution: (rows, columns, channels of the result, channels of x).
        output_shape: the whole shape of the result, in the order of data_format: ints, scalar
            tensors, and None for the batch. The convolution must make x's sizes of it.}],
    "A tensor of output_shape.">;
def Api_conv3d_transpose : Keratin_Convolution<"conv3d_transpose",
    "(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None)",
    "The gradient of conv3d with respect to its volumes, applied to x: see conv2d_transpose().",
    [{kernel: that of the convolution: (depth, rows, columns, channels of the result, channels
            of x).
        output_shape: the whole shape of the result, in the order of data_format: ints, scalar
            tensors, and None for the batch. The convolution must make x's sizes of it.}],
    "A tensor of output_shape.", 0>;

def Api_depthwise_conv2d : Keratin_Convolution<"depthwise_conv2d",
    "(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))",
    "The convolution of each channel of images by itself.",
    "depthwise_kernel: a tensor of shape (rows, columns, channels of x, m).",
    [{A tensor of the sizes that conv2d has; its channels c * m to c * m + m - 1 are of channel c
        of x.}]>;
def Api_separable_conv1d : Keratin_Convolution<"separable_conv1d",
    "(x, depthwise_kernel, pointwise_kernel, strides=1, padding='valid', "
    "data_format=None, dilation_rate=1)",
    [{The convolution of each channel of sequences by itself, then of the channels at each step.

    Chollet 2017, Xception: deep learning with depthwise separable convolutions.}],
    [{depthwise_kernel: a tensor of shape (k, channels of x, m).
        pointwise_kernel: a tensor of shape (1, channels of x * m, channels of the result).}],
    "A tensor with the channels of pointwise_kernel, of the size that conv1d has.",
    1, "a tuple of one.">;
def Api_separable_conv2d : Keratin_Convolution<"separable_conv2d",
    "(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding='valid', "
    "data_format=None, dilation_rate=(1, 1))",
    [{The convolution of each channel of images by itself, then of the channels at each place.

    Chollet 2017, Xception: deep learning with depthwise separable convolutions.}],
    [{depthwise_kernel: a tensor of shape (rows, columns, channels of x, m).
        pointwise_kernel: a tensor of shape (1, 1, channels of x * m, channels of the result).}],
    "A tensor with the channels of pointwise_kernel, of the sizes that conv2d has.">;

def Api_local_conv1d : Keratin_Function<"local_conv1d", "conv",
    "local_conv1d(inputs, kernel, kernel_size, strides, data_format=None)"> {
  let documentation = [{
    The convolution of sequences with a kernel of its own for each step of the result.

    Args:
        inputs: a tensor or what becomes one, (batch, steps, channels) in any data format.
        kernel: a tensor of shape (steps of the result, kernel_size * channels, filters); a window
            is flattened step by step.
        kernel_size: the steps of a window, a tuple of one int.
        strides: the distance of windows, a tuple of one int.
        data_format: 'channels_last' or 'channels_first'; it changes nothing.

    Returns:
        A tensor of shape (batch, steps of the result, filters).

    Raises:
        ValueError: for a kernel of another shape.
  }];
}
def Api_local_conv2d : Keratin_Function<"local_conv2d", "conv",
    "local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None)"> {
  let documentation = [{
    The convolution of images with a kernel of its own for each place of the result.

    Args:
        inputs: a tensor or what becomes one, of rank 4, with the batch first.
        kernel: a tensor of shape (rows * columns of the result, elements of a window, filters); a
            window is flattened in the order of data_format.
        kernel_size: (rows, columns) of a window.
        strides: the distance of windows, a pair of ints.
        output_shape: (rows, columns) of the result.
        data_format: 'channels_last' or 'channels_first'; None: image_data_format().

    Returns:
        A tensor of filters at these places, in the order of data_format.

    Raises:
        ValueError: for shapes that do not fit each other.
  }];
}

class Keratin_Pooling<string name, string strides, string what, string sizes>
    : Keratin_Function<name, "pool", name # "(x, pool_size, strides=" # strides #
                       ", padding='valid', data_format=None, pool_mode='max')"> {
  let hasAddress = 0;
  let documentation = !strconcat("The largest or the mean element in each window of ", what, [{.

    Args:
        x: a tensor or what becomes one, with the batch first.
        pool_size: }], sizes, [{ of a window: an int, or one for each.}],
        Keratin_Window<"one for each spatial axis.">.arguments, [{
        pool_mode: 'max', or 'avg' for the mean.

    Returns:
        A tensor with the channels of x and the sizes that convolutions have. What lies outside x
        does not count. The gradient of a largest element goes to the first of equals.

    Raises:
        ValueError: for sizes that do not fit, and any other padding, data_format or pool_mode.
  }]);
}
def Api_pool2d : Keratin_Pooling<"pool2d", "(1, 1)", "images", "rows and columns">;
def Api_pool3d : Keratin_Pooling<"pool3d", "(1, 1, 1)", "volumes", "depth, rows and columns">;
