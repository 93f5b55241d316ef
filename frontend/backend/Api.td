// The whole keras.backend API, and what Keratin has beside it.
//
// keratin-tblgen makes of it docs/api.md, and the list by which a test links every function that is
// said to exist.
#ifndef KERATIN_API
#define KERATIN_API

class Keratin_Function<string name, string group, string signature> {
  string functionName = name;
  string functionGroup = group;
  // As Python writes it.
  string functionSignature = signature;
  // 0: a class, a template or overloaded, so it has no single address.
  bit hasAddress = 1;
  // The name in C++ where Python's is a keyword.
  string cxxName = name;
  // What Python's help() says: a line, and what Args, Returns and Raises say.
  string documentation = "";
  // Whether frontend/python/keratin has the Python function; of all others it is generated.
  bit hasPythonBody = 0;
}

//===-- config --------------------------------------------------------------------------------===//

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

//===-- graph ---------------------------------------------------------------------------------===//

def Api_get_uid : Keratin_Function<"get_uid", "graph", "get_uid(prefix='')">;
def Api_reset_uids : Keratin_Function<"reset_uids", "graph", "reset_uids()">;
def Api_clear_session : Keratin_Function<"clear_session", "graph", "clear_session()">;
def Api_manual_variable_initialization : Keratin_Function<"manual_variable_initialization", "graph",
    "manual_variable_initialization(value)">;
def Api_get_session : Keratin_Function<"get_session", "graph", "get_session()"> { let hasPythonBody = 1; }
def Api_set_session : Keratin_Function<"set_session", "graph", "set_session(session)"> { let hasPythonBody = 1; }
def Api_name_scope : Keratin_Function<"name_scope", "graph", "name_scope(name)"> { let hasAddress = 0; let hasPythonBody = 1; }
def Api_is_keras_tensor : Keratin_Function<"is_keras_tensor", "graph", "is_keras_tensor(x)"> { let hasPythonBody = 1; }
def Api_is_tensor : Keratin_Function<"is_tensor", "graph", "is_tensor(x)">;
def Api_is_variable : Keratin_Function<"is_variable", "graph", "is_variable(x)">;
def Api_is_placeholder : Keratin_Function<"is_placeholder", "graph", "is_placeholder(x)">;
def Api_shape : Keratin_Function<"shape", "graph", "shape(x)">;
def Api_int_shape : Keratin_Function<"int_shape", "graph", "int_shape(x)"> { let hasPythonBody = 1; }
def Api_ndim : Keratin_Function<"ndim", "graph", "ndim(x)">;
def Api_size : Keratin_Function<"size", "graph", "size(x, name=None)">;
def Api_dtype : Keratin_Function<"dtype", "graph", "dtype(x)">;
def Api_count_params : Keratin_Function<"count_params", "graph", "count_params(x)">;

//===-- io ------------------------------------------------------------------------------------===//

def Api_eval : Keratin_Function<"eval", "io", "eval(x)">;
def Api_get_value : Keratin_Function<"get_value", "io", "get_value(x)">;
def Api_batch_get_value : Keratin_Function<"batch_get_value", "io", "batch_get_value(ops)">;
def Api_set_value : Keratin_Function<"set_value", "io", "set_value(x, value)">;
def Api_batch_set_value : Keratin_Function<"batch_set_value", "io", "batch_set_value(tuples)">;
def Api_print_tensor : Keratin_Function<"print_tensor", "io", "print_tensor(x, message='')">;
def Api_function : Keratin_Function<"function", "io", "function(inputs, outputs, updates=None, **kwargs)"> { let hasAddress = 0; let hasPythonBody = 1; }

//===-- graph ---------------------------------------------------------------------------------===//

def Api_gradients : Keratin_Function<"gradients", "graph", "gradients(loss, variables)">;
def Api_stop_gradient : Keratin_Function<"stop_gradient", "graph",
    "stop_gradient(variables)"> { let hasAddress = 0; }

//===-- variable ------------------------------------------------------------------------------===//

