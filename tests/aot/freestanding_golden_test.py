"""One model an op, as C and as an object of the same scalar code: the same bits, or a refusal that says why.

freestanding_golden_test.py KERATIN_COMPILE CC FOLDER GOLDEN_FOLDER

Where KERATIN_TEST_EVERY says so, a part of them, another one each day.
"""

import ctypes
import glob
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import time

from freestanding import FORMATS, Header, call_all

COMPILE, CC, FOLDER, GOLDEN = sys.argv[1:5]
EVERY = int(os.environ.get('KERATIN_TEST_EVERY', 1))
DAY = int(os.environ.get('KERATIN_TEST_SEED', time.time() // 86400 * 100000)) // 100000
REFUSALS = ('a freestanding model cannot have', 'is a size; a freestanding model has')
problems = []


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def sizes_of(model, output):
    """Sizes that the model needs, as options; none, with the message, if it cannot be had."""
    sizes = []
    while True:
        done = run(COMPILE, model, '--emit=c', '--name=m', '-o', output, '--header=' + output[:-2] + '.h', *sizes)
        if done.returncode == 0:
            return sizes, ''
        needed = re.search(r'needs (--size=\w+)=N', done.stderr)
        if not needed:
            return None, done.stderr
        sizes.append(needed[1] + '=12')  # a multiple of what models ask for


def without_nans(header, results):
    """Which NaN it is nobody promises."""
    functions = {function.name: function for function in header.functions}
    for name, _, values, _ in results:
        for i, (tensor, value) in enumerate(zip(functions[name].outputs, values)):
            if tensor.dtype in ('float32', 'float64'):
                code = f'<{tensor.count}' + FORMATS[tensor.dtype]
                values[i] = struct.pack(code, *(math.nan if math.isnan(x) else x for x in struct.unpack(code, value)))
    return results


def check(model, stem):
    sizes, message = sizes_of(model, stem + '.c')
    if sizes is None:
        if not any(refusal in message for refusal in REFUSALS):
            problems.append(f'{model}: {message}')
        return False
    libraries = [stem + '_object.so', stem + '_c.so']
    for command in ([COMPILE, model, '--freestanding', '--emit=obj', '--mcpu=scalar', '--name=m', '-o', stem + '.o', *sizes],
                    [CC, '-shared', stem + '.o', '-o', libraries[0]],
                    [CC, '-std=c99', '-Wall', '-Wextra', '-Werror', '-O1', '-fPIC', '-shared', stem + '.c', '-o', libraries[1]]):
        done = run(*command)
        if done.returncode:
            problems.append(f'{model}: {" ".join(command)}: {done.stderr}')
            return False
    with open(stem + '.h') as file:
        header = Header(file.read())
    results = [without_nans(header, call_all(header, ctypes.CDLL(library))) for library in libraries]
    if results[0] != results[1]:
        problems.append(f'{model}: other bits in C')
    return True


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
models = sorted(glob.glob(os.path.join(GOLDEN, '*', '*.ktg')))
taken = [model for number, model in enumerate(models) if (number + DAY) % EVERY == 0]
compared = sum(check(model, os.path.join(FOLDER, f'm{number}')) for number, model in enumerate(taken))
print(f'{compared} of {len(taken)} models compared, {len(taken) - compared} refused, of {len(models)}')
for problem in problems:
    print(problem)
sys.exit(bool(problems) or len(models) < 60 or compared < len(taken) // 2)
