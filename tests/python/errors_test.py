"""Refusals: their Python kind, and that they name the function and the parameter, what was found and what is needed."""
import re

import numpy as np
import pytest

import keratin.backend as K

X = K.constant(np.ones((2, 3)))


def function_of(x=None):
    x = x or K.placeholder((None, 3))
    return K.function([x], [x * 2])


def nested(depth, twice=False):
    """A list in lists; in itself where there is no depth."""
    found = []
    if not depth:
        found += [found, found] if twice else [found]
    for _ in range(depth):
        found = [found]
    return found


REFUSALS = [
    # Operands.
    (ValueError, lambda: K.constant(nested(0)),
     'constant: value is lists in lists, more than 64 deep; needed an array or numbers in nested lists'),
    (ValueError, lambda: K.sum(nested(0, twice=True)), 'sum: x is lists in lists, more than 64 deep'),
    (ValueError, lambda: K.stack([X, nested(100000)]), 'stack: x is lists in lists, more than 64 deep'),
    (TypeError, lambda: K.dot('abc', X),
     "dot: x is 'abc' (str); needed a tensor, a number, an array or a list of these"),
    (TypeError, lambda: K.constant({'a': 1}), "constant: value is {'a': 1} (dict); needed a tensor, a number"),
    (TypeError, lambda: K.exp(b'abc'), "exp: x is b'abc' (bytes); needed a tensor"),
    (TypeError, lambda: K.exp(object),
     "exp: x is <class 'object'> (type), an array of object; needed numbers or bools"),
    (TypeError, lambda: X + 'abc', "add: y is 'abc' (str); needed a tensor"),
    (TypeError, lambda: [None, 'a'] * X, "multiply: x is"),
    (ValueError, lambda: K.variable(2 ** 70), 'variable: value is 1180591620717411303424 (int), which no int64 holds'),
    (ValueError, lambda: K.variable([[1, 2], [3]]),
     'variable: value is [[1, 2], [3]] (list); needed an array or numbers in nested lists of equal length'),
    (TypeError, lambda: K.variable(np.array(['a'])), 'an array of <U1; needed numbers or bools'),
    (TypeError, lambda: K.variable(np.array(['2020-01-01'], 'M8[D]')), 'needed numbers or bools'),
    (TypeError, lambda: K.gradients(3, [X]), 'gradients: loss is 3 (int); needed a tensor'),
    (TypeError, lambda: K.gradients(X, [3]), 'gradients: variables is [3] (list); needed tensors alone'),
    (TypeError, lambda: K.gradients(X, {X}), 'gradients: variables is {'),
    (TypeError, lambda: K.jvp(X, X, 3), 'jvp: tangents is 3 (int); needed a list of tensors'),
    (ValueError, lambda: K.jvp(X, X, [X, X]), 'jvp: inputs has 1 and tangents 2; needed one for each'),
    (TypeError, lambda: K.concatenate(X), 'needed a list of tensors'),
    # Numbers and words.
    (TypeError, lambda: K.sum(X, keepdims='yes'), "sum: keepdims is 'yes' (str); needed True or False"),
    (TypeError, lambda: K.sum(X, keepdims=np.ones(2)),
     'sum: keepdims is array([1., 1.]) (numpy.ndarray); needed True or'),
    (TypeError, lambda: K.repeat_elements(X, 2.5, 0), 'repeat_elements: rep is 2.5 (float); needed a whole number'),
    (TypeError, lambda: K.set_random_seed(-1), 'set_random_seed: seed is -1 (int); needed 0 or more'),
    (TypeError, lambda: K.relu(X, alpha=X), 'needed a number'),
    (TypeError, lambda: K.relu(X, alpha='1'), "relu: alpha is '1' (str); needed a number"),
    (TypeError, lambda: K.conv2d(X, X, padding=3), 'conv2d: padding is 3 (int); needed a string'),
    (TypeError, lambda: K.placeholder((2,), name=3), 'placeholder: name is 3 (int); needed a string'),
    (TypeError, lambda: K.placeholder((2,), name='\udc80'), 'needed a string'),
    (TypeError, lambda: K.zeros(2, dtype='string'),
     "zeros: dtype is 'string' (str); needed float16, bfloat16, float32, float64, int8 to int64, "
     'uint8 to uint64, complex64, complex128 or bool'),
    (TypeError, lambda: K.cast(X, object), "cast: dtype is <class 'object'> (type); needed float16"),
    (TypeError, lambda: K.cast(X, 3.5),
     'cast: dtype is 3.5 (float); needed the name of a dtype, or what numpy.dtype() takes'),
    (TypeError, lambda: K.bias_add(X, X, 3), 'bias_add: data_format is 3 (int); needed a string'),
    # Shapes and axes.
    (TypeError, lambda: K.reshape(X, 'a'), "reshape: shape is 'a' (str); needed a whole number or a tuple of sizes"),
    (TypeError, lambda: K.zeros(b'bytes'),
     "zeros: shape is b'bytes' (bytes); needed a whole number or a tuple of sizes"),
    (TypeError, lambda: K.sum(X, bytearray(b'a')), 'needed a tuple of whole numbers'),
    (TypeError, lambda: K.zeros((2, 2.5)),
     'zeros: shape is (2, 2.5) (tuple); needed sizes: whole numbers, None, names or scalar tensors'),
    (TypeError, lambda: K.squeeze(X, 'a'), "squeeze: axis is 'a' (str); needed a whole number"),
    (TypeError, lambda: K.sum(X, 'a'), "sum: axis is 'a' (str); needed a tuple of whole numbers"),
    (TypeError, lambda: K.sum(X, (0, 'a')), "sum: axis is (0, 'a') (tuple); needed whole numbers"),
    (TypeError, lambda: K.sum(X, True), 'sum: axis is True (bool); needed an axis, a tuple of axes or None'),
    (TypeError, lambda: K.split(X, X), 'needed a number of parts, or their sizes'),
    (TypeError, lambda: K.pattern_broadcast(X, 3),
     'pattern_broadcast: broadcastable is 3 (int); needed a tuple of bools'),
    (TypeError, lambda: K.pad(X, 3), 'pad: pad_width is 3 (int); needed a tuple of pairs'),
    (TypeError, lambda: K.spatial_2d_padding(X, 3), 'spatial_2d_padding: padding is 3 (int); needed a tuple of pairs'),
    (TypeError, lambda: K.repeat(X, 1.5),
     'repeat: n is 1.5 (float); needed a size: a whole number, None, a name or a scalar tensor'),
    (TypeError, lambda: K.while_loop(lambda a: K.sum(a) < 1, lambda a: a, [X], maximum_iterations=1.5),
     'while_loop: maximum_iterations is 1.5 (float); needed a size: a whole number, None, a name or a scalar tensor'),
    # Indices.
    (TypeError, lambda: X['a'], "getitem: key is 'a' (str); needed a tensor"),
    (TypeError, lambda: X[True], 'getitem: key is True (bool); needed a whole number'),
    (TypeError, lambda: X['a':],
     "getitem: key is 'a' (str); needed a whole number, None or a scalar tensor as the bound of a slice"),
    (ValueError, lambda: X[5], 'getitem: index 5 is outside axis 0 of size 2'),
    # Functions of the user's.
    (TypeError, lambda: K.map_fn(3, X), 'map_fn: fn is 3 (int); needed a function'),
    (TypeError, lambda: K.foldl('f', X), "foldl: fn is 'f' (str); needed a function"),
    (TypeError, lambda: K.rnn(None, X, []), 'rnn: step_function is None; needed a function'),
    (TypeError, lambda: K.while_loop(3, 4, [X]), 'while_loop: '),
    (TypeError, lambda: K.variable(1., constraint=3),
     'variable: constraint is 3 (int); needed a function of the variable'),
    (TypeError, lambda: K.map_fn(lambda e: None, X), 'map_fn: fn has returned None; needed a tensor'),
    (TypeError, lambda: K.function([], [X], progress=3), 'function: progress is 3 (int); needed a function'),
    # Making functions.
    (TypeError, lambda: K.function(3, [X]), 'function: inputs is 3 (int); needed a list or a tuple'),
    (TypeError, lambda: K.function([], X), 'function: outputs is <keratin.Tensor'),
    (TypeError, lambda: K.function([], [X], updates=X), 'function: updates is <keratin.Tensor'),
    (TypeError, lambda: K.function([3], [X]), 'function: inputs is [3] (list); needed tensors alone'),
    (TypeError, lambda: K.function([], [3]), 'function: outputs is [3] (list); needed tensors alone'),
    (TypeError, lambda: K.function([], {3: X}), 'function: outputs is 3 (int); needed a name of an output'),
    (TypeError, lambda: K.function([], [X], [3]),
     'function: updates is 3 (int); needed update ops and pairs (variable, new value)'),
    (TypeError, lambda: K.function([], [X], [(3, 4)]), 'function: updates is 3 (int); needed a tensor'),
    (TypeError, lambda: K.function([], [X], device=3), 'function: device is 3 (int); needed a string'),
    (TypeError, lambda: K.function([], [X], time_limit='a'), "function: time_limit is 'a' (str); needed a number"),
    (ValueError, lambda: K.function([], [X], nonsense=3),
     "function: there is no argument 'nonsense'; there are name, device, target, memory_budget, time_limit, "
     'check_numbers, float32_products, keep_on_device, assume_equal_sizes, prepare_weights, '
     'lazy_updates, precision, shard, shard_states, gather_parts, local_statistics, progress'),
    (ValueError, lambda: K.function([], [K.placeholder((2,), name='unfed') * 1]), 'unfed'),
    # Calling them.
    (TypeError, lambda: K.function([], [K.zeros((2,))], shard=[(K.zeros((2,)),)]),
     '(tuple); needed names of sizes, and tuples (variable, dimension), each with the name of an axis of the mesh behind it or without'),
    (TypeError, lambda: K.function([], [K.zeros((2,))], shard=5), 'function: shard is 5 (int); needed a list of what is sharded'),
    (ValueError, lambda: K.function([], [K.zeros((2,))], shard='batch'), "function: no input has a dimension of the size 'batch'"),
    (TypeError, lambda: function_of()(), 'function: found 0 arguments; needed one, a list of values'),
    (TypeError, lambda: function_of()([1], [2]), 'function: found 2 arguments; needed one, a list of values'),
    (TypeError, lambda: function_of()(values=[1]),
     'function: found keywords; needed a list of values, or a dict by name'),
    (TypeError, lambda: function_of()(3), 'function: found 3 (int); needed a list of values, or a dict by name'),
    (TypeError, lambda: function_of()({3: 1}), 'function: 3 (int) is no name of an input'),
    (ValueError, lambda: function_of()({'a': 1}), "no input is named 'a'"),
    (TypeError, lambda: function_of()(['abc']),
     "function: value 0 is 'abc' (str), an array of <U3; needed numbers or bools"),
    (ValueError, lambda: function_of()([[[1, 2, 3], [1]]]),
     'function: value 0 is [[1, 2, 3], [1]] (list); needed an array'),
    (ValueError, lambda: function_of()([None]), 'is None; needed an array'),
    (ValueError, lambda: function_of()([]), '0 values; needed one for each of 1 inputs'),
    (ValueError, lambda: function_of()([X, X]), '2 values; needed one for each of 1 inputs'),
    (ValueError, lambda: function_of()([np.ones((2, 4))]), 'has shape (2, 4); needed (None, 3)'),
    (ValueError, lambda: function_of()([np.ones(3)]), 'has shape (3,); needed (None, 3)'),
    # Values.
    (TypeError, lambda: K.set_value(3, 3), 'set_value: x is 3 (int); needed a tensor'),
    (TypeError, lambda: K.set_value(X, 3), 'is not a variable'),
    (TypeError, lambda: K.batch_set_value(3),
     'batch_set_value: tuples is 3 (int); needed a list of pairs (variable, value)'),
    (TypeError, lambda: K.batch_set_value([3]), 'batch_set_value: tuples is 3 (int); needed pairs (variable, value)'),
    (TypeError, lambda: K.batch_get_value(3), 'batch_get_value: ops is 3 (int); needed a list of tensors'),
    (ValueError, lambda: K.eval(K.placeholder((2,), name='unfed') * 2), "placeholder 'unfed' is needed but not fed"),
    (TypeError, lambda: K.get_session().run(3), 'Session.run: 3 (int) cannot be fetched; needed tensors'),
    (TypeError, lambda: K.get_session().run(X, {3: 4}), 'Session.run: feed_dict is 3 (int); needed a tensor'),
    (TypeError, lambda: K.get_session().run(X, {X: 'abc'}), "Session.run: a feed is 'abc' (str)"),
    (TypeError, lambda: K.update(X, 3), 'must be a variable'),
    # Files.
    (TypeError, lambda: K.save_function(3, 'x'),
     'save_function: f is 3 (int); needed a function that K.function has made'),
    (TypeError, lambda: K.save_function(function_of(), 3), 'save_function: path is 3 (int); needed a path'),
    (TypeError, lambda: K.save_functions([3], 'x'),
     'save_functions: functions is 3 (int); needed functions that K.function has made'),
    (TypeError, lambda: K.save_functions(3, 'x'),
     'save_functions: functions is 3 (int); needed a list of functions that K.function has made'),
    (RuntimeError, lambda: K.load_function('/nowhere/at/all'), "load_function: '/nowhere/at/all' cannot be read"),
    (TypeError, lambda: K.save_weights([3], 'x'), 'save_weights: variables is [3] (list); needed tensors alone'),
    (TypeError, lambda: K.load_weights([], None), 'load_weights: path is None; needed a path'),
    # Settings and scopes.
    (ValueError, lambda: K.set_floatx(123), 'set_floatx: found 123; needed float16, float32 or float64'),
    (ValueError, lambda: K.set_floatx(''), 'set_floatx'),
    (ValueError, lambda: K.set_image_data_format(3),
     'set_image_data_format: found 3; needed channels_last or channels_first'),
    (ValueError, lambda: K.set_epsilon('a'), "set_epsilon: e is 'a' (str); needed a number"),
    (TypeError, lambda: K.set_epsilon(None), 'set_epsilon: e is None (NoneType); needed a number'),
    (ValueError, lambda: K.normalize_data_format('bla'), 'bla'),
    (ValueError, lambda: K.count_params(K.placeholder((None, 2))),
     'count_params: needed known sizes; found shape (None, 2)'),
    (TypeError, lambda: K.name_scope(3), 'name_scope: name is 3 (int); needed a string'),
    (TypeError, lambda: K.control_dependencies([3]),
     'control_dependencies: control_inputs is [3] (list); needed tensors alone'),
    (ValueError, lambda: K.is_keras_tensor(3), 'is_keras_tensor: x is 3 (int); needed a tensor'),
    (TypeError, lambda: K.Dim(3), 'Dim: name is 3 (int); needed a string'),
    (TypeError, lambda: K.Dim('n', min='a'), "Dim: min is 'a' (str); needed a whole number"),
    # Other values.
    (TypeError, lambda: bool(X), 'bool(x): a tensor is a value of the graph, which is known when a function runs; '
     'use K.switch, K.any or K.all'),
    (TypeError, lambda: len(X), 'use K.int_shape(x)[0] or K.shape(x)[0]'),
    (TypeError, lambda: iter(X), 'use K.map_fn, or x[0], x[1], ...'),
    (TypeError, lambda: float(X),
     'float(x): a tensor is a value of the graph, which is known when a function runs; use K.eval(x)'),
    (AttributeError, lambda: X.nonsense, "a keratin.Tensor has no attribute 'nonsense'"),
]


