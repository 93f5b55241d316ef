"""Calls K functions with anything: of each a result or an error that names the function must come.

any_calls.py LOG FIRST COUNT makes calls number FIRST to FIRST + COUNT, writes to LOG what it is about to call, so that
whoever finds the process dead knows, and prints the calls that went wrong. `any_calls.py number` says how many of the
calls are systematic: every function with tensors of every rank, dtype and kind of size for each parameter that takes
one. The others are random.
"""
import inspect
import itertools
import random
import re
import sys

import numpy as np

import keratin
import keratin.backend as K

DTYPES = ['float16', 'bfloat16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32',
          'uint64', 'bool', 'complex64', 'complex128']
RANKS = range(7)
SIZES = ['known', 'empty', 'unknown']
# With a state of their own, which is put back after a call.
SETTINGS = {'set_floatx': 'float32', 'set_epsilon': 1e-7, 'set_image_data_format': 'channels_last',
            'set_learning_phase': 0, 'set_device': 'cpu'}
# Keras asserts in places.
EXCEPTIONS = (AssertionError, ValueError, TypeError, IndexError, RuntimeError, MemoryError, OSError, KeyError, NotImplementedError,
              FloatingPointError, OverflowError)


def parameters_of(function):
    """(name, what the documentation says of it, whether it may be left out)."""
    text = inspect.getdoc(function) or ''
    said = {}
    for names, what in re.findall(r'^    ((?:\*{0,2}\w+)(?:, \w+)*): ((?:.*\n?)(?:        .*\n?)*)', text, re.MULTILINE):
        for name in names.split(', '):
            said.setdefault(name, what)
    return [(p.name, said.get(p.name, ''), p.default is not p.empty)
            for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]


FUNCTIONS = {name: parameters_of(getattr(K, name)) for name in sorted(vars(K))
             if inspect.isfunction(getattr(K, name)) and not name.startswith('_')}


def takes_tensor(what):
    return re.search(r'\btensors?\b', what.split('\n')[0]) is not None


SYSTEMATIC = [(name, parameter, rank, dtype, sizes)
              for name, parameters in FUNCTIONS.items()
              for parameter, what, _ in parameters if takes_tensor(what)
              for rank, dtype, sizes in itertools.product(RANKS, DTYPES, SIZES)]


def tensor(chance, rank=None, dtype=None, sizes=None):
    rank = chance.choice(RANKS) if rank is None else rank
    dtype = dtype or chance.choice(DTYPES[2:3] * 6 + DTYPES)
    sizes = sizes or chance.choice(['known', 'known', 'unknown', 'empty', 'mixed'])
    shape = [chance.choice([1, 2, 3, 3, 4]) for _ in range(rank)]
    for i in range(rank):
        if sizes == 'unknown' or (sizes == 'mixed' and chance.random() < .5):
            shape[i] = chance.choice([None, None, 'batch', 'length'])
    if sizes == 'empty' and rank:
        shape[chance.randrange(rank)] = 0
    if None in shape or 'batch' in shape or 'length' in shape or chance.random() < .5:
        return K.placeholder(shape, dtype=dtype)
    values = np.zeros(shape) + chance.choice([0, 1, 2])
    return chance.choice([K.constant, K.variable])(values, dtype=dtype)


def number(chance):
    return chance.choice([0, 1, 2, 3, -1, -2, 7, 0.5, -0.5, 2.5, 1e30, float('nan'), float('inf'), True, 2 ** 31, 2 ** 62,
                          -2 ** 63, np.int32(2), np.float64(.5)])


def integers(chance):
    return chance.choice([tuple, list])(chance.choice([0, 1, 2, -1, 3, 1, 2]) for _ in range(chance.randrange(5)))


WORDS = ['channels_first', 'channels_last', 'same', 'valid', 'causal', 'float32', 'int32', 'bool', 'max', 'avg', 'nearest',
         'bilinear', 'ij,jk->ik', 'i,i', 'full', '', 'a', 'x' * 100, 'emulated']
