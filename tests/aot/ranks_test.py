"""A C program on a sharded object, as ranks of several launchers: ranks_test.py PROGRAM."""

import os
import re
import shutil
import subprocess
import sys

PROGRAM = sys.argv[1]
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


def shared(ranks, job, *arguments):
    processes = [subprocess.Popen([PROGRAM, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment(KERATIN_RANK=str(rank), KERATIN_RANKS=str(ranks),
                                                  KERATIN_JOB=f'{job}-{os.getpid()}'))
                 for rank in range(ranks)]
    outputs = [process.communicate(timeout=LIMIT)[0] for process in processes]
    return [process.returncode for process in processes], outputs


# Launchers may put what two ranks print on one line.
def results(output):
    return [text.strip() for text in re.findall(r'loss [^l\n]*', output)]


def numbers(line):
    return [float(number) for number in re.findall(r'-?\d[\d.e+-]*', line)]


def check(ranks, output, same=None):
    found = results(output)
    expect(len(found), ranks, output)
    expect(len(set(found)), 1, output)
    if same is not None:
        expect(found[0], same, output)
    # Other parts add up in another order.
    for left, right in zip(numbers(found[0]), numbers(ALONE), strict=True):
        expect(abs(left - right) <= 1e-5 * max(1, abs(right)), True, f'{found[0]}\n{ALONE}')
    return found[0]


alone = subprocess.run([PROGRAM], env=environment(), text=True, timeout=LIMIT, capture_output=True)
expect(alone.returncode, 0, alone.stderr)
ALONE, = results(alone.stdout)
by_memory = {}
for ranks in (2, 3):
    codes, outputs = shared(ranks, f'aot-{ranks}')
    expect(codes, [0] * ranks, '\n'.join(outputs))
    by_memory[ranks] = check(ranks, '\n'.join(outputs))
    print(f'{ranks} ranks over shared memory: {by_memory[ranks]}')

codes, outputs = shared(2, 'aot-lost', 'kill', '1')
expect(codes, [2, -9], '\n'.join(outputs))
expect('rank 1 is gone' in outputs[0], True, outputs[0])
print(outputs[0].strip())

for name, launcher in LAUNCHERS.items():
    if shutil.which(launcher[0]) is None:
        print(f'{launcher[0]} is not here: nothing of {name} was tried')
        continue
    for ranks in (2, 3):
        run = subprocess.run([*launcher, '-n', str(ranks), PROGRAM], env=environment(), text=True, timeout=LIMIT,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(run.returncode, 0, run.stdout)
        check(ranks, run.stdout, by_memory[ranks])
    print(f'{name}: the same bits')
