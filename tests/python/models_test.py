"""Models compiled ahead of time: keratin.compile_model and keratin.Model."""
import gc
import json
import os
import platform
import re
import threading

import numpy as np
import pytest

import keratin
import keratin.backend as K


# Where make_functions() makes its inputs.
PLACE = f'{__file__}:22'


def make_functions():
    """A training step and a prediction that share their variables."""
    x, y = K.placeholder((None, 3), name='x'), K.placeholder((None, 2), name='y')
    w = K.variable(np.arange(6.).reshape(3, 2) / 8, name='w')
    b = K.variable(np.zeros(2), name='b')
    out = K.dot(x, w) + b
    loss = K.mean(K.square(out - y))
    updates = [(v, v - 0.1 * g) for v, g in zip([w, b], K.gradients(loss, [w, b]))]
    return [K.function([x, y], {'loss': loss}, updates, name='step'),
            K.function([x], {'out': out}, name='predict')]


@pytest.fixture(scope='module')
def functions():
    return make_functions()


@pytest.fixture(scope='module')
def path(functions, tmp_path_factory):
    folder = tmp_path_factory.mktemp('model')
    keratin.compile_model(functions, folder / 'libnet.so', header=folder / 'net.h')
    return folder / 'libnet.so'


X = np.linspace(-1, 1, 12).reshape(4, 3).astype('float32')
Y = np.ones((4, 2), 'float32')


def test_says_what_is_in_the_object(path):
    model = keratin.Model(path)
    assert model.name == 'net'
    assert list(model.functions) == ['step', 'predict']
    step = model['step']
    assert [each.name for each in step.inputs] == ['x', 'y']
    assert step.inputs[0].shape == (None, 3) and step.inputs[0].dtype == 'float32'
    assert [each.name for each in step.outputs] == ['loss']
    assert sorted(step.updates) == ['b', 'w']
    assert {each.name: each.shape for each in model.variables} == {'w': (3, 2), 'b': (2,)}
    assert model.metadata['model'] == 'net'
    assert 'function predict(x float32 (None, 3)) -> (out float32 (None, 2))' in repr(model)


def test_computes_as_the_function_does(functions, path):
    model = keratin.Model(path)
    expected, = functions[1]([X])
    result, = model['predict']([X])
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(model['predict']({'x': X})[0], expected)
    # Other dtypes, orders and lists.
    np.testing.assert_array_equal(model['predict']([np.asfortranarray(X.astype('float64'))])[0],
                                  expected)
    np.testing.assert_array_equal(model['predict']([X.tolist()])[0], expected)


def test_trains(path):
    model = keratin.Model(path)
    first, = model['step']([X, Y])
    for _ in range(20):
        last, = model['step']({'y': Y, 'x': X})
    assert last < first / 2
    assert not np.array_equal(model.get_value('b'), np.zeros(2))
    # Another model of the file has values of its own.
    np.testing.assert_array_equal(keratin.Model(path).get_value('b'), np.zeros(2))


@pytest.mark.parametrize('end', ['.npz', '.safetensors'])
def test_saves_and_loads_weights(path, tmp_path, end):
    model = keratin.Model(path)
    model.set_weights({'w': np.full((3, 2), 0.5), 'b': [1, 2]})
    model.save_weights(tmp_path / ('weights' + end))
    other = keratin.Model(path)
    other.load_weights(tmp_path / ('weights' + end))
    assert {name: value.tolist() for name, value in other.get_weights().items()} == {
        'w': [[0.5, 0.5]] * 3, 'b': [1, 2]}


def test_weights_are_those_of_the_function(functions, path, tmp_path):
    functions[0].save_weights(tmp_path / 'weights.npz')
    model = keratin.Model(path)
    model.set_weights({'b': [7, 7]})
    model.load_weights(tmp_path / 'weights.npz')
    assert model.get_value('b').tolist() == [0, 0]
    model.set_weights({'b': [7, 7]})
    model.save_weights(tmp_path / 'weights.npz')
    b = next(each for each in functions[0].variables if each.name.startswith('b'))
    functions[0].load_weights(tmp_path / 'weights.npz')
    assert K.get_value(b).tolist() == [7, 7]
    K.set_value(b, np.zeros(2))