@pytest.mark.parametrize('kind, refused, message', REFUSALS, ids=lambda x: x[:40] if isinstance(x, str) else None)
def test_refusal(kind, refused, message):
    with pytest.raises(kind) as found:
        refused()
    assert found.type is kind
    assert message is None or re.search(re.escape(message), str(found.value))


# By the C++ API, as one of each kind.
SPECIFIED = [
    (ValueError, lambda: K.batch_dot(K.ones((2, 3)), K.ones((3, 3)), 1)),
    (ValueError, lambda: K.dot(K.ones((2, 3)), K.ones((2, 3)))),
    (ValueError, lambda: K.squeeze(X, 0)),
    (ValueError, lambda: K.sum(X, 2)),
    (ValueError, lambda: K.placeholder()),
    (ValueError, lambda: K.concatenate([])),
    (ValueError, lambda: K.reshape(X, (4, 2))),
    (ValueError, lambda: K.permute_dimensions(X, (0, 0))),
    (ValueError, lambda: K.dropout(X, 1.)),
    (ValueError, lambda: K.dropout(X, -.1)),
    (ValueError, lambda: K.constant([1, 2, 3], shape=(2, 2))),
    (ValueError, lambda: K.conv2d(K.ones((1, 4, 4, 1)), K.ones((2, 2, 1, 1)), padding='full')),

        (ValueError, lambda: K.conv1d(K.ones((1, 4, 1)), K.ones((2, 1, 1)), padding='causal',
                                  data_format='channels_first')),
    (ValueError, lambda: K.pool2d(K.ones((1, 4, 4, 1)), (2, 2), pool_mode='sum')),
    (ValueError, lambda: K.resize_images(K.ones((1, 4, 4, 1)), 2, 2, 'bla')),
    (ValueError, lambda: K.resize_images(K.ones((1, 4, 4, 1)), 2, 2, 'channels_last', interpolation='cubic')),
    (ValueError, lambda: K.categorical_crossentropy(X, X, axis=-2)),
    (ValueError, lambda: K.bias_add(K.ones((2, 3, 4)), K.ones((2, 3, 4)))),
    (ValueError, lambda: K.rnn(lambda i, s: (i, s), X, [])),
    (ValueError, lambda: K.slice(X, [0], [1, 1])),
    (ValueError, lambda: K.pattern_broadcast(X, [True, False])),
    (ValueError, lambda: K.ctc_decode(K.ones((1, 2, 3)), [2], greedy=False, beam_width=1, top_paths=2)),
    (NotImplementedError, lambda: K.tile(X, [1, 2, 3])),
    (AssertionError, lambda: K.repeat(K.ones((2, 3, 4)), 2)),
    (AssertionError, lambda: K.temporal_padding(K.ones((2, 3, 4)), (1, 2, 3))),
    (AssertionError, lambda: K.spatial_2d_padding(K.ones((1, 2, 3, 4)), ((1, 1),))),
]