def Api_update : Keratin_Function<"update", "variable", "update(x, new_x)">;
def Api_update_add : Keratin_Function<"update_add", "variable", "update_add(x, increment)">;
def Api_update_sub : Keratin_Function<"update_sub", "variable", "update_sub(x, decrement)">;
def Api_moving_average_update : Keratin_Function<"moving_average_update", "variable",
    "moving_average_update(x, value, momentum)"> { let hasPythonBody = 1; }
def Api_variable : Keratin_Function<"variable", "variable",
    "variable(value, dtype=None, name=None, constraint=None)"> { let hasAddress = 0; }

//===-- creation ------------------------------------------------------------------------------===//

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

//===-- elementwise ---------------------------------------------------------------------------===//

def Api_cast : Keratin_Function<"cast", "elementwise", "cast(x, dtype)">;

//===-- creation ------------------------------------------------------------------------------===//

def Api_arange : Keratin_Function<"arange", "creation", "arange(start, stop=None, step=1, dtype='int32')"> { let hasAddress = 0; }

//===-- random --------------------------------------------------------------------------------===//

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

//===-- linear algebra ------------------------------------------------------------------------===//

def Api_dot : Keratin_Function<"dot", "linear algebra", "dot(x, y)">;
def Api_batch_dot : Keratin_Function<"batch_dot", "linear algebra", "batch_dot(x, y, axes=None)">;
def Api_transpose : Keratin_Function<"transpose", "linear algebra", "transpose(x)">;
def Api_gather : Keratin_Function<"gather", "linear algebra", "gather(reference, indices)">;

//===-- reduction -----------------------------------------------------------------------------===//

