"""Checkpoints that ranks write together: lost ranks, other numbers of them, files that somebody else has made."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import numpy
import pytest
from safetensors.numpy import load_file, save_file

import keratin.backend as K
from keratin import distributed

HERE = pathlib.Path(__file__).parent
LIMIT = 300


def start(size, job, command):
    return [subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, 'KERATIN_NUM_THREADS': '1', 'KERATIN_COLLECTIVE_TIMEOUT': '60',
                                  'KERATIN_RANK': str(rank), 'KERATIN_RANKS': str(size), 'KERATIN_JOB': job})
            for rank in range(size)]


def finish(ranks):
    """Of each rank its exit code, what it printed and its errors."""
    said = [rank.communicate(timeout=LIMIT) for rank in ranks]
    return [(rank.returncode, *text) for rank, text in zip(ranks, said)]


def train(size, *arguments):
    train.jobs += 1
    return finish(start(size, 'checkpoint-%d-%d' % (os.getpid(), train.jobs),
                        [sys.executable, HERE / 'checkpoint_step.py', *map(str, arguments)]))


train.jobs = 0


def losses(output):
    return {int(step): float(loss) for step, loss in re.findall(r'step (\d+): (\S+)', output)}


def test_a_run_that_lost_a_rank_goes_on_with_those_that_are_left(tmp_path):
    steps = 8
    (code, alone, errors), = train(1, tmp_path / 'alone.safetensors.index.json', steps)
    assert code == 0, errors
    index = tmp_path / 'net.safetensors.index.json'
    first = train(3, index, steps, 1, 5)
    assert [code for code, _, _ in first] == [1, -signal.SIGKILL, 1]
    for rank in (0, 2):
        assert 'LostRankError' in first[rank][2] and 'rank 1 is gone' in first[rank][2]
    assert list(losses(first[0][1])) == [1, 2, 3, 4, 5]
    assert len(list(tmp_path.glob('net*-of-00003.safetensors'))) == 3
    second = train(2, index, steps)
    assert [code for code, _, _ in second] == [0, 0], second
    assert second[0][1] == second[1][1] and list(losses(second[0][1])) == [6, 7, 8]
    wanted, found = losses(alone), {**losses(first[0][1]), **losses(second[0][1])}
    # As good as the losses of jobs in distributed_test.py; other dropout masks would be far away.
    numpy.testing.assert_allclose(list(found.values()), list(wanted.values()), rtol=2e-5)
    assert len(set(wanted.values())) == steps
    # One process goes on, too, and what is left of older sets is gone.
    (code, third, errors), = train(1, index, steps + 1)
    assert code == 0 and list(losses(third)) == [steps + 1], errors
    assert len(list(tmp_path.glob('net*.safetensors'))) == 1


# Rows that all say how often the set was written, so that sets that are mixed are seen.
WRITE = '''
import numpy, sys
import keratin.backend as K
from keratin import distributed as D
D.init()
variables = [K.variable(numpy.zeros(1000 * (i + 1)), name='v%d' % i) for i in range(5)]
for time in range(10000):
    for variable in variables:
        K.set_value(variable, numpy.full(K.int_shape(variable), time))
    D.save_checkpoint(variables, sys.argv[1])
    print(time, flush=True)
'''


def test_a_rank_killed_at_any_time_leaves_a_whole_set(tmp_path):
    index = tmp_path / 'net.safetensors.index.json'
    variables = [K.variable(numpy.zeros(1000 * (i + 1)), name='v%d' % i) for i in range(5)]
    draw = random.Random(11)
    for round in range(6):
        ranks = start(2, 'killed-%d-%d' % (os.getpid(), round), [sys.executable, '-c', WRITE, str(index)])
        assert ranks[0].stdout.readline() == '0\n'
        time.sleep(draw.random() * .3)
        ranks[round % 2].kill()
        finish(ranks)
        K.load_weights(variables, str(index))
        values = {float(value) for variable in variables for value in K.get_value(variable)}
        assert len(values) == 1


def test_sets_are_those_of_hugging_face(tmp_path):
    index = tmp_path / 'net.safetensors.index.json'
    code = '''
import numpy, sys
import keratin.backend as K
from keratin import distributed as D
D.init()
D.save_checkpoint([K.variable(numpy.full(n, n), name='v%d' % n) for n in (50, 30, 20, 10, 7)], sys.argv[1])
'''
    ranks = finish(start(3, 'set-%d' % os.getpid(), [sys.executable, '-c', code, str(index)]))
    assert [rank[0] for rank in ranks] == [0, 0, 0], ranks
    parsed = json.loads(index.read_text())
    assert parsed['metadata'] == {'total_size': 4 * 117}
    # By bytes as even as can be.
    parts = ['net-%05d-of-00003.safetensors' % (part + 1) for part in range(3)]
    assert parsed['weight_map'] == {'v50': parts[0], 'v30': parts[1], 'v20': parts[2], 'v10': parts[2], 'v7': parts[1]}
    assert sorted(os.listdir(tmp_path)) == [*parts, index.name]
    for part in parts:
        arrays = load_file(tmp_path / part)
        assert set(arrays) == {name for name, file in parsed['weight_map'].items() if file == part}
        for name, array in arrays.items():
            numpy.testing.assert_array_equal(array, numpy.full(int(name[1:]), float(name[1:]), 'float32'))


def write_set(folder, weight_map, files, **more):
    for name, arrays in files.items():
        save_file({key: numpy.full(size, 1., 'float32') for key, size in arrays.items()}, folder / name)
    path = folder / 'net.safetensors.index.json'
    path.write_text(json.dumps({'weight_map': weight_map, **more}))
    return str(path)


A, B = 'a.safetensors', 'b.safetensors'
W = K.variable(numpy.zeros(4), name='w')


@pytest.mark.parametrize('weight_map, files, more, message', [
    ({'w': '../a.safetensors'}, {}, {}, "tensor 'w' is in '../a.safetensors'; needed the name of a .safetensors file beside"),
    ({'w': '/etc/a.safetensors'}, {}, {}, "tensor 'w' is in '/etc/a.safetensors'; needed the name of a .safetensors"),
    ({'w': '..'}, {}, {}, "tensor 'w' is in '..'; needed the name of a .safetensors file beside the index"),
    ({'w': 3}, {}, {}, "tensor 'w' is in no file: needed a name"),
    ({'w': A, 'u': A}, {A: {'w': 4}}, {}, "the index has tensor 'u' in 'a.safetensors'; found none"),
    ({'w': A, 'u': B}, {A: {'w': 4, 'u': 1}, B: {'x': 1}}, {}, "'b.safetensors' has a tensor 'x', of which the index knows nothing"),
    ({'w': B, 'u': A}, {A: {'w': 4}, B: {'u': 1}}, {}, "the index has tensor 'u' in 'a.safetensors'; found it in 'b.safetensors'"),
    ({'w': A, 'u': B}, {A: {'w': 4}, B: {'w': 4, 'u': 1}}, {}, "tensor 'w' is in 'a.safetensors' and in 'b.safetensors'"),
    ({'w': A}, {A: {'w': 5}}, {}, "'w' has shape (5,); needed the variable's shape (4,)"),
    ({'u': A}, {A: {'u': 4}}, {}, "it has no 'w'"),
    ({'w': A}, {A: {'w': 4}}, {'metadata': {'total_size': 17}}, 'total_size is 17; its tensors have 16 bytes'),
    ([], {}, {}, "it has no object 'weight_map'"),
])
def test_what_is_wrong_with_a_set_is_named(tmp_path, weight_map, files, more, message):
    path = write_set(tmp_path, weight_map, files, **more)
    K.set_value(W, numpy.zeros(4))
    for load, function in ((K.load_weights, 'load_weights'), (distributed.load_checkpoint, 'distributed.load_checkpoint')):
        with pytest.raises(ValueError) as raised:
            load([W], path)
        assert str(raised.value).startswith("%s: '%s': %s" % (function, path, message))
    assert not K.get_value(W).any()


def test_what_is_wrong_with_files_of_a_set_is_named(tmp_path):
    path = write_set(tmp_path, {'w': A}, {A: {'w': 4}})
    K.load_weights([W], path)
    for text, message in (('{"weight_map": {"w": "a.safetensors", "w": "b.safetensors"}}', "it has 'w' twice"),
                          ('{"weight_map": ', 'it is no JSON object'), ('[' * 100000, 'it is no JSON object'),
                          ('[]', 'it is no JSON object')):
        pathlib.Path(path).write_text(text)
        with pytest.raises(ValueError, match=re.escape(message)):
            K.load_weights([W], path)
    path = write_set(tmp_path, {'w': A}, {})
    whole = (tmp_path / A).read_bytes()
    for bytes in (b'', b'\0' * 8, whole[:-1], whole + b'\0'):
        (tmp_path / A).write_bytes(bytes)
        with pytest.raises(ValueError, match=r"'a\.safetensors': "):
            K.load_weights([W], path)
    (tmp_path / A).unlink()
    with pytest.raises(RuntimeError, match=r"'a\.safetensors': No such file"):
        K.load_weights([W], path)


def test_what_fails_on_one_rank_fails_on_all(tmp_path):
    code = '''
import numpy, os, sys
import keratin.backend as K
from keratin import distributed as D
D.init()
w = K.variable(numpy.ones(4), name='w')
folder = sys.argv[1]
other = K.variable(numpy.ones(4), name='u%d' % D.rank())
calls = [lambda: D.save_checkpoint([w], folder + '/net.npz'),
         lambda: D.save_checkpoint([w, other], folder + '/net.safetensors.index.json'),
         lambda: D.save_checkpoint([w, K.variable(1., name='u')], folder + '/%s/net.safetensors.index.json' % ('no' if D.rank() else '')),
         lambda: D.load_checkpoint([w], folder + '/%s.safetensors.index.json' % ('no' if D.rank() else 'net'))]
D.save_checkpoint([w], folder + '/net.safetensors.index.json')
for call in calls:
    try:
        call()
        print('went well')
    except Exception as error:
        print(type(error).__name__, error)
D.save_checkpoint([w], folder + '/net.safetensors.index.json')
'''
    first, second = finish(start(2, 'fails-%d' % os.getpid(), [sys.executable, '-c', code, str(tmp_path)]))
    assert (first[0], second[0]) == (0, 0), (first, second)
    lines = list(zip(first[1].splitlines(), second[1].splitlines()))
    assert len(lines) == 4
    for line in lines[0]:
        assert line.startswith("ValueError distributed.save_checkpoint: '%s/net.npz' ends in no known way; needed .safetensors.index.json" % tmp_path)
    for line in lines[1]:
        assert line.startswith('RankError distributed.save_checkpoint: ') and 'checkpoint of 2 variables' in line
    for others, own in lines[2:]:
        assert others.startswith('RankError distributed.') and 'rank 1 has failed: ' in others
        assert own.startswith('RuntimeError distributed.') and 'No such file' in own