def test_saves_and_loads_states(path, tmp_path):
    model = keratin.Model(path)
    model.set_weights({'b': [3, 4]})
    model.save_state(tmp_path / 'net.state')
    copy = model.copy()
    model.set_weights({'b': [0, 0]})
    assert copy.get_value('b').tolist() == [3, 4]
    model.load_state(tmp_path / 'net.state')
    assert model.get_value('b').tolist() == [3, 4]


def test_threads_share_a_model(path):
    model = keratin.Model(path)
    expected, = model['predict']([X])
    wrong = []

    def call():
        for _ in range(50):
            if not np.array_equal(model['predict']([X])[0], expected):
                wrong.append(threading.get_ident())

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_outlive_the_model(path):
    model = keratin.Model(path)
    result, = model['predict']([X])
    expected = result.copy()
    del model
    np.testing.assert_array_equal(result, expected)


def test_values_are_those_between_two_calls(tmp_path):
    v, w = (K.variable(np.zeros((64, 64)), name=name) for name in 'vw')
    updates = [K.update_add(each, K.ones_like(each)) for each in (v, w)]
    keratin.compile_model(K.function([], [], updates, name='step'), tmp_path / 'libpair.so')
    model = keratin.Model(tmp_path / 'libpair.so')
    file = tmp_path / 'pair.npz'
    seven = np.full((64, 64), 7.)
    over = threading.Event()

    def train():
        while not over.is_set():
            model([])

    def in_file():
        model.save_weights(file)
        with np.load(file) as values:
            return dict(values)

    def after_setting():
        model.set_weights({'v': seven, 'w': seven})
        return model.get_weights()
    trainer = threading.Thread(target=train, daemon=True)
    trainer.start()
    try:
        for count, how in (1000, model.get_weights), (1000, after_setting), (100, in_file):
            for _ in range(count):
                values = how()
                assert values['v'].tobytes() == values['w'].tobytes()
    finally:
        over.set()
        trainer.join()


def test_a_path_may_have_another_model_later(tmp_path):
    path = tmp_path / 'libscale.so'
    x = K.placeholder((2,), name='x')
    loaded = []
    for factor in (2., 3.):
        keratin.compile_model(K.function([x], [x * factor], name='f'), path)
        loaded.append(keratin.Model(path))
    assert [model([[1, 1]])[0].tolist() for model in loaded] == [[2, 2], [3, 3]]


def test_a_model_that_is_loaded_twice_makes_room_for_another(tmp_path):
    x = K.placeholder((2,), name='x')
    for name, factor in ('once', 2.), ('other', 3.):
        keratin.compile_model(K.function([x], [x * factor], name='f'), tmp_path / (name + '.so'), name=name)
    first, second = (keratin.Model(tmp_path / 'once.so') for _ in range(2))
    # The number of the second's file is another one's then.
    del second
    gc.collect()
    other = keratin.Model(tmp_path / 'other.so')
    assert [model([[1, 1]])[0].tolist() for model in (first, other)] == [[2, 2], [3, 3]]


def test_writes_the_header(path):
    text = path.with_name('net.h').read_text()
    assert 'net_step(' in text and 'net_state_create(' in text


def test_the_name_is_what_symbols_begin_with(functions, tmp_path):
    keratin.compile_model(functions[1], tmp_path / 'x.so', name='other', strip_locations=True,
                          metadata=tmp_path / 'x.json')
    assert keratin.Model(tmp_path / 'x.so').name == 'other'
    assert '"model": "other"' in (tmp_path / 'x.json').read_text()


def test_computed_sizes_are_those_of_the_call(tmp_path):
    x = K.placeholder((None,), name='x')
    n = K.placeholder((), dtype='int64', name='n')
    f = K.function([x, n], [K.slice(x, [0], [K.minimum(n, K.shape(x)[0])])], name='head')
    keratin.compile_model(f, tmp_path / 'libhead.so')
    model = keratin.Model(tmp_path / 'libhead.so')
    assert model([np.arange(5.), 3])[0].tolist() == f([np.arange(5.), 3])[0].tolist() == [0, 1, 2]


def message(kind, call, *arguments):
    """Less the place, which is a line of this file."""
    with pytest.raises(kind) as info:
        call(*arguments)
    return re.sub(r'; at \S*/models_test\.py:\d+$', '', str(info.value))