def Api_max : Keratin_Function<"max", "reduction", "max(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_min : Keratin_Function<"min", "reduction", "min(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_sum : Keratin_Function<"sum", "reduction", "sum(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_prod : Keratin_Function<"prod", "reduction", "prod(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_mean : Keratin_Function<"mean", "reduction", "mean(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_var : Keratin_Function<"var", "reduction", "var(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_std : Keratin_Function<"std", "reduction", "std(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_any : Keratin_Function<"any", "reduction", "any(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_all : Keratin_Function<"all", "reduction", "all(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_argmax : Keratin_Function<"argmax", "reduction", "argmax(x, axis=-1)">;
def Api_argmin : Keratin_Function<"argmin", "reduction", "argmin(x, axis=-1)">;
def Api_cumsum : Keratin_Function<"cumsum", "reduction", "cumsum(x, axis=0)">;
def Api_cumprod : Keratin_Function<"cumprod", "reduction", "cumprod(x, axis=0)">;
def Api_logsumexp : Keratin_Function<"logsumexp", "reduction", "logsumexp(x, axis=None, keepdims=False)"> { let hasAddress = 0; }

//===-- elementwise ---------------------------------------------------------------------------===//

def Api_square : Keratin_Function<"square", "elementwise", "square(x)">;
def Api_exp : Keratin_Function<"exp", "elementwise", "exp(x)">;
def Api_log : Keratin_Function<"log", "elementwise", "log(x)">;
def Api_sin : Keratin_Function<"sin", "elementwise", "sin(x)">;
def Api_cos : Keratin_Function<"cos", "elementwise", "cos(x)">;
def Api_abs : Keratin_Function<"abs", "elementwise", "abs(x)">;
def Api_sqrt : Keratin_Function<"sqrt", "elementwise", "sqrt(x)">;
def Api_round : Keratin_Function<"round", "elementwise", "round(x)">;
def Api_sign : Keratin_Function<"sign", "elementwise", "sign(x)">;
def Api_pow : Keratin_Function<"pow", "elementwise", "pow(x, a)">;
def Api_clip : Keratin_Function<"clip", "elementwise", "clip(x, min_value, max_value)">;
def Api_equal : Keratin_Function<"equal", "elementwise", "equal(x, y)">;
def Api_not_equal : Keratin_Function<"not_equal", "elementwise", "not_equal(x, y)">;
def Api_greater : Keratin_Function<"greater", "elementwise", "greater(x, y)">;
def Api_greater_equal : Keratin_Function<"greater_equal", "elementwise", "greater_equal(x, y)">;
def Api_less : Keratin_Function<"less", "elementwise", "less(x, y)">;
def Api_less_equal : Keratin_Function<"less_equal", "elementwise", "less_equal(x, y)">;
def Api_maximum : Keratin_Function<"maximum", "elementwise", "maximum(x, y)">;
def Api_minimum : Keratin_Function<"minimum", "elementwise", "minimum(x, y)">;

//===-- shape ---------------------------------------------------------------------------------===//

def Api_concatenate : Keratin_Function<"concatenate", "shape", "concatenate(tensors, axis=-1)">;
def Api_reshape : Keratin_Function<"reshape", "shape", "reshape(x, shape)">;
def Api_permute_dimensions : Keratin_Function<"permute_dimensions", "shape",
    "permute_dimensions(x, pattern)">;
def Api_resize_images : Keratin_Function<"resize_images", "shape",
    "resize_images(x, height_factor, width_factor, data_format, interpolation='nearest')">;
def Api_resize_volumes : Keratin_Function<"resize_volumes", "shape",
    "resize_volumes(x, depth_factor, height_factor, width_factor, data_format)">;
def Api_repeat_elements : Keratin_Function<"repeat_elements", "shape", "repeat_elements(x, rep, axis)">;
def Api_repeat : Keratin_Function<"repeat", "shape", "repeat(x, n)">;
def Api_tile : Keratin_Function<"tile", "shape", "tile(x, n)">;
def Api_flatten : Keratin_Function<"flatten", "shape", "flatten(x)">;
def Api_batch_flatten : Keratin_Function<"batch_flatten", "shape", "batch_flatten(x)">;
def Api_expand_dims : Keratin_Function<"expand_dims", "shape", "expand_dims(x, axis=-1)">;
def Api_squeeze : Keratin_Function<"squeeze", "shape", "squeeze(x, axis)">;
def Api_temporal_padding : Keratin_Function<"temporal_padding", "shape",
    "temporal_padding(x, padding=(1, 1))">;
def Api_spatial_2d_padding : Keratin_Function<"spatial_2d_padding", "shape",
    "spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None)">;
def Api_spatial_3d_padding : Keratin_Function<"spatial_3d_padding", "shape",
    "spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None)">;
def Api_stack : Keratin_Function<"stack", "shape", "stack(x, axis=0)">;
def Api_one_hot : Keratin_Function<"one_hot", "shape", "one_hot(indices, num_classes)">;
def Api_reverse : Keratin_Function<"reverse", "shape", "reverse(x, axes)">;
def Api_pattern_broadcast : Keratin_Function<"pattern_broadcast", "shape",
    "pattern_broadcast(x, broadcastable)">;

//===-- nn ------------------------------------------------------------------------------------===//

def Api_normalize_batch_in_training : Keratin_Function<"normalize_batch_in_training", "nn",
    "normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001)">;
def Api_batch_normalization : Keratin_Function<"batch_normalization", "nn",
    "batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=0.001)"> { let hasAddress = 0; }
def Api_relu : Keratin_Function<"relu", "nn", "relu(x, alpha=0.0, max_value=None, threshold=0.0)"> { let hasAddress = 0; }
def Api_elu : Keratin_Function<"elu", "nn", "elu(x, alpha=1.0)">;
def Api_softmax : Keratin_Function<"softmax", "nn", "softmax(x, axis=-1)">;
def Api_softplus : Keratin_Function<"softplus", "nn", "softplus(x)">;
def Api_softsign : Keratin_Function<"softsign", "nn", "softsign(x)">;
def Api_sigmoid : Keratin_Function<"sigmoid", "nn", "sigmoid(x)">;
def Api_hard_sigmoid : Keratin_Function<"hard_sigmoid", "nn", "hard_sigmoid(x)">;
def Api_tanh : Keratin_Function<"tanh", "nn", "tanh(x)">;
def Api_categorical_crossentropy : Keratin_Function<"categorical_crossentropy", "nn",
    "categorical_crossentropy(target, output, from_logits=False, axis=-1)"> { let hasAddress = 0; }
def Api_sparse_categorical_crossentropy : Keratin_Function<"sparse_categorical_crossentropy", "nn",
    "sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1)"> { let hasAddress = 0; }
def Api_binary_crossentropy : Keratin_Function<"binary_crossentropy", "nn",
    "binary_crossentropy(target, output, from_logits=False)">;
def Api_dropout : Keratin_Function<"dropout", "nn", "dropout(x, level, noise_shape=None, seed=None)"> { let hasAddress = 0; }
def Api_l2_normalize : Keratin_Function<"l2_normalize", "nn", "l2_normalize(x, axis=None)">;
def Api_in_top_k : Keratin_Function<"in_top_k", "nn", "in_top_k(predictions, targets, k)">;
def Api_bias_add : Keratin_Function<"bias_add", "nn", "bias_add(x, bias, data_format=None)">;

//===-- conv ----------------------------------------------------------------------------------===//

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

//===-- pool ----------------------------------------------------------------------------------===//

def Api_pool2d : Keratin_Function<"pool2d", "pool",
    "pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max')"> { let hasAddress = 0; }
def Api_pool3d : Keratin_Function<"pool3d", "pool",
    "pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max')"> { let hasAddress = 0; }

//===-- rnn-control ---------------------------------------------------------------------------===//

def Api_rnn : Keratin_Function<"rnn", "rnn-control",
    "rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, "
    "unroll=False, input_length=None, time_major=False, zero_output_for_mask=False)"> { let hasAddress = 0; }
def Api_switch : Keratin_Function<"switch", "rnn-control",
    "switch(condition, then_expression, else_expression)"> { let cxxName = "switch_"; }
def Api_map_fn : Keratin_Function<"map_fn", "rnn-control", "map_fn(fn, elems, name=None, dtype=None)"> { let hasAddress = 0; }
def Api_foldl : Keratin_Function<"foldl", "rnn-control", "foldl(fn, elems, initializer=None, name=None)"> { let hasAddress = 0; }
def Api_foldr : Keratin_Function<"foldr", "rnn-control", "foldr(fn, elems, initializer=None, name=None)"> { let hasAddress = 0; }

//===-- training-phase ------------------------------------------------------------------------===//

def Api_learning_phase : Keratin_Function<"learning_phase", "training-phase", "learning_phase()">;
def Api_set_learning_phase : Keratin_Function<"set_learning_phase", "training-phase",
    "set_learning_phase(value)">;
def Api_in_train_phase : Keratin_Function<"in_train_phase", "training-phase",
    "in_train_phase(x, alt, training=None)">;
def Api_in_test_phase : Keratin_Function<"in_test_phase", "training-phase",
    "in_test_phase(x, alt, training=None)">;

//===-- sparse --------------------------------------------------------------------------------===//

def Api_is_sparse : Keratin_Function<"is_sparse", "sparse", "is_sparse(tensor)">;
def Api_to_dense : Keratin_Function<"to_dense", "sparse", "to_dense(tensor)">;

//===-- ctc -----------------------------------------------------------------------------------===//

def Api_ctc_label_dense_to_sparse : Keratin_Function<"ctc_label_dense_to_sparse", "ctc",
    "ctc_label_dense_to_sparse(labels, label_lengths)">;
def Api_ctc_batch_cost : Keratin_Function<"ctc_batch_cost", "ctc",
    "ctc_batch_cost(y_true, y_pred, input_length, label_length)">;
def Api_ctc_decode : Keratin_Function<"ctc_decode", "ctc",
    "ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, merge_repeated=False)"> { let hasAddress = 0; }
def Api_ctc_interleave_blanks : Keratin_Function<"ctc_interleave_blanks", "ctc", "ctc_interleave_blanks(Y)">;
def Api_ctc_create_skip_idxs : Keratin_Function<"ctc_create_skip_idxs", "ctc", "ctc_create_skip_idxs(Y)">;
def Api_ctc_update_log_p : Keratin_Function<"ctc_update_log_p", "ctc",
    "ctc_update_log_p(skip_idxs, zeros, active, log_p_curr, log_p_prev)">;
def Api_ctc_path_probs : Keratin_Function<"ctc_path_probs", "ctc",
    "ctc_path_probs(predict, Y, alpha=0.0001)">;
def Api_ctc_cost : Keratin_Function<"ctc_cost", "ctc", "ctc_cost(predict, Y)">;

//===-- graph ---------------------------------------------------------------------------------===//

def Api_control_dependencies : Keratin_Function<"control_dependencies", "graph",
    "control_dependencies(control_inputs)"> { let hasAddress = 0; let hasPythonBody = 1; }

//===-- config --------------------------------------------------------------------------------===//

def Api_normalize_data_format : Keratin_Function<"normalize_data_format", "config",
    "normalize_data_format(value)">;

//===-- shape ---------------------------------------------------------------------------------===//

def Api_slice : Keratin_Function<"slice", "shape", "slice(x, start, size)">;

//===-- graph ---------------------------------------------------------------------------------===//

def Api_get_variable_shape : Keratin_Function<"get_variable_shape", "graph", "get_variable_shape(x)"> { let hasPythonBody = 1; }

//===-- extensions ----------------------------------------------------------------------------===//

// What keras.backend does not have and models need.
class Keratin_Extension<string name, string signature>
    : Keratin_Function<name, "extensions", signature>;

def Api_floor : Keratin_Extension<"floor", "floor(x)">;
def Api_ceil : Keratin_Extension<"ceil", "ceil(x)">;
def Api_tan : Keratin_Extension<"tan", "tan(x)">;
def Api_atan : Keratin_Extension<"atan", "atan(x)">;
def Api_erf : Keratin_Extension<"erf", "erf(x)">;
def Api_floor_divide : Keratin_Extension<"floor_divide", "floor_divide(x, y)">;
def Api_where : Keratin_Extension<"where", "where(condition, x, y)">;
def Api_matmul : Keratin_Extension<"matmul", "matmul(x, y)">;
def Api_einsum : Keratin_Extension<"einsum", "einsum(equation, operands)">;
def Api_diag : Keratin_Extension<"diag", "diag(x, k=0)">;
def Api_trace : Keratin_Extension<"trace",
    "trace(x, offset=0, axis1=0, axis2=1)"> { let hasAddress = 0; }
def Api_pad : Keratin_Extension<"pad",
    "pad(x, pad_width, mode='constant', constant_values=0)"> { let hasAddress = 0; }
def Api_split : Keratin_Extension<"split", "split(x, num_or_size_splits, axis=0)">;
def Api_scatter : Keratin_Extension<"scatter", "scatter(x, indices, updates, mode='write')">;
def Api_top_k : Keratin_Extension<"top_k", "top_k(x, k, axis=-1)">;
def Api_while_loop : Keratin_Extension<"while_loop",
    "while_loop(cond, body, loop_vars, maximum_iterations=None)">;
def Api_is_same : Keratin_Extension<"is_same", "is_same(a, b)"> { let hasPythonBody = 1; }
def Api_set_random_seed : Keratin_Extension<"set_random_seed", "set_random_seed(seed)">;
def Api_device : Keratin_Extension<"device", "device()">;
def Api_set_device : Keratin_Extension<"set_device", "set_device(name)">;
def Api_save_function : Keratin_Extension<"save_function", "save_function(f, path)"> { let hasPythonBody = 1; }
def Api_save_functions : Keratin_Extension<"save_functions", "save_functions(functions, path)">;
def Api_load_function : Keratin_Extension<"load_function", "load_function(path, name='')">;
def Api_load_functions : Keratin_Extension<"load_functions", "load_functions(path)">;
def Api_save_weights : Keratin_Extension<"save_weights",
    "save_weights(variables, path)"> { let hasAddress = 0; }
def Api_load_weights : Keratin_Extension<"load_weights",
    "load_weights(variables, path)"> { let hasAddress = 0; }

#endif // KERATIN_API
