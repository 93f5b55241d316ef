"""A C program on a sharded object, as ranks of several launchers: ranks_test.py PROGRAM [RANKS]."""

import re
import subprocess
import sys

from launchers import LIMIT, environment, expect, launch, launchers, shared

PROGRAM = sys.argv[1]
RANKS = [int(number) for number in sys.argv[2:]] or [2, 3]


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
for ranks in RANKS:
    codes, outputs = shared(PROGRAM, ranks, f'aot-{ranks}')
    expect(codes, [0] * ranks, '\n'.join(outputs))
    by_memory[ranks] = check(ranks, '\n'.join(outputs))
    print(f'{ranks} ranks over shared memory: {by_memory[ranks]}')

lost = RANKS[0] - 1
codes, outputs = shared(PROGRAM, RANKS[0], 'aot-lost', 'kill', str(lost))
expect(codes, [2] * lost + [-9], '\n'.join(outputs))
expect(f'rank {lost} is gone' in outputs[0], True, outputs[0])
print(outputs[0].strip())

for name in launchers():
    for ranks in RANKS:
        check(ranks, launch(name, ranks, PROGRAM), by_memory[ranks])
    print(f'{name}: the same bits')
