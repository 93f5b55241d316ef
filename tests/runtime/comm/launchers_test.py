"""Ranks started by the launchers that there are: mpirun of Debian's MPIs and of PyPI's (tests/support/mpis.py), and variables alone.

launchers_test.py RANK SHRINK: the program LaunchedRank.c, and the library OtherShrink.c."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
from mpis import MPIS  # noqa: E402

RANK, SHRINK = sys.argv[1:]
LIMIT = 120  # seconds


def clean_environment(**more):
    names = ('KERATIN_RANK', 'KERATIN_RANKS', 'KERATIN_JOB', 'KERATIN_MPI_LIBRARY')
    return {**{name: value for name, value in os.environ.items() if name not in names}, **more}


def expect(found, wanted, output):
    if found != wanted:
        sys.exit(f'{wanted!r} was expected, found was {found!r}:\n{output}')


def launch(mpi, ranks, *arguments, recovers=False, **more):
    return subprocess.run(mpi.command(ranks, RANK, *arguments, recovers=recovers), text=True, timeout=LIMIT,
                          env=clean_environment(**mpi.environment(), **more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def all_is_right(mpi, ranks, *arguments):
    run = launch(mpi, ranks, *arguments)
    expect(f'{ranks} ranks over {mpi.engine}: all collectives are right' in run.stdout, True, run.stdout)
    expect(run.returncode, 0, run.stdout)
    print(run.stdout.strip().splitlines()[-1])


def a_lost_rank_ends_the_job(mpi):
    started = time.monotonic()
    run = launch(mpi, 3, 'kill', '0', 'early', KERATIN_COLLECTIVE_TIMEOUT='5')
    expect(run.returncode != 0 and 'are right' not in run.stdout, True, run.stdout)
    print(f'a lost rank ended the job in {time.monotonic() - started:.1f} s')


def who_cannot_go_on_is_told(mpi):
    run = launch(mpi, 2, 'stay')
    expect(run.returncode, 0, run.stdout)
    needed = 'Open MPI 5 (MPIX_Comm_shrink)' if mpi.recovery is None else ' '.join(('mpirun', *mpi.recovery))
    expect(run.stdout.count(f'needed is {needed}'), 2, run.stdout)


def another_library_is_refused(mpi, library, engine):
    run = subprocess.run(mpi.command(2, RANK), text=True, timeout=LIMIT, env=clean_environment(KERATIN_MPI_LIBRARY=library),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(f'mpirun of {mpi.engine} has started 2 ranks, and {engine} knows of this one alone' in run.stdout, True, run.stdout)


def the_others_go_on(mpi, *arguments):
    run = launch(mpi, 4, 'shrink', '0', *arguments, recovers=True, KERATIN_COLLECTIVE_TIMEOUT='60')
    # Each rank that is left ends with a failure if anything is wrong. What one says last mpirun may lose, after a rank was killed.
    expect(run.returncode, 0, run.stdout)


def a_late_rank_is_named_and_goes_with_the_others(mpi):
    with tempfile.TemporaryDirectory() as folder:
        run = launch(mpi, 4, 'late', folder, recovers=True, KERATIN_COLLECTIVE_TIMEOUT='60')
    expect(run.returncode, 0, run.stdout)
    expect(run.stdout.count(f'told: {mpi.engine}: ranks that are to go on without lost ones did not come in time (KERATIN_COLLECTIVE_TIMEOUT): 3\n'), 2, run.stdout)


# MPIX_Comm_shrink has been seen to leave out a rank more than was lost, on a machine with too much to do; it may do worse.
def ranks_agree_on_who_is_left(mpi, wrong):
    preload = f'LD_PRELOAD={SHRINK}:{mpi.library}'
    command = mpi.command(4, 'env', preload, f'KERATIN_TEST_WRONG_SHRINKS={wrong}', RANK, 'shrink', '0', recovers=True)
    run = subprocess.run(command, text=True, timeout=LIMIT, env=clean_environment(KERATIN_COLLECTIVE_TIMEOUT='20'),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.returncode, run.stdout


def shared(ranks, job, *arguments):
    processes = [subprocess.Popen([RANK, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=clean_environment(KERATIN_RANK=str(rank), KERATIN_RANKS=str(ranks), KERATIN_JOB=job))
                 for rank in range(ranks)]
    outputs = [process.communicate(timeout=LIMIT)[0] for process in processes]
    return [process.returncode for process in processes], '\n'.join(outputs)


codes, output = shared(4, f'launched-{os.getpid()}')
expect(codes, [0] * 4, output)
expect('4 ranks over shared memory: all collectives are right' in output, True, output)
print(output.strip())
codes, output = shared(3, f'lost-{os.getpid()}', 'kill', '0', 'early')
expect(codes, [1, -9, 1], output)
expect(output.count('rank 1 is gone'), 2, output)

for kind in range(7):
    for early in ([], ['early']):
        codes, output = shared(4, f'shrunk-{os.getpid()}-{kind}', 'shrink', str(kind), *early)
        expect(codes, [0, -9, 0, 0], output)
        expect(output.count('3 ranks over shared memory: all collectives are right'), 1, output)

for name, mpi in MPIS.items():
    if not mpi.is_here():
        print(f'{mpi.launcher[0]} is not here: nothing of {name} was tried')
        continue
    for ranks in (2, 3, 4):
        all_is_right(mpi, ranks)
    all_is_right(mpi, 17, 'brief')
    a_lost_rank_ends_the_job(mpi)
    who_cannot_go_on_is_told(mpi)
    if mpi.recovery is not None:
        the_others_go_on(mpi, 'early')
        the_others_go_on(mpi)
        a_late_rank_is_named_and_goes_with_the_others(mpi)
        for wrong in (1, 3):
            code, output = ranks_agree_on_who_is_left(mpi, wrong)
            expect(code, 0, output)
        code, output = ranks_agree_on_who_is_left(mpi, 1000000)
        expect(code != 0 and 'ranks 0, 2 and 3 have not agreed on who is left in time' in output, True, output)

if MPIS['Open MPI 4'].is_here() and MPIS['MPICH 4'].is_here():
    another_library_is_refused(MPIS['Open MPI 4'], 'libmpich.so.12', 'MPICH')
    another_library_is_refused(MPIS['MPICH 4'], 'libmpi.so.40', 'Open MPI')
