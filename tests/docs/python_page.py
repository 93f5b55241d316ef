"""Runs what docs/python.md shows, statement by statement, with the module that Python finds: python_page.py PAGE.

The page leaves unsaid what its pieces stand on; NAMES says it. What needs a browser, a CUDA device, PyTorch or keratin-dump is left
out where there is none, and named."""

import ast
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path

import numpy

import keratin
import keratin.backend as K
from keratin import _tools

PAGE = Path(sys.argv[1]).resolve()
NAMES = '''
images = numpy.ones((8, 64), 'float32')
labels = numpy.ones((8, 10), 'float32')
x = K.placeholder((None, 64), name="images")
y = K.placeholder((None, 10), name="labels")
v = K.variable(numpy.zeros((64, 10)), name="w")
code = K.dot(x, v)
z = K.placeholder((None, 10))
decode = K.function([z], [K.square(z)])
loss = K.mean(K.square(K.softmax(code) - y))
train = K.function([x, y], [loss], [K.update_sub(v, 0.1 * K.gradients(loss, [v])[0])], name="train")
f = K.function([K.placeholder((K.Dim("batch"), 64))], [K.zeros((1,))])
'''


def has_device():
    try:
        K.function([], [K.zeros((1,))], device='cuda')
    except (RuntimeError, ValueError):
        return False
    return True


def has_tool(name):
    try:
        _tools.find(name)
    except RuntimeError:
        return False
    return True


def missing(statement):
    """What a statement needs and is not here."""
    if 'f.show()' in statement:
        return 'a browser'
    if re.search(r'\b(f\.show|f\.dump)\b', statement) and not has_tool('keratin-dump'):
        return 'keratin-dump'
    if 'torch' in statement and not importlib.util.find_spec('torch'):
        return 'torch'
    return None


blocks = re.findall(r'^```python\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL)
os.chdir(tempfile.mkdtemp())
names = {'numpy': numpy, 'keratin': keratin, 'K': K}
exec(NAMES, names)
runs, left_out = 0, []
for block in blocks:
    if 'set_device("cuda")' in block and not has_device():
        left_out.append('a CUDA device: ' + block.splitlines()[0])
        continue
    for node in ast.parse(block).body:
        statement = ast.get_source_segment(block, node)
        need = missing(statement)
        if need:
            left_out.append('%s: %s' % (need, statement))
            continue
        try:
            exec(statement, names)
        except Exception as error:
            sys.exit('%s: %s\n%s: %s' % (PAGE, statement, type(error).__name__, error))
        runs += 1
if not runs:
    sys.exit('%s: no statements' % PAGE)
for what in left_out:
    print('left out for want of ' + what)
print('%d statements' % runs)