def test_errors_of_calls(path):
    model = keratin.Model(path)
    assert message(ValueError, model['step'], [X]) == (
        "step: 1 value; needed one for each of 2 inputs: 'x', 'y'")
    assert message(ValueError, model['predict'], {'z': X}) == (
        "predict: no input is named 'z'; there are 'x'")
    assert message(TypeError, model['predict'], {3: X}) == (
        'predict: 3 (int) is no name of an input')
    assert message(ValueError, model['predict'], {}) == (
        f"predict: the value for 'x' ({PLACE}) is None; needed an array")
    assert message(ValueError, model['predict'], [X[:, :2]]) == (
        f"predict: the value for 'x' ({PLACE}) has shape (4, 2); needed (None, 3)")
    assert message(TypeError, model['predict'], 3) == (
        'predict: found 3 (int); needed a list of values, or a dict by name')
    assert 'y' in message(ValueError, model['step'], [X, Y[:3]])
    assert message(KeyError, lambda: model['train']) == (
        '"model \'net\' has no function \'train\'; it has step, predict"')
    assert message(ValueError, model, [X]) == (
        "model 'net' has several functions; needed one by name, as in model['step'](values)")


def test_errors_of_variables(path, tmp_path):
    model = keratin.Model(path)
    assert "model 'net' has no variable 'v'" in message(ValueError, model.get_value, 'v')
    assert message(ValueError, model.set_weights, {'b': [1, 1], 'w': [1]}) == (
        "net: the value for 'w' has shape (1,); needed (3, 2)")
    assert message(TypeError, model.set_weights, {3: [1, 1]}) == (
        'net: 3 (int) is no name of a variable')
    assert model.get_value('b').tolist() == [0, 0]
    np.savez(tmp_path / 'w.npz', w=np.zeros((3, 2)))
    assert "'b'" in message(ValueError, model.load_weights, tmp_path / 'w.npz')
    assert message(ValueError, model.save_weights, tmp_path / 'w.txt').endswith(
        "w.txt' ends in no known way; needed .safetensors or .npz")
    assert 'No such file' in message(RuntimeError, model.load_weights, tmp_path / 'none.npz')


def test_files_that_are_no_models(path, tmp_path):
    def refusal(content, name='lib.so'):
        (tmp_path / name).write_bytes(content)
        return message(ValueError, keratin.Model, tmp_path / name)

    assert 'No such file' in message(ValueError, keratin.Model, tmp_path / 'none.so')
    assert 'this is a folder' in message(ValueError, keratin.Model, tmp_path)
    assert 'no object file' in refusal(b'')
    assert 'no object file' in refusal(b'hello')
    assert 'damaged or cut' in refusal(b'\x7fELF' + bytes(60))
    whole = path.read_bytes()
    for size in (100, len(whole) // 2, len(whole) - 100):
        assert 'Model: ' in refusal(whole[:size])
    import _ctypes
    assert 'no compiled model' in message(ValueError, keratin.Model, _ctypes.__file__)
    with pytest.raises(ValueError, match=r'; at .*models_test\.py:\d+$'):
        keratin.Model(tmp_path / 'none.so')


def test_what_is_no_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / 'pipe')
    assert 'not a regular file' in message(ValueError, keratin.Model, tmp_path / 'pipe')
    assert 'not a regular file' in message(ValueError, keratin.Model, '/dev/zero')
    assert message(TypeError, keratin.Model, 3) == 'Model: path is 3 (int); needed a path'


def test_an_object_for_another_processor(functions, tmp_path):
    other = 'x86_64' if platform.machine() == 'aarch64' else 'aarch64'
    try:
        keratin.compile_model(functions, tmp_path / 'libnet.so', target=other + '-linux-gnu')
    except RuntimeError as error:
        pytest.skip(str(error))
    assert 'this machine runs code for' in message(ValueError, keratin.Model,
                                                   tmp_path / 'libnet.so')


