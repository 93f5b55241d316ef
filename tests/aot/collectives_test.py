"""A C program on what ranks do together in a function that is not sharded: collectives_test.py PROGRAM."""

import sys

from launchers import expect, launch, launchers, shared

PROGRAM = sys.argv[1]

codes, outputs = shared(PROGRAM, 2, 'aot-collectives')
expect((codes, outputs), ([0] * 2, ['all passed\n'] * 2), '\n'.join(outputs))
# The sizes in the model are those of two ranks.
codes, outputs = shared(PROGRAM, 3, 'aot-collectives-3')
expect(codes, [0] * 3, '\n'.join(outputs))
for output in outputs:
    expect('room for 12 elements; all ranks together send 18' in output, True, output)
    print(output.strip())
for name in launchers():
    output = launch(name, 2, PROGRAM)
    expect(output.count('all passed'), 2, output)
    print(f'{name}: the same')
