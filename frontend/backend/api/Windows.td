def Api_conv1d : Keratin_Function<"conv1d", "conv",
    "conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1)"> { let hasAddress = 0; }
def Api_conv2d : Keratin_Function<"conv2d", "conv",
    "conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1))"> { let hasAddress = 0; }
def Api_conv2d_transpose : Keratin_Function<"conv2d_transpose", "conv",
    "conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))"> { let hasAddress = 0; }
def Api_separable_conv1d : Keratin_Function<"separable_conv1d", "conv",
    "separable_conv1d(x, depthwise_kernel, pointwise_kernel, strides=1, padding='valid', "
    "data_format=None, dilation_rate=1)"> { let hasAddress = 0; }
def Api_separable_conv2d : Keratin_Function<"separable_conv2d", "conv",
    "separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding='valid', "
    "data_format=None, dilation_rate=(1, 1))"> { let hasAddress = 0; }
def Api_depthwise_conv2d : Keratin_Function<"depthwise_conv2d", "conv",
    "depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))"> { let hasAddress = 0; }
def Api_conv3d : Keratin_Function<"conv3d", "conv",
    "conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1))"> { let hasAddress = 0; }
def Api_conv3d_transpose : Keratin_Function<"conv3d_transpose", "conv",
    "conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None)"> { let hasAddress = 0; }
def Api_local_conv1d : Keratin_Function<"local_conv1d", "conv",
    "local_conv1d(inputs, kernel, kernel_size, strides, data_format=None)">;
def Api_local_conv2d : Keratin_Function<"local_conv2d", "conv",
    "local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None)">;
def Api_pool2d : Keratin_Function<"pool2d", "pool",
    "pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max')"> { let hasAddress = 0; }
def Api_pool3d : Keratin_Function<"pool3d", "pool",
    "pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max')"> { let hasAddress = 0; }
