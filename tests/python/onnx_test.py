"""keratin.onnx: files of Debian's libonnx-testdata, and small ones that are written here."""
import inspect
import pathlib

import numpy as np
import pytest

import keratin
import keratin.backend as K
from api_test import documented_parameters
from onnx_messages import fields_of, message
from support import agree, numbers

DATA = pathlib.Path('/usr/share/libonnx-testdata/data')
TYPES = {1: 'float32', 6: 'int32', 7: 'int64', 9: 'bool'}


def tensor_of(path):
    fields = list(fields_of(path.read_bytes()))
    kind, = [value for key, value in fields if key == 2]
    raw, = [value for key, value in fields if key == 9]
    return np.frombuffer(raw, TYPES[kind]).reshape([value for key, value in fields if key == 1])


def value_info(name, shape):
    dims = [(1, message((1 if isinstance(size, int) else 2, size))) for size in shape]
    return message((1, name), (2, message((1, message((1, 1), (2, message(*dims)))))))


def model_of(path, nodes, inputs, outputs, initializers=()):
    """Writes a model: nodes are triples (op, inputs, outputs), inputs and outputs dicts of shapes."""
    graph = [(1, message(*[(1, each) for each in read], *[(2, each) for each in written],
                         (3, 'the ' + op), (4, op))) for op, read, written in nodes]
    graph += [(5, message(*[(1, size) for size in array.shape], (2, 1), (8, name), (9, array.tobytes())))
              for name, array in dict(initializers).items()]
    graph += [(11, value_info(*each)) for each in inputs.items()]
    graph += [(12, value_info(*each)) for each in outputs.items()]
    path.write_bytes(message((1, 8), (8, message((2, 17))), (7, message((2, 'graph'), *graph))))
    return path


@pytest.mark.parametrize('name', ['node/test_add_bcast', 'node/test_lstm_defaults', 'node/test_softmax_axis_1',
                                  'node/test_conv_with_strides_padding', 'pytorch-converted/test_BatchNorm2d_eval',
                                  'pytorch-converted/test_Linear', 'pytorch-converted/test_Conv2d'])
def test_numbers_of_onnx(name):
    f = keratin.onnx.load(DATA / name / 'model.onnx', name='model')
    assert isinstance(f, keratin.Function) and f.name == 'model' and f.variables == []
    values = [tensor_of(path) for path in sorted((DATA / name / 'test_data_set_0').glob('input_*.pb'))]
    expected = [tensor_of(path) for path in sorted((DATA / name / 'test_data_set_0').glob('output_*.pb'))]
    for found in f(values), f(dict(zip(f.input_names, values))):
        for result, wanted in zip(found, expected, strict=True):
            agree(result, wanted, 1e-3)


def test_sizes_have_the_names_of_the_model(tmp_path):
    path = model_of(tmp_path / 'm.onnx', [('Add', ['x', 'y'], ['z'])], {'x': ['batch', 3], 'y': ['batch', 1]},
                    {'z': ['batch', 3]})
    f = keratin.onnx.load(str(path))
    assert (f.input_names, f.output_names) == (['x', 'y'], ['z']) and f.inputs[0].shape == (None, 3)
    for size in 1, 2, 5:
        assert f({'x': np.ones((size, 3)), 'y': np.ones((size, 1))})[0].tolist() == [[2] * 3] * size
    with pytest.raises(ValueError, match='batch'):
        f([np.ones((2, 3)), np.ones((1, 1))])


def test_constants_are_no_inputs():
    folder = DATA / 'node/test_squeeze'
    x, axes = (tensor_of(folder / 'test_data_set_0' / name) for name in ('input_0.pb', 'input_1.pb'))
    for given in axes, axes.tolist():
        f = keratin.onnx.load(folder / 'model.onnx', constants={'axes': given})
        assert f.input_names == ['x']
        agree(f([x])[0], tensor_of(folder / 'test_data_set_0/output_0.pb'))


def test_sequences_are_inputs_and_outputs_one_by_one():
    path = DATA / 'node/test_sequence_map_add_2_sequences/model.onnx'
    f = keratin.onnx.load(path, lengths={'x0': 2, 'x1': 2})
    assert (f.input_names, f.output_names) == (['x0_0', 'x0_1', 'x1_0', 'x1_1'], ['y0_0', 'y0_1'])
    x, y = numbers(3), numbers(5)
    for found, wanted in zip(f([x, y, x, -y]), (2 * x, 0 * y), strict=True):
        agree(found, wanted)
    for wrong in {'x0': 'two'}, {'x0': 10 ** 30}, [2]:
        with pytest.raises(TypeError, match='a dict of whole numbers by the names of inputs'):
            keratin.onnx.load(path, lengths=wrong)


def test_trainable_models_learn():
    f = keratin.onnx.load(DATA / 'pytorch-converted/test_Linear/model.onnx', trainable=True)
    w, b = f.variables
    assert (w.shape, b.shape) == ((8, 10), (8,)) and all(each.trainable for each in f.variables)
    y = K.placeholder((4, 8))
    loss = K.mean(K.square(f.outputs[0] - y))
    gradients = K.gradients(loss, f.variables)
    step = K.function([f.inputs[0], y], [loss], [K.update_sub(v, 0.1 * g) for v, g in zip(f.variables, gradients)])
    x, wanted = numbers(4, 10), np.ones((4, 8), 'float32')
    error = x @ K.get_value(w).T + K.get_value(b) - wanted
    after = K.get_value(b) - np.float32(.1 * 2 / error.size) * error.sum(axis=0)
    first, = step([x, wanted])
    agree(K.get_value(b), after, 1e-5)
    assert step([x, wanted])[0] < first
    # The model computes with what was learnt.
    agree(f([x])[0], x @ K.get_value(w).T + K.get_value(b), 1e-4)


