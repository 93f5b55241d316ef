"""Jobs of machines between which packets take their time and get lost (network.py), over each MPI that is here."""
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

from distributed_test import results
from network import LAUNCHERS, Network, launchers, shared

STEP = pathlib.Path(__file__).parent / 'step.py'
RANK = os.environ['KERATIN_LAUNCHED_RANK']
KINDS = ['all_reduce', 'all_gather', 'reduce_scatter', 'broadcast', 'all_to_all', 'permute', 'barrier']
PLAIN = {'KERATIN_NUM_THREADS': '1', 'KERATIN_COLLECTIVE_TIMEOUT': '60'}
over_each_mpi = pytest.mark.parametrize('mpi', LAUNCHERS)


@pytest.fixture(autouse=True)
def is_here(request):
    mpi = request.node.callspec.params['mpi']
    if mpi not in launchers():
        pytest.skip('%s is not here' % mpi)


@pytest.fixture(scope='module')
def network():
    with Network(4, delay=0.001, loss=0.005) as made:
        yield made
        assert made.lost > 0


@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    """What one process computes, and what it would without rounding to 32 bits."""
    folder = tmp_path_factory.mktemp('alone')
    found = []
    for dtype in ('float32', 'float64'):
        subprocess.run([sys.executable, STEP, folder / 'out', dtype], env={**os.environ, **PLAIN}, check=True, timeout=120)
        found += results(folder, 1)
    return found


def check_bounds(ranks, alone):
    """Ranks round at other places than one process, but no worse: the bound of a tensor's error is that of one process's, four times since both are
    samples of the same rounding, and an ulp of the largest element at least."""
    one, exact = alone
    for name in ('losses', 'w0', 'w1', 'w2', 'y'):
        found = numpy.concatenate([rank[name] for rank in ranks]) if name == 'y' else ranks[0][name]
        bound = 4 * max(abs(one[name] - exact[name]).max(), numpy.spacing(numpy.float32(abs(exact[name]).max())))
        assert bound < 1e-4 * (1 + abs(exact[name]).max())
        assert abs(found - exact[name]).max() <= bound, name
    assert (numpy.concatenate([rank['mask'] for rank in ranks]) == one['mask']).all()


def check_bits(ranks, others):
    for one, other in zip(ranks, others, strict=True):
        for name in ('losses', 'w0', 'w1', 'w2', 'y', 'mask'):
            assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize('size', [2, 4])
@over_each_mpi
def test_training_has_the_bits_of_shared_memory_each_time(network, alone, tmp_path, mpi, size):
    command = [sys.executable, STEP, tmp_path / 'out']
    for code, output in shared(size, 'network-%s-%d' % (os.getpid(), size), command, **PLAIN):
        assert code == 0, output
    expected = results(tmp_path, size)
    check_bounds(expected, alone)
    for time in range(2):
        before = network.packets
        run = network.mpirun(mpi, size, command, done='trained', **PLAIN)
        assert run.returncode == 0, run.stdout
        ranks = results(tmp_path, size)
        assert {str(rank['engine']) for rank in ranks} == {mpi}
        # Twelve steps, of each at least an announcement and the sums to each of the others.
        assert network.packets - before > 24 * size * (size - 1)
        check_bits(ranks, expected)


@over_each_mpi
def test_all_collectives_are_right(network, mpi):
    run = network.mpirun(mpi, 4, [RANK])
    assert run.returncode == 0, run.stdout
    assert '4 ranks over %s: all collectives are right' % mpi in run.stdout


@pytest.mark.parametrize('kind', KINDS)
@over_each_mpi
def test_a_rank_killed_in_a_collective_ends_the_job(network, mpi, kind):
    run = network.mpirun(mpi, 3, [RANK, 'kill', str(KINDS.index(kind))], KERATIN_COLLECTIVE_TIMEOUT='10')
    assert run.returncode != 0
    assert 'are right' not in run.stdout


@pytest.mark.parametrize('kind', KINDS)
@over_each_mpi
def test_ranks_that_disagree_are_told_and_go_on(network, mpi, kind):
    run = network.mpirun(mpi, 3, [RANK, 'differ', str(KINDS.index(kind))])
    assert run.returncode == 0, run.stdout
    told = ('rank 0 is at barrier and rank 1 at barrier \'other\'' if kind == 'barrier' else
            '%s: rank 0 has int32 and rank 1 has float32' % kind)
    for rank in range(3):
        assert any(line.startswith('rank %d was told: ' % rank) and told in line for line in run.stdout.splitlines()), run.stdout
    assert 'all collectives are right' in run.stdout
