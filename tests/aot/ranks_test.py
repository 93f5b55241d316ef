"""A C program on a sharded object, as ranks of several launchers: ranks_test.py PROGRAM [RANKS]."""

import subprocess
import sys

from launchers import LIMIT, check, environment, expect, launch, launchers, results, shared

PROGRAM = sys.argv[1]
RANKS = [int(number) for number in sys.argv[2:]] or [2, 3]

alone = subprocess.run([PROGRAM], env=environment(), text=True, timeout=LIMIT, capture_output=True)
expect(alone.returncode, 0, alone.stderr)
ALONE, = results(alone.stdout)
by_memory = {}
for ranks in RANKS:
    codes, outputs = shared(PROGRAM, ranks, f'aot-{ranks}')
    expect(codes, [0] * ranks, '\n'.join(outputs))
    by_memory[ranks] = check(ranks, '\n'.join(outputs), ALONE)
    print(f'{ranks} ranks over shared memory: {by_memory[ranks]}')

lost = RANKS[0] - 1
codes, outputs = shared(PROGRAM, RANKS[0], 'aot-lost', 'kill', str(lost))
expect(codes, [2] * lost + [-9], '\n'.join(outputs))
expect(f'rank {lost} is gone' in outputs[0], True, outputs[0])
print(outputs[0].strip())

for name in launchers():
    for ranks in RANKS:
        check(ranks, launch(name, ranks, PROGRAM), ALONE, by_memory[ranks])
    print(f'{name}: the same bits')
