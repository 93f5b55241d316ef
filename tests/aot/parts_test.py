"""A C program on an object of which ranks have parts of variables: parts_test.py PROGRAM RANKS...

All ranks see the values that one process sees, whatever the mesh, over shared memory and over each MPI that is here.
"""

import json
import os
import struct
import subprocess
import sys

from launchers import LIMIT, check, environment, expect, launch, launchers, numbers, results, shared

PROGRAM = sys.argv[1]
RANKS = [int(number) for number in sys.argv[2:]]
FILES = PROGRAM + '_files'
SHAPES = {'w': (4, 6), 'b': (6,), 'v': (6, 3), 'c': (3,), 'momentum_of_w': (4, 6), 'momentum_of_c': (3,)}


def write_safetensors(path, names):
    header, data = {}, b''
    for name in names:
        count = 1
        for size in SHAPES[name]:
            count *= size
        first = 100 * list(SHAPES).index(name)
        values = struct.pack(f'<{count}f', *((first + k) / 8 for k in range(count)))
        header[name] = {'dtype': 'F32', 'shape': SHAPES[name], 'data_offsets': [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


names = list(SHAPES)
write_safetensors(FILES + '.safetensors', names)
write_safetensors(FILES + '-00001-of-00002.safetensors', names[::2])
write_safetensors(FILES + '-00002-of-00002.safetensors', names[1::2])
with open(FILES + '.safetensors.index.json', 'w') as file:
    json.dump({'weight_map': {name: os.path.basename(FILES) + f'-0000{1 + k % 2}-of-00002.safetensors'
                              for k, name in enumerate(names)}}, file)
alone = subprocess.run([PROGRAM, FILES], env=environment(), text=True, timeout=LIMIT, capture_output=True)
expect((alone.returncode, alone.stderr), (0, ''), alone.stderr)
ALONE, = results(alone.stdout)
expect(len(numbers(ALONE)), 79, ALONE)
states = set()
for ranks in RANKS:
    codes, outputs = shared(PROGRAM, ranks, f'aot-parts-{ranks}', FILES)
    expect(codes, [0] * ranks, '\n'.join(outputs))
    wanted = check(ranks, '\n'.join(outputs), ALONE)
    print(f'{ranks} ranks over shared memory: {wanted[:20]}')
    for name in launchers():
        check(ranks, launch(name, ranks, PROGRAM, FILES), ALONE, wanted)
        print(f'{name}: the same bits')
    # The state is one of whole values: as long as that of one process.
    states.add(os.path.getsize(f'{FILES}.{ranks}'))
expect(states, {os.path.getsize(f'{FILES}.1')}, states)
