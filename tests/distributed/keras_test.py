"""KERATIN_SHARD: programs of Keras's, unchanged, on several ranks against one process."""
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

from distributed_test import LIMIT, environment, run_mpi, run_ranks

HERE = pathlib.Path(__file__).parent
pytest.importorskip('keras_preprocessing')


@pytest.fixture(autouse=True)
def shard(monkeypatch):
    monkeypatch.setenv('KERATIN_SHARD', 'batch')
    monkeypatch.setenv('KERAS_BACKEND', 'keratin')


def command(kind, folder):
    folder.mkdir()
    return [sys.executable, HERE / 'keras_program.py', kind, folder]


def results(folder, size):
    return [dict(numpy.load(folder / ('%d.npz' % rank))) for rank in range(size)]


def alone(kind, folder, monkeypatch):
    with monkeypatch.context() as context:
        context.delenv('KERATIN_SHARD')
        subprocess.run(command(kind, folder), env=environment(), check=True, timeout=LIMIT)
    return results(folder, 1)[0]


def check_equal(ranks, expected):
    for rank in ranks:
        assert set(rank) == set(expected)
        for name, value in expected.items():
            numpy.testing.assert_allclose(rank[name], value, rtol=2e-4, atol=2e-5, err_msg=name)
            assert rank[name].tobytes() == ranks[0][name].tobytes(), name


@pytest.mark.parametrize('kind, size', [('dense', 2), ('dense', 3), ('conv', 2), ('lstm', 3), ('fixed', 2)])
def test_a_program_trains_as_in_one_process(kind, size, tmp_path, monkeypatch):
    monkeypatch.setenv('SEED', '7')
    expected = alone(kind, tmp_path / 'alone', monkeypatch)
    job = 'keras-%s-%d-%d' % (kind, os.getpid(), size)
    for rank, (code, output) in enumerate(run_ranks(size, job, command(kind, tmp_path / 'ranks'))):
        assert code == 0, output
        # Rank 0 alone prints.
        assert ('trained' in output) == (rank == 0), output
        assert ('Epoch 3/3' in output) == (rank == 0), output
    check_equal(results(tmp_path / 'ranks', size), expected)


def test_ranks_draw_alike_without_a_seed(tmp_path):
    for code, output in run_ranks(2, 'keras-draw-%d' % os.getpid(), command('dense', tmp_path / 'ranks')):
        assert code == 0, output
    ranks = results(tmp_path / 'ranks', 2)
    check_equal(ranks, ranks[0])


def test_states_in_parts_give_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setenv('SEED', '7')
    for states in ('0', '1'):
        monkeypatch.setenv('KERATIN_SHARD_STATES', states)
        for code, output in run_ranks(2, 'keras-states-%s-%d' % (states, os.getpid()), command('dense', tmp_path / states)):
            assert code == 0, output
    for whole, divided in zip(results(tmp_path / '0', 2), results(tmp_path / '1', 2)):
        assert {name: value.tobytes() for name, value in whole.items()} == {name: value.tobytes() for name, value in divided.items()}


def test_over_mpi(tmp_path, monkeypatch):
    monkeypatch.setenv('SEED', '7')
    expected = alone('dense', tmp_path / 'alone', monkeypatch)
    output = run_mpi('Open MPI 4', 2, command('dense', tmp_path / 'ranks'))
    assert output.count('trained') == 1, output
    check_equal(results(tmp_path / 'ranks', 2), expected)


def test_the_example_of_digits():
    examples = HERE.parents[1] / 'examples'
    run = [sys.executable, examples / 'keras_digits.py', examples / 'data' / 'digits.csv', '8']
    outputs = run_ranks(2, 'keras-digits-%d' % os.getpid(), run)
    for code, output in outputs:
        assert code == 0, output
    accuracy = float(outputs[0][1].split('accuracy ')[1].split()[0])
    assert accuracy > 90
    assert 'accuracy' not in outputs[1][1]


def script(lines):
    return [sys.executable, '-c', '\n'.join(
        ['import numpy', 'import keratin.backend as K', 'from keratin import distributed as D', *lines])]


def test_functions_take_and_return_wholes():
    lines = ['x = K.placeholder((None, 2), name="x")', 'y = K.placeholder(ndim=2, name="y")', 'w = K.variable(numpy.random.RandomState(D.rank()).rand(2))',
             'f = K.function([x, y], [K.transpose(x) + 1, K.sum(x * y), w + K.sum(x)], [K.update_add(w, [1., 1.])])',
             'for rows in (0, 1, 5):',
             '    given = numpy.arange(2. * rows).reshape(rows, 2)',
             '    for values in ([given, given], {"y": given, "x": given}):',
             '        a, b, c = f(values)',
             '        assert (a == given.T + 1).all() and a.shape == (2, rows), a',
             '        assert b == (given ** 2).sum(), b',
             'same = D.all_gather(K.get_value(w).reshape(1, 2))',
             'assert same.shape == (D.size(), 2) and (same == same[0]).all(), same']
    for code, output in run_ranks(3, 'wholes-%d' % os.getpid(), script(lines)):
        assert code == 0, output


def test_what_mixes_the_batch_is_refused_with_its_line():
    lines = ['x = K.placeholder((None, 2))', 'K.function([x], [K.cumsum(x, axis=0)])']
    for code, output in run_ranks(2, 'mixes-%d' % os.getpid(), script(lines)):
        assert code == 1
        assert ("cumsum along 'batch', of which each rank has a part; needed gather_parts, with which each rank gets all parts; "
                "at <string>:5") in output, output


def test_what_mixes_the_batch_gathers_parts_where_the_environment_says_so(monkeypatch):
    monkeypatch.setenv('KERATIN_GATHER_PARTS', 'on')
    lines = ['x = K.placeholder((None, 2))', 'f = K.function([x], [K.cumsum(x, axis=0)])',
             'rows = numpy.arange(10.).reshape(5, 2)', 'assert (f([rows])[0] == rows.cumsum(0)).all()']
    for code, output in run_ranks(2, 'gathers-%d' % os.getpid(), script(lines)):
        assert (code, output) == (0, ''), output


def test_all_gather_needs_a_dimension():
    lines = ['for value in (3., None):', '    try: D.all_gather(value)', '    except ValueError as error: assert "at <string>:5" in str(error); print(error)']
    (code, output), = run_ranks(1, 'number-%d' % os.getpid(), script(lines))
    assert code == 0, output
    assert 'distributed.all_gather: found a number; needed an array with a dimension at least; at' in output
    assert 'distributed.all_gather: found None; needed' in output