def test_states_and_variables_in_parts(tmp_path):
    x, t = K.placeholder((K.Dim('batch'), 3)), K.placeholder((K.Dim('batch'), 4))
    w, m = K.variable(np.ones((3, 4)), name='w'), K.variable(np.zeros((3, 4)), name='m')
    loss = K.mean(K.square(K.dot(x, w) - t))
    new = .9 * m + K.gradients(loss, [w])[0]

    def metadata(divided, **options):
        step = K.function([x, t], [loss], [(m, new), (w, w - new)], shard=['batch'], shard_states=divided, name='step')
        keratin.compile_model(step, tmp_path / 'libstep.so', metadata=tmp_path / 'step.json', **options)
        return {variable['name']: variable for variable in json.loads((tmp_path / 'step.json').read_text())['variables']}

    assert metadata(False) == metadata(False, mesh={'data': 2, 'model': 2})
    assert metadata(True) == metadata(False, shard_states=True) == metadata(True, shard_states=True) != metadata(False)
    assert metadata(True)['w'] == metadata(False)['w']
    # Heads are parted where each rank has whole ones.
    heads = K.function([x], [K.reshape(K.dot(x, w), (-1, 2, 2))], shard=[(w, 1, 'model')], name='heads')
    with pytest.raises(ValueError, match='compile_model: .*whose parts are not known to be equal'):
        keratin.compile_model(heads, tmp_path / 'libheads.so')
    keratin.compile_model(heads, tmp_path / 'libheads.so', mesh={'data': 2, 'model': 2}, header=tmp_path / 'heads.h')
    assert 'in parts along dimension 1 among the 2 ranks along model' in (tmp_path / 'heads.h').read_text()
    with pytest.raises(ValueError, match="compile_model: variable 'w' is in parts .* along 'model'; the axes of the mesh are 'data'"):
        keratin.compile_model(heads, tmp_path / 'libheads.so', mesh={'data': 2})


def test_errors_of_compiling(functions, tmp_path):
    path = tmp_path / 'libnet.so'
    compile_model = keratin.compile_model
    assert 'no function; needed one or more' in message(ValueError, compile_model, [], path)
    assert message(ValueError, lambda: compile_model(functions, path, shard_states=True)) == (
        'compile_model: states are to be in parts, and no size is; needed one that is sharded')
    assert 'compile_model: an axis is named' in message(ValueError, lambda: compile_model(functions, path, mesh={'a b': 2}))
    assert "compile_model: an axis 'data' of 0 ranks; needed at least 1" in message(
        ValueError, lambda: compile_model(functions, path, mesh={'data': 0}))
    assert 'compile_model: mesh is 2 (int); needed a dict: the axes, with the number of ranks along each' in message(
        TypeError, lambda: compile_model(functions, path, mesh=2))
    assert message(ValueError, lambda: compile_model(functions, path, colour=1)) == (
        "compile_model: there is no argument 'colour'; there are name, target, cpu, header, "
        "metadata, sysroot, threads, memory_budget, check_numbers, float32_products, "
        "assume_equal_sizes, prepare_weights, strip_locations, profile, shard_states, mesh, progress")
    assert 'compile_model: cpu is 3 (int); needed a string' in message(
        TypeError, lambda: compile_model(functions, path, cpu=3))
    assert "'9lives'" in message(ValueError, lambda: compile_model(functions, path, name='9lives'))
    assert 'threads is -1; needed 0 or more' in message(
        ValueError, lambda: compile_model(functions, path, threads=-1))
    assert "memoryBudget is -1; needed 0 or more" in message(
        ValueError, lambda: compile_model(functions, path, memory_budget=-1))
    assert "float32Products is 'half'; needed 'float32' or 'tf32'" in message(
        ValueError, lambda: compile_model(functions, path, float32_products='half'))
    assert "assumeEqualSizes is 'maybe'; needed 'yes', 'only' or 'no'" in message(
        ValueError, lambda: compile_model(functions, path, assume_equal_sizes='maybe'))
    assert 'compile_model: ' in message(ValueError, lambda: compile_model(functions, path, cpu='z80'))
    assert 'compile_model: path is 3 (int); needed a path' in message(
        TypeError, compile_model, functions, 3)
    assert not path.exists()
    assert 'compile_model: ' in message(
        RuntimeError, compile_model, functions, tmp_path / 'no' / 'libnet.so')


def test_progress_may_end_it(functions, tmp_path):
    def stop(function, stage, *rest):
        raise LookupError(stage)

    with pytest.raises(LookupError):
        keratin.compile_model(functions, tmp_path / 'libnet.so', progress=stop)
    assert os.listdir(tmp_path) == []
