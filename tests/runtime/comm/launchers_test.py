"""Ranks started by the launchers that there are: mpirun of Open MPI and of MPICH (Debian's names), and variables alone.

launchers_test.py RANK: the program LaunchedRank.c."""

import os
import shutil
import subprocess
import sys
import time

RANK = sys.argv[1]
# Open MPI asks for all that follows on machines like those of CI: root, more ranks than cores.
LAUNCHERS = {
    'Open MPI': ['mpirun.openmpi', '--allow-run-as-root', '--oversubscribe', '--mca', 'btl', 'self,tcp'],
    'MPICH': ['mpirun.mpich'],
}
LIMIT = 120  # seconds


def clean_environment(**more):
    names = ('KERATIN_RANK', 'KERATIN_RANKS', 'KERATIN_JOB', 'KERATIN_MPI_LIBRARY')
    return {**{name: value for name, value in os.environ.items() if name not in names}, **more}


def expect(found, wanted, output):
    if found != wanted:
        sys.exit(f'{wanted!r} was expected, found was {found!r}:\n{output}')


def mpi(name, launcher, ranks, *arguments):
    run = subprocess.run([*launcher, '-n', str(ranks), RANK, *arguments], env=clean_environment(), text=True, timeout=LIMIT,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(f'{ranks} ranks over {name}: all collectives are right' in run.stdout, True, run.stdout)
    expect(run.returncode, 0, run.stdout)
    print(run.stdout.strip().splitlines()[-1])


def mpi_with_a_lost_rank(launcher):
    started = time.monotonic()
    run = subprocess.run([*launcher, '-n', '3', RANK, 'kill', '0', 'early'], text=True, timeout=LIMIT,
                         env=clean_environment(KERATIN_COLLECTIVE_TIMEOUT='5'),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(run.returncode != 0 and 'are right' not in run.stdout, True, run.stdout)
    print(f'a lost rank ended the job in {time.monotonic() - started:.1f} s')


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

for name, launcher in LAUNCHERS.items():
    if shutil.which(launcher[0]) is None:
        print(f'{launcher[0]} is not here: nothing of {name} was tried')
        continue
    for ranks in (2, 3, 4):
        mpi(name, launcher, ranks)
    mpi(name, launcher, 17, 'brief')
    mpi_with_a_lost_rank(launcher)