def test_loaded_models_are_saved(tmp_path):
    x = numbers(4, 10)
    f = keratin.onnx.load(DATA / 'pytorch-converted/test_Linear/model.onnx', trainable=True, name='linear')
    K.set_value(f.variables[1], np.ones(8))
    f.save(tmp_path / 'linear.ktg')
    f.save_weights(tmp_path / 'linear.npz')
    again = K.load_function(tmp_path / 'linear.ktg')
    assert (again.name, again.input_names, again.output_names) == ('linear', f.input_names, f.output_names)
    assert again([x])[0].tolist() == f([x])[0].tolist()
    assert [each.shape for each in again.variables] == [(8, 10), (8,)]


def test_options_are_those_of_any_function(tmp_path):
    path = model_of(tmp_path / 'm.onnx', [('Log', ['x'], ['y'])], {'x': [2, 31]}, {'y': [2, 31]})
    told = []
    f = keratin.onnx.load(path, check_numbers=True, name='checked', memory_budget=1 << 20,
                          progress=lambda *step: told.append(step[:2]))
    with pytest.raises(FloatingPointError, match=r"node 'the Log' \(Log\)"):
        f([np.zeros((2, 31))])
    assert ('checked', 'link') in told
    with pytest.raises(KeyError):
        keratin.onnx.load(path, memory_budget=1 << 21, check_numbers=True, progress=lambda *step: {}['x'])


def test_errors(tmp_path):
    model = model_of(tmp_path / 'm.onnx', [('Add', ['x', 'w'], ['y'])], {'x': [2]}, {'y': [2]}, {'w': np.ones(2, 'float32')})
    unknown = model_of(tmp_path / 'u.onnx', [('Frobnicate', ['x'], ['y'])], {'x': [2]}, {'y': [2]})
    shapes = model_of(tmp_path / 's.onnx', [('Add', ['x', 'z'], ['y'])], {'x': [2], 'z': [3]}, {'y': [2]})
    (tmp_path / 'text').write_text('no model')
    load = keratin.onnx.load
    for kind, call, said in (
            (RuntimeError, lambda: load(tmp_path / 'nowhere'), "load_onnx: '.*nowhere' cannot be read: No such file.*onnx_test.py:"),
            (ValueError, lambda: load(tmp_path / 'text'), "load_onnx: '.*text' is no model of ONNX, or damaged; at .*onnx_test.py:"),
            (NotImplementedError, lambda: load(unknown), r"load_onnx: not implemented: the op Frobnicate; at u.onnx: node 'the Frobnicate'"),
            (ValueError, lambda: load(shapes), "load_onnx: shapes cannot be broadcast; .*at s.onnx: node 'the Add'"),
            (ValueError, lambda: load(model, constants={'v': [1]}), "load_onnx: '.*m.onnx' has no input 'v' for a constant"),
            (ValueError, lambda: load(model, constants={'x': [1, 2, 3]}), "has input 'x', of another shape than its constant"),
            (ValueError, lambda: load(model, colour=1), "load_onnx: there is no argument 'colour'; there are trainable, constants, name, lengths, device, "),
            (ValueError, lambda: load(model, device='gpu'), "unknown device 'gpu'"),
            (TypeError, lambda: load(3), 'load_onnx: path is 3 '),
            (TypeError, lambda: load(model, constants=[1]), r'load_onnx: constants is \[1\] .*a dict by the names of inputs'),
            (TypeError, lambda: load(model, constants={1: 1}), 'load_onnx: constants is 1 .*a name of an input'),
            (TypeError, lambda: load(model, constants={'x': 'a'}), "load_onnx: the constant for 'x'")):
        with pytest.raises(kind, match=said):
            call()


def test_documentation_fits():
    for function in keratin.onnx.load, keratin.onnx.save:
        assert documented_parameters(inspect.getdoc(function)) == list(inspect.signature(function).parameters)
    assert [name for name in vars(keratin.onnx) if not name.startswith('_')] == ['annotations', 'load', 'save']


def test_saved_models_compute_the_same(tmp_path):
    x = K.placeholder((None, 3), name='x')
    w = K.variable(numbers(3, 2), name='onnx_weights')
    f = K.function([x], [K.softmax(K.dot(x, w))])
    keratin.onnx.save(f, tmp_path / 'net.onnx', opset=17)
    loaded = keratin.onnx.load(tmp_path / 'net.onnx')
    agree(loaded([numbers(5, 3)])[0], f([numbers(5, 3)])[0])
    keratin.onnx.save(f, tmp_path / 'net.onnx', external_data=True)
    agree(keratin.onnx.load(tmp_path / 'net.onnx')([numbers(5, 3)])[0], f([numbers(5, 3)])[0])


def test_what_cannot_be_saved(tmp_path):
    x = K.placeholder((None, 3))
    w = K.variable(np.ones((3,), 'float32'), name='onnx_updated')
    step = K.function([x], [x * w], [K.update(w, w * 2)])
    with pytest.raises(NotImplementedError, match="an update, of variable 'onnx_updated', without updates as outputs"):
        keratin.onnx.save(step, tmp_path / 'step.onnx', updates=False)
    with pytest.raises(NotImplementedError, match=r"op 'random_bits' .*onnx_test.py:"):
        keratin.onnx.save(K.function([x], [K.dropout(x, 0.5)]), tmp_path / 'random.onnx')
    with pytest.raises(ValueError, match='opset 13; needed 14 to 23'):
        keratin.onnx.save(step, tmp_path / 'step.onnx', opset=13)
    with pytest.raises(TypeError, match='needed a function that K.function has made'):
        keratin.onnx.save(3, tmp_path / 'step.onnx')
