"""keratin.distributed: jobs of several ranks against one process, over memory that they share and over MPI where it is.

Each rank is a process that runs step.py.
"""
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / 'support'))
from mpis import MPIS  # noqa: E402

LIMIT = 300


def environment(**more):
    return {**os.environ, 'KERATIN_NUM_THREADS': '1', 'KERATIN_COLLECTIVE_TIMEOUT': '60', **more}


def run_ranks(size, job, command):
    """What each rank printed, and its exit code."""
    ranks = [subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment(KERATIN_RANK=str(rank), KERATIN_RANKS=str(size), KERATIN_JOB=job))
             for rank in range(size)]
    outputs = [rank.communicate(timeout=LIMIT)[0] for rank in ranks]
    return [(rank.returncode, output) for rank, output in zip(ranks, outputs)]


def results(folder, size):
    return [dict(numpy.load(folder / ('out.%d.npz' % rank))) for rank in range(size)]


@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp('alone')
    subprocess.run([sys.executable, HERE / 'step.py', folder / 'out'], env=environment(), check=True, timeout=LIMIT)
    return results(folder, 1)[0]


def check(ranks, alone, engine):
    for rank in ranks:
        assert str(rank['engine']) == engine
        for name in ('losses', 'w0', 'w1', 'w2'):
            numpy.testing.assert_allclose(rank[name], alone[name], rtol=2e-5, atol=2e-6)
            # The same on all ranks, bit by bit.
            assert rank[name].tobytes() == ranks[0][name].tobytes()
    assert (numpy.concatenate([rank['mask'] for rank in ranks]) == alone['mask']).all()
    numpy.testing.assert_allclose(numpy.concatenate([rank['y'] for rank in ranks]), alone['y'], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize('size', [2, 3])
def test_training_on_ranks_of_one_machine_is_that_of_one_process(alone, tmp_path, size):
    job = 'step-%d-%d' % (os.getpid(), size)
    for code, output in run_ranks(size, job, [sys.executable, HERE / 'step.py', tmp_path / 'out']):
        assert code == 0, output
    check(results(tmp_path, size), alone, 'shared memory')


def run_mpi(name, size, command):
    """What the ranks printed, in any order."""
    mpi = MPIS[name]
    if not mpi.is_here():
        pytest.skip('%s is not here' % mpi.launcher[0])
    run = subprocess.run(mpi.command(size, *command), env=environment(**mpi.environment()), timeout=LIMIT, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout
    return run.stdout


@pytest.mark.parametrize('name', MPIS)
def test_training_over_mpi_is_that_of_one_process(alone, tmp_path, name):
    run_mpi(name, 2, [sys.executable, HERE / 'step.py', tmp_path / 'out'])
    check(results(tmp_path, 2), alone, MPIS[name].engine)


MESH = ['float32', 'data=2', 'model=2']


def check_mesh(ranks, alone, engine):
    """Ranks 0 and 2 have the two parts of the batch, and so have 1 and 3."""
    for column in (0, 1):
        check(ranks[column::2], alone, engine)
    for name in ('losses', 'w0', 'w1', 'w2', 'y', 'mask'):
        for row in (0, 2):
            assert ranks[row][name].tobytes() == ranks[row + 1][name].tobytes()


def test_training_on_a_mesh_is_that_of_one_process(alone, tmp_path):
    command = [sys.executable, HERE / 'step.py', tmp_path / 'out', *MESH]
    for code, output in run_ranks(4, 'mesh-%d' % os.getpid(), command):
        assert code == 0, output
    check_mesh(results(tmp_path, 4), alone, 'shared memory')


def test_training_on_a_mesh_over_mpi_is_that_of_one_process(alone, tmp_path):
    run_mpi('Open MPI 4', 4, [sys.executable, HERE / 'step.py', tmp_path / 'out', *MESH])
    check_mesh(results(tmp_path, 4), alone, 'Open MPI')


def test_a_rank_that_fails_on_a_mesh_is_known_along_all_axes():
    lines = ["x = K.placeholder((K.Dim('batch'), 2))",
             "f, g = (K.function([x], [K.sum(x)], shard={'batch': axis}) for axis in ('data', 'model'))",
             'try:',
             '    f([numpy.ones((3, 2 + (D.rank() == 3)))])',
             'except (ValueError, RuntimeError) as error:',
             '    print(type(error).__name__, error)',
             'print(f([numpy.ones((D.rank(), 2))])[0], g([numpy.ones((D.rank(), 2))])[0])']
    for rank, (code, output) in enumerate(run_ranks(4, 'mesh-failed-%d' % os.getpid(), script(lines, init=MESH_OF_FOUR))):
        assert code == 0, output
        assert output.startswith('ValueError' if rank == 3 else 'RankError function: '), output
        assert ('rank 3 has failed: ' in output) == (rank != 3), output
        assert output.endswith('%.1f %.1f\n' % (4 * (rank % 2) + 4, 2 if rank < 2 else 10)), output


def test_code_for_other_sizes_adds_up_along_the_same_axis():
    lines = ["x, a, b = K.placeholder((K.Dim('batch'), 2)), K.placeholder((None,)), K.placeholder((None,))",
             "f = K.function([x, a, b], [K.sum(x), a + b], shard=['batch'])",
             "rows = numpy.ones((D.rank('data') + 1, 2))",
             'print(*(f([rows, numpy.ones(n), numpy.ones(3)])[0] for n in (3, 1)))']
    for code, output in run_ranks(4, 'mesh-general-%d' % os.getpid(), script(lines, init=MESH_OF_FOUR)):
        assert (code, output) == (0, '6.0 6.0\n'), output


@pytest.mark.parametrize('name', MPIS)
def test_engines_give_the_same_bits(tmp_path, name):
    command = [sys.executable, HERE / 'step.py', tmp_path / 'out']
    for code, output in run_ranks(2, 'bits-%d' % os.getpid(), command):
        assert code == 0, output
    first = results(tmp_path, 2)
    run_mpi(name, 2, command)
    for one, other in zip(first, results(tmp_path, 2)):
        for result in ('losses', 'w0', 'w1', 'w2', 'y'):
            assert one[result].tobytes() == other[result].tobytes()


MESH_OF_FOUR = "D.init({'data': 2, 'model': 2})"


def script(lines, init='D.init()'):
    return [sys.executable, '-c', '\n'.join(
        ['import numpy', 'import keratin.backend as K', 'from keratin import distributed as D', init, *lines])]


# A function over the batch, and its call.
SUM = ["x = K.placeholder((K.Dim('batch'), 2))", "f = K.function([x], [K.sum(x)], shard=['batch'])"]


def test_a_wrong_shape_on_one_rank_fails_the_call_on_all_and_no_other(tmp_path):
    lines = [*SUM,
             'try:',
             '    f([numpy.ones((3, 2 + (D.rank() == 1)))])',
             'except (ValueError, RuntimeError) as error:',
             '    print(type(error).__name__, error)',
             'print(f([numpy.ones((D.rank(), 2))])[0])']
    outputs = run_ranks(3, 'shape-%d' % os.getpid(), script(lines))
    for rank, (code, output) in enumerate(outputs):
        assert code == 0, output
        told = 'ValueError' if rank == 1 else 'RankError function: '
        assert output.startswith(told), output
        assert ('rank 1 has failed: ' in output) == (rank != 1), output
        assert output.endswith('6.0\n'), output


@pytest.mark.parametrize('call', ["f(['x'])", 'f([numpy.ones((1, 2), complex)])', 'f([[[1, 2], [3]]])', "f({'y': 1})", 'f({3: 1})',
                                  'f({"x": "x"})', 'f([])', 'f(5)', 'f()', 'f([], all=1)'])
def test_a_call_that_one_rank_refuses_fails_on_the_others_too(call):
    lines = ["x = K.placeholder((K.Dim('batch'), 2), name='x')", "f = K.function([x], [K.sum(x)], shard=['batch'])",
             'try:',
             '    f([numpy.ones((3, 2))]) if D.rank() != 1 else ' + call,
             'except (TypeError, ValueError, RuntimeError) as error:',
             '    print(type(error).__name__, error)',
             'print(f([numpy.ones((D.rank(), 2))])[0])']
    (other, told), (one, refused) = run_ranks(2, 'refused-%d' % os.getpid(), script(lines))
    assert (other, one) == (0, 0), told + refused
    assert refused.startswith(('TypeError', 'ValueError')) and refused.endswith('2.0\n'), refused
    reason = refused.split(' ', 1)[1].rsplit('\n', 2)[0]
    assert told.startswith('RankError') and 'rank 1 has failed: ' + reason in told and told.endswith('2.0\n'), told


def test_a_killed_rank_is_missed():
    lines = [*SUM, 'f([numpy.ones((1, 2))])', 'import os, signal',
             'if D.rank() == 1: os.kill(os.getpid(), signal.SIGKILL)',
             'try:', '    f([numpy.ones((1, 2))])', 'except D.LostRankError as error:',
             '    assert isinstance(error, D.RankError) and isinstance(error, RuntimeError)',
             '    raise']
    outputs = run_ranks(3, 'kill-%d' % os.getpid(), script(lines))
    assert outputs[1][0] == -9
    for rank in (0, 2):
        assert outputs[rank][0] == 1
        assert 'keratin.distributed.LostRankError: function: ' in outputs[rank][1]
        assert 'rank 1 is gone' in outputs[rank][1]


def test_ranks_with_other_functions_are_told():
    lines = ["x = K.placeholder((K.Dim('batch'), 2))",
             "f = K.function([x], [K.sum(x) if D.rank() else K.max(x)], shard=['batch'])",
             'f([numpy.ones((1, 2))])']
    for code, output in run_ranks(2, 'other-%d' % os.getpid(), script(lines)):
        assert code == 1
        assert 'keratin.distributed.RankError: function: ' in output, output
        assert 'rank 0 asks for the max and rank 1 for the sum' in output, output


def test_broadcast_names_the_variable():
    lines = ["D.broadcast([K.variable(numpy.zeros(2 + D.rank()), name='w')])"]
    for code, output in run_ranks(2, 'broadcast-%d' % os.getpid(), script(lines)):
        assert code == 1
        assert "distributed.broadcast: broadcast 'w' on rank" in output, output
        assert 'rank 0 has 2 elements and rank 1 has 3' in output, output


def test_a_function_of_a_file_may_be_sharded(tmp_path):
    path = tmp_path / 'sum.ktg'
    lines = [*SUM, 'if D.rank() == 0: K.save_function(f, %r)' % str(path), 'D.barrier()',
             "g = K.load_function(%r, shard=['batch'])" % str(path), 'print(g([numpy.ones((1 + D.rank(), 2))])[0])']
    for code, output in run_ranks(2, 'file-%d' % os.getpid(), script(lines)):
        assert (code, output) == (0, '6.0\n'), output


def test_a_step_of_a_file_trains_on_ranks_and_ahead_of_time(tmp_path):
    path, model = str(tmp_path / 'step.ktg'), str(tmp_path / 'libstep.so')
    lines = ["x = K.placeholder((K.Dim('batch'), 2))", "w = K.variable([[1.], [-2.]])",
             'loss = K.mean(K.square(K.dot(x, w)))',
             "step = K.function([x], [loss], [(w, w - .125 * K.gradients(loss, [w])[0])], name='step', shard=['batch'])",
             'rows = numpy.arange(10).reshape(5, 2) / 8',
             'own = rows[:2] if D.rank() else rows[2:]',
             'if D.rank() == 0: K.save_function(step, %r)' % path,
             'D.barrier()',
             'loaded = K.load_function(%r)' % path,
             'for i in range(3): assert loaded([own])[0] == step([own])[0]',
             'assert (K.get_value(loaded.variables[0]) == K.get_value(w)).all()',
             'if D.rank() == 0:',
             '    import keratin',
             '    keratin.compile_model(loaded, %r)' % model,
             '    model = keratin.Model(%r)' % model,
             "    function, = model.metadata['functions']",
             "    assert function['sharded'] == ['batch'] and function['collectives'] > 0",
             "    numpy.testing.assert_allclose(model['step']([rows])[0], numpy.mean((rows @ K.get_value(w)) ** 2), rtol=1e-6)"]
    for code, output in run_ranks(2, 'trained-%d' % os.getpid(), script(lines)):
        assert (code, output) == (0, ''), output


def test_ops_get_all_parts_where_they_may(tmp_path):
    path = tmp_path / 'sums.ktg'
    lines = ["x = K.placeholder((K.Dim('batch'), 2))", 'w = K.variable([1., -1.])',
             'y = K.cumsum(x * w, axis=0)', 'loss = K.sum(K.square(y))',
             'outputs = [y, loss, K.gradients(loss, [w])[0]]',
             "f = K.function([x], outputs, shard=['batch'], gather_parts=True)",
             'rows = numpy.arange(10).reshape(5, 2) / 8',
             'whole = K.function([x], outputs)([rows])',
             'begin, end = (5 * r // D.size() for r in (D.rank(), D.rank() + 1))',
             'if D.rank() == 0: K.save_function(f, %r)' % str(path),
             'D.barrier()',
             'for g in (f, K.load_function(%r)):' % str(path),
             '    part, *same = g([rows[begin:end]])',
             '    numpy.testing.assert_allclose(part, whole[0][begin:end], rtol=1e-6)',
             '    for one, other in zip(same, whole[1:]): numpy.testing.assert_allclose(one, other, rtol=1e-6)',
             'try:',
             "    K.load_function(%r, shard=['batch'])" % str(path),  # which takes the place of all of it
             'except ValueError as error:',
             "    assert 'needed gather_parts' in str(error), error",
             '    print(D.rank())']
    for rank, (code, output) in enumerate(run_ranks(3, 'parts-%d' % os.getpid(), script(lines))):
        assert (code, output) == (0, '%d\n' % rank), output


def test_one_process():
    lines = [*SUM, 'assert (D.rank(), D.size(), D.engine(), D.is_initialized()) == (0, 1, "one rank", True)',
             'D.barrier()', 'assert f([numpy.ones((3, 2))])[0] == 6',
             'for call in (D.init, lambda: D.broadcast([x]), lambda: D.broadcast([K.variable(1.)], 1),',
             "             lambda: K.function([x], [K.sum(x)], shard=['rows']),",
             "             lambda: K.function([x], [K.cumsum(x, axis=0)], shard=['batch']),",
             '             lambda: (D.finalize(), f([numpy.ones((3, 2))]))):',
             '    try:', '        call()', '    except Exception as error:', '        print(type(error).__name__, error)']
    run = subprocess.run(script(lines), env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=LIMIT)
    assert run.returncode == 0, run.stdout
    for message in ('RuntimeError distributed.init: this process has joined its ranks already', 'is no variable',
                    'distributed.broadcast: from rank 1; needed one of 1, from 0 on; at <string>:',
                    "ValueError function: no input has a dimension of the size 'rows', of which each rank is to have a part",
                    "cumsum along 'batch', of which each rank has a part", 'this process has left the group'):
        assert message in run.stdout, run.stdout
