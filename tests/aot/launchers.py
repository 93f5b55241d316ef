"""Starts a program as ranks: over shared memory, and by the launchers of the MPIs that are here."""

import os
import re
import shutil
import subprocess
import sys

LAUNCHERS = {
    'Open MPI': ['mpirun.openmpi', '--allow-run-as-root', '--oversubscribe', '--mca', 'btl', 'self,tcp'],
    'MPICH': ['mpirun.mpich'],
}
LIMIT = 120  # seconds


def environment(**more):
    names = ('KERATIN_RANK', 'KERATIN_RANKS', 'KERATIN_JOB', 'KERATIN_MPI_LIBRARY')
    return {**{name: value for name, value in os.environ.items() if name not in names}, **more}


def expect(found, wanted, output):
    if found != wanted:
        sys.exit(f'{wanted!r} was expected, found was {found!r}:\n{output}')


def shared(program, ranks, job, *arguments):
    """The exit code of each rank, and what it printed."""
    processes = [subprocess.Popen([program, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment(KERATIN_RANK=str(rank), KERATIN_RANKS=str(ranks),
                                                  KERATIN_JOB=f'{job}-{os.getpid()}'))
                 for rank in range(ranks)]
    outputs = [process.communicate(timeout=LIMIT)[0] for process in processes]
    return [process.returncode for process in processes], outputs


def launch(name, ranks, program, *arguments):
    """What all ranks printed."""
    run = subprocess.run([*LAUNCHERS[name], '-n', str(ranks), program, *arguments], env=environment(), text=True, timeout=LIMIT,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(run.returncode, 0, run.stdout)
    return run.stdout


def launchers():
    """The names of those that are here."""
    for name, launcher in LAUNCHERS.items():
        if shutil.which(launcher[0]):
            yield name
        else:
            print(f'{launcher[0]} is not here: nothing of {name} was tried')


# Launchers may put what two ranks print on one line.
def results(output):
    return [text.strip() for text in re.findall(r'loss [^l\n]*', output)]


def numbers(line):
    return [float(number) for number in re.findall(r'-?\d[\d.e+-]*', line)]


def check(ranks, output, alone, same=None):
    """What the ranks have printed, all the same; within what is rounded elsewhere what one process prints, or just `same`."""
    found = results(output)
    expect(len(found), ranks, output)
    expect(len(set(found)), 1, output)
    if same is not None:
        expect(found[0], same, output)
    for left, right in zip(numbers(found[0]), numbers(alone), strict=True):
        expect(abs(left - right) <= 1e-5 * max(1, abs(right)), True, f'{found[0]}\n{alone}')
    return found[0]