@pytest.mark.parametrize('kind, refused', SPECIFIED)
def test_specified_kinds(kind, refused):
    with pytest.raises(kind) as found:
        refused()
    assert __file__ in str(found.value)


@pytest.mark.parametrize('shown', ['é' * 100, 'a' + 'é' * 100, '\udc80' * 90, 'x\ny', '日本' * 40, '\0'])
def test_long_and_odd_texts(shown):
    with pytest.raises(TypeError, match='dot: x is') as found:
        K.dot(shown, X)
    assert len(str(found.value)) < 400


def test_a_repr_that_raises():
    class Odd:
        def __repr__(self):
            raise RuntimeError('no')
    with pytest.raises(TypeError, match=r'dot: x is of type Odd'):
        K.dot(Odd(), X)
    with pytest.raises(TypeError, match=r'sum: axis is of type Odd; needed'):
        K.sum(X, Odd())


def test_the_settings_stay_as_they_were():
    for wrong in ('', 123, 'float8', None):
        with pytest.raises(ValueError):
            K.set_floatx(wrong)
        with pytest.raises(ValueError):
            K.set_image_data_format(wrong)
    assert K.floatx() == 'float32' and K.image_data_format() == 'channels_last' and K.epsilon() == 1e-7


def test_a_check_of_numbers():
    x = K.placeholder((2,))
    f = K.function([x], [K.log(x)], check_numbers=True)
    assert f([[1, 1]])[0].tolist() == [0, 0]
    with pytest.raises(FloatingPointError):
        f([[0, 1]])


def test_memory_that_is_not_there():
    # More bytes than addresses have.
    x, y = K.placeholder((None, 1), dtype='int8'), K.placeholder((1, None), dtype='int8')
    f = K.function([x, y], [x + y])
    side = np.zeros(1 << 24, 'int8')
    with pytest.raises(MemoryError, match='no memory for'):
        f([side[:, None], side[None]])
    assert f([side[:2, None], side[None, :3]])[0].shape == (2, 3)


def test_the_value_of_a_list_is_get_values():
    with pytest.raises(ValueError, match='get_value: the entries of a list must have equal shapes'):
        K.get_value([K.constant([1.]), False])


@pytest.mark.parametrize('function', ['int_shape', 'get_variable_shape'])
def test_a_list_without_a_shape(function):
    with pytest.raises(ValueError, match=f'{function}: x is a list whose entries have different shapes; needed a tensor or an array'):
        getattr(K, function)([[1, 2], [3]])
    with pytest.raises(TypeError, match=f'{function}: x is a list of tensors; needed a tensor or an array'):
        getattr(K, function)([K.placeholder((2,))])
