"""keratin.distributed.shrink: ranks that are left when others are lost, and go on in their processes."""
import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

from checkpoint_test import HERE, LIMIT, finish, start, train
from distributed_test import MPIS, environment, run_ranks, script

STEPS = 8


def steps_of(output):
    """The step and the loss of each line, as they are written."""
    return re.findall(r'step (\d+): (\S+)', output)


def restarted(tmp_path):
    """What ranks 0, 1 and 2 print who go on in new processes, from the checkpoint of four."""
    index = tmp_path / 'restarted.safetensors.index.json'
    first = train(4, index, STEPS, 1, 5)
    assert [code for code, _, _ in first] == [1, -signal.SIGKILL, 1, 1], first
    second = train(3, index, STEPS)
    assert [code for code, _, _ in second] == [0, 0, 0], second
    return steps_of(first[0][1]) + steps_of(second[0][1])


def test_a_job_goes_on_without_the_rank_that_was_killed(tmp_path):
    index = tmp_path / 'net.safetensors.index.json'
    ranks = train(4, index, STEPS, 1, 5, 'on')
    assert [code for code, _, _ in ranks] == [0, -signal.SIGKILL, 0, 0], ranks
    wanted = restarted(tmp_path)
    assert [int(step) for step, _ in wanted] == list(range(1, STEPS + 1))
    for number, rank in enumerate((0, 2, 3)):
        assert steps_of(ranks[rank][1]) == wanted
        assert ranks[rank][1].endswith('ended as rank %d of 3 over shared memory\n' % number)


@pytest.mark.parametrize('name', [name for name, mpi in MPIS.items() if mpi.recovery is not None])
def test_a_job_over_mpi_goes_on_without_the_rank_that_was_killed(tmp_path, name):
    mpi = MPIS[name]
    if not mpi.is_here():
        pytest.skip('%s is not here' % mpi.launcher[0])
    program = [sys.executable, HERE / 'checkpoint_step.py', tmp_path / 'net.safetensors.index.json', STEPS, 1, 5, 'on']
    run = subprocess.run(mpi.command(4, *program, recovers=True), env=environment(**mpi.environment()), timeout=LIMIT,
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # What ranks say last mpirun may lose, after one was killed.
    assert run.returncode == 0 and 'Error' not in run.stdout, run.stdout
    found, wanted = steps_of(run.stdout), restarted(tmp_path)
    assert set(found) <= set(wanted), run.stdout
    for step, loss in wanted[:6]:
        assert found.count((step, loss)) == (4 if int(step) <= 5 else 3), run.stdout


def test_ranks_killed_at_any_time_leave_a_job_that_goes_on(tmp_path):
    draw = random.Random(5)
    for turn in range(3):
        index = tmp_path / ('net%d.safetensors.index.json' % turn)
        ranks = start(3, 'shrunk-%d-%d' % (os.getpid(), turn),
                      [sys.executable, str(HERE / 'checkpoint_step.py'), str(index), '60', '-1', '-1', 'on'])
        assert ranks[0].stdout.readline().startswith('step 1: ')
        victims = draw.sample(range(3), 2)
        for victim in victims:
            time.sleep(draw.random() * .1)
            ranks[victim].kill()
        said = finish(ranks)
        survivor, = {0, 1, 2} - set(victims)
        code, output, errors = said[survivor]
        assert code == 0, errors
        # It may have trained all steps before.
        assert re.search(r'step 60: .*\nended as rank \d of [123] over shared memory\n$', output), output


def lost_and(lines, before=(), init='D.init()'):
    """A program of which rank 1 is lost; the others do the lines."""
    return script([*before, 'import os, signal', 'if D.rank() == 1: os.kill(os.getpid(), signal.SIGKILL)',
                   'try: D.barrier()', 'except D.LostRankError: pass', *lines], init=init)


def said_by_those_left(job, size, program):
    outputs = run_ranks(size, '%s-%d' % (job, os.getpid()), program)
    assert outputs[1][0] == -signal.SIGKILL
    left = [output for rank, output in enumerate(outputs) if rank != 1]
    assert [code for code, _ in left] == [0] * (size - 1), left
    return [output for _, output in left]


def test_functions_know_the_ranks_that_are_left():
    before = ['x = K.placeholder((2,))', "rows = K.placeholder((K.Dim('batch'), 2))",
              "f = K.function([x], [D.all_reduce(x), D.all_reduce(x, 'mean'), D.rank_index(), D.rank_count()])",
              "g = K.function([rows], [K.sum(rows), K.mean(rows)], shard=['batch'])",
              'h = K.function([x], [D.all_gather(x, 0)])', 'h([numpy.ones(2)])']
    lines = ['D.shrink()', 'own = float(D.rank() + 1)', 'print(D.rank(), D.size(), *(v.tolist() for v in f([[own, 0]])))',
             'print(*(round(float(v), 5) for v in g([numpy.full((D.rank() + 1, 2), own)])))',
             'try: h([numpy.ones(2)])', 'except D.RankError as error: print(error)',
             'h = K.function([x], [D.all_gather(x, 0)])', 'print(h([[own, 0]])[0].tolist())']
    for rank, output in enumerate(said_by_those_left('functions', 3, lost_and(lines, before))):
        said = output.splitlines()
        assert said[0] == '%d 2 [3.0, 0.0] [1.5, 0.0] %d 2' % (rank, rank), output
        assert said[1] == '10.0 1.66667', output
        assert said[2].endswith('rank 0 has room for 6 elements; all ranks together send 4'), output
        assert said[-1] == '[1.0, 0.0, 2.0, 0.0]', output


def test_an_axis_that_all_ranks_are_along_is_shorter():
    before = ["x = K.placeholder((K.Dim('batch'), 2))", "f = K.function([x], [K.sum(x)], shard={'batch': 'rows'})"]
    lines = ['D.shrink()', "print(D.rank('rows'), D.size('rows'), f([numpy.ones((D.rank() + 1, 2))])[0])"]
    outputs = said_by_those_left('axis', 4, lost_and(lines, before, "D.init({'rows': 4})"))
    assert outputs == ['%d 3 12.0\n' % rank for rank in range(3)]


def refusal(job, size, before=()):
    lines = ['try: D.shrink()', 'except NotImplementedError as error: print(error)']
    first, *others = said_by_those_left(job, size, lost_and(lines, before))
    assert all(other == first for other in others)
    return first.strip()


def test_what_does_not_go_on_is_named():
    parts = ['x, w = K.placeholder((2, 6)), K.variable(numpy.ones((6, 6)))', 'f = K.function([x], [K.sum(K.dot(x, w))], shard=[(w, 1)])']
    assert refusal('parts', 3, parts) == (
        'distributed.shrink: not implemented: ranks that have parts of variables or of states, of which those of the lost rank '
        'are nowhere else; needed a new start, from a checkpoint')


def test_one_process_has_nobody_to_lose():
    lines = ['D.shrink()', 'D.init()', 'D.shrink()', 'print(D.rank(), D.size())']
    run = subprocess.run(script(lines, init=''), env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=LIMIT)
    assert (run.returncode, run.stdout) == (0, '0 1\n'), run.stdout