CALLABLES = [lambda x: x, lambda x, y: x, lambda *xs: xs[0], lambda x, states: (x, states), lambda *xs: None,
             lambda: K.constant(1.), lambda *xs: K.sum(xs[0])]


def anything(chance, depth=2):
    kind = chance.randrange(11)
    if kind < 4:
        return tensor(chance)
    if kind == 4:
        return number(chance)
    if kind == 5:
        return integers(chance)
    if kind == 6:
        return chance.choice(WORDS)
    if kind == 7:
        return chance.choice([None, True, False, b'bytes', bytearray(b'ab'), object(), {}, {'a': 1}, 1j, slice(None), X])
    if kind == 8:
        return chance.choice(CALLABLES)
    if kind == 9 and depth:
        return [anything(chance, depth - 1) for _ in range(chance.randrange(4))]
    return np.zeros([chance.choice([0, 1, 2, 3]) for _ in range(chance.randrange(4))],
                    chance.choice(['float32', 'float64', 'int64', 'bool', 'uint8', 'complex64', 'U1']))


X = K.placeholder((None, 3))


def fitting(chance, name, what):
    """Something of the kind that the documentation asks for, mostly."""
    if chance.random() < .1:
        return anything(chance)
    first = what.split('\n')[0]
    if 'list' in first and 'tensor' in first:
        return [tensor(chance) for _ in range(chance.randrange(4))]
    if takes_tensor(what):
        return tensor(chance)
    if 'function' in first or 'callable' in first:
        return chance.choice(CALLABLES)
    if name == 'dtype':
        return chance.choice(DTYPES)
    if 'True' in first or 'bool' in first:
        return chance.random() < .5
    if re.search(r"'\w+'", what):
        return chance.choice(re.findall(r"'([^']*)'", what) + WORDS[:1])
    if re.search(r'\b(axes|sizes|shape|tuple|list|pairs?|strides)\b', first):
        return chance.choice([integers, integers, number])(chance)
    return number(chance)


def call(i):
    """The function's name, and its arguments by name."""
    chance = random.Random(i)
    if i < len(SYSTEMATIC):
        name, given, rank, dtype, sizes = SYSTEMATIC[i]
        own = tensor(chance, rank, dtype, sizes)
    else:
        name, given, own = chance.choice(sorted(FUNCTIONS)), None, None
    arguments = {}
    for parameter, what, may_be_left_out in FUNCTIONS[name]:
        if parameter == given:
            arguments[parameter] = own
        elif not may_be_left_out or chance.random() < .3:
            # Tensors that meet are mostly alike.
            alike = own is not None and takes_tensor(what) and chance.random() < .5
            arguments[parameter] = own if alike else fitting(chance, parameter, what)
    return name, arguments


def told(arguments):
    return ', '.join('%s=%.60r' % each for each in arguments.items())


def wrong(name, error):
    """What is wrong with an error, or None."""
    if not isinstance(error, EXCEPTIONS):
        return 'is no error of a kind that users expect'
    # What a callable of ours raises or returns, what Python says of a call, and what no function can help.
    if (re.search(r'\b%s\b' % name, str(error)) or isinstance(error, MemoryError)
            or re.search('lambda|tuple index out of range|NumPy has no bfloat16|^constant: the entries of a list', str(error))):
        return None
    return 'does not name the function'


def main(log, first, count):
    with open(log, 'w') as file:
        for i in range(first, first + count):
            name, arguments = call(i)
            file.seek(0)
            file.write('call %d: %s(%s)\n' % (i, name, told(arguments)))
            file.truncate()
            file.flush()
            try:
                getattr(K, name)(**arguments)
            except BaseException as error:
                if what := wrong(name, error):
                    print('call %d: %s(%s): %s: %s %s' % (i, name, told(arguments), type(error).__name__, error, what))
            if name in SETTINGS:
                getattr(K, name)(SETTINGS[name])
    print('done')


if __name__ == '__main__':
    if sys.argv[1] == 'number':
        print(len(SYSTEMATIC))
    else:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
