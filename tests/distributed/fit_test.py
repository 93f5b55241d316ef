"""Trainings of C++ programs on ranks: training::fit of a sharded step, and the steps that examples save."""
import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

from distributed_test import environment, run_mpi, run_ranks

BUILD = pathlib.Path(os.environ['KERATIN_TEST_BUILD'])
DIGITS = pathlib.Path(__file__).parents[2] / 'examples' / 'data' / 'digits.csv'


def run_fit(kind, size=2):
    return run_ranks(size, 'fit-%s-%d' % (kind, os.getpid()), [BUILD / 'tests' / 'layers' / 'fit_rank', kind])


def test_each_rank_feeds_its_rows_and_all_begin_as_rank_0():
    # Of a batch of four rows, and of three.
    fed = [('0', '4'), ('1', '5'), ('2 3', '6')]
    for (code, output), rows in zip(run_fit('plain', 3), fed):
        epochs = ['fed %s\nfed %s\nepoch %d mean 3\n' % (*rows, epoch) for epoch in (1, 2)]
        assert (code, output) == (0, ''.join(epochs) + 'total 42\n'), output


def test_other_rows_on_a_rank_are_an_error_on_all():
    for code, output in run_fit('rows'):
        assert code == 1
        assert 'RankError: fit: rank 0 has rows 7, and rank 1 8; needed the same on all ranks; at ' in output, output


def test_data_that_one_rank_cannot_read_end_the_training_on_all():
    (code, output), (other_code, other_output) = run_fit('data')
    assert code == 1 and 'rank 1 has failed' in output and 'the disk is gone' in output, output
    assert other_code == 2 and other_output.endswith('the disk is gone\n'), other_output


def test_a_callback_of_one_rank_ends_the_training_on_all():
    for code, output in run_fit('stops'):
        assert code == 0 and output.count('epoch') == 1 and output.endswith('total 21\n'), output


def test_a_callback_that_throws_ends_the_training_on_all():
    (code, output), (other_code, other_output) = run_fit('throws')
    assert code == 1 and 'the plotter is out of paper' in output, output
    assert other_code == 2 and other_output.endswith('the plotter is out of paper\n'), other_output


def test_one_file_is_no_checkpoint_of_several():
    assert run_fit('file') == [(3, 'as expected\n')] * 2


def losses(output):
    return [float(loss) for loss in re.findall(r'  loss ([^ ]+)', output)]


@pytest.fixture(scope='module')
def alone():
    run = subprocess.run([BUILD / 'examples' / 'digits_ranks', DIGITS, '3'], env=environment(), stdout=subprocess.PIPE, text=True, check=True)
    assert len(losses(run.stdout)) == 3, run.stdout
    return losses(run.stdout)


@pytest.mark.parametrize('name', ['Open MPI 4', 'MPICH 4'])
def test_the_example_over_mpi_is_that_of_one_process(alone, name):
    output = run_mpi(name, 3, [BUILD / 'examples' / 'digits_ranks', DIGITS, '3'])
    numpy.testing.assert_allclose(losses(output.split('\r')[-1])[-1:], alone[-1:], rtol=1e-3)


def test_the_example_goes_on_with_fewer_ranks(alone, tmp_path):
    program = [BUILD / 'examples' / 'digits_ranks', DIGITS, '2', tmp_path / 'net.safetensors.index.json']
    before = run_ranks(3, 'digits-%d' % os.getpid(), program)
    assert [code for code, _ in before] == [0, 0, 0] and before[1][1] == before[2][1] == '', before
    program[2] = '3'
    after = run_ranks(2, 'digits-again-%d' % os.getpid(), program)
    assert 'goes on after epoch 2' in after[0][1], after
    numpy.testing.assert_allclose(losses(before[0][1]) + losses(after[0][1]), alone, rtol=1e-3)


STEP = '''
import sys
import numpy
import keratin.backend as K
from keratin import distributed as D
D.init()
step = K.load_function(sys.argv[1], 'train_step', shard=['batch'])
random = numpy.random.RandomState(3)
feeds = {
    'images': lambda: random.rand(23, 64).astype('float32'),
    'columns': lambda: random.rand(23, 40, 8).astype('float32'),
    'widths': lambda: random.randint(20, 41, (23, 1)),
    'lengths': lambda: random.randint(1, 6, (23, 1)),
    'labels': lambda: random.randint(0, 10, (23, 6) if 'strings' in sys.argv[1] else 23)}
begin, end = (23 * (D.rank() + i) // D.size() for i in (0, 1))
losses = [float(step([feeds[x.name.split(':')[0]]()[begin:end] for x in step.inputs])[0]) for _ in range(4)]
print(' '.join(map(repr, losses + [float(numpy.abs(K.get_value(v)).sum()) for v in step.variables])))
'''


@pytest.mark.parametrize('name', ['digits', 'digits_conv', 'digits_lstm', 'digits_vae', 'digits_strings'])
def test_the_step_of_an_example_is_that_of_one_process(name, tmp_path):
    saved = tmp_path / (name + '.ktg')
    samples = [tmp_path / 'samples.pgm'] if name == 'digits_vae' else []
    subprocess.run([BUILD / 'examples' / name, DIGITS, '1', *samples, saved], env=environment(), stdout=subprocess.DEVNULL, check=True)
    step = [sys.executable, '-c', STEP, saved]
    (code, expected), = run_ranks(1, '%s-1-%d' % (name, os.getpid()), step)
    assert code == 0, expected
    for size in (2, 4):
        outputs = run_ranks(size, '%s-%d-%d' % (name, size, os.getpid()), step)
        assert all(output == outputs[0] and output[0] == 0 for output in outputs), outputs
        numpy.testing.assert_allclose([float(each) for each in outputs[0][1].split()], [float(each) for each in expected.split()], rtol=2e-4, atol=1e-5)
