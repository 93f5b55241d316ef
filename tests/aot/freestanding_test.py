"""Models compiled for machines without an operating system, against each other.

freestanding_test.py KERATIN_COMPILE NM GCC,CLANG FOLDER MODEL[,OPTIONS...]...

The object takes no symbol from anywhere, in every kind of code; what objects for other processors compute is near,
and what C computes that compilers make at every level is what the object of scalar code does, bit for bit.
"""

import ctypes
import math
import os
import shutil
import struct
import subprocess
import sys

from freestanding import FORMATS, Header, call_all

COMPILE, NM, COMPILERS, FOLDER = sys.argv[1:5]
COMPILERS = COMPILERS.split(',')
problems = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def compiled(model, options, kind, *more):
    """The output and the header."""
    stem = os.path.join(FOLDER, os.path.splitext(os.path.basename(model))[0].replace('-', '_')) + '_' + kind
    output = stem + ('.c' if kind == 'c' else '.o')
    run(COMPILE, model, '--freestanding', '--name=m', '-o', output, '--header=' + stem + '.h', *options, *more)
    with open(stem + '.h') as file:
        return output, Header(file.read())


def loaded(name, *sources):
    library = os.path.join(FOLDER, name)
    run(*sources, '-shared', '-o', library)
    return ctypes.CDLL(library)


def numbers(function, values):
    for tensor, value in zip(function.outputs, values):
        if tensor.dtype in ('float32', 'float64'):
            yield from struct.unpack(f'<{tensor.count}' + FORMATS[tensor.dtype], value)


def is_near(header, one, other):
    functions = {function.name: function for function in header.functions}
    for (name, result, values, _), (_, other_result, other_values, _) in zip(one, other):
        pairs = list(zip(numbers(functions[name], values), numbers(functions[name], other_values)))
        scale = max([abs(x) for x, _ in pairs if math.isfinite(x)] or [0])
        if result != other_result or any(
                not (abs(x - y) <= 1e-4 * max(scale, 1) or x == y or math.isnan(x) and math.isnan(y)) for x, y in pairs):
            return False
    return True


def check_object(path, header):
    undefined = run(NM, '--undefined-only', path).split()
    if undefined:
        problems.append(f'{path}: needs {undefined}')
    exported = {line.split()[-1] for line in run(NM, '--extern-only', '--defined-only', path).splitlines()}
    wanted = {function.name + suffix for function in header.functions for suffix in ('', '_message')}
    if header.state_bytes():
        wanted.add(header.model + '_state_init')
    if exported != wanted:
        problems.append(f'{path}: exports {sorted(exported ^ wanted)}')
    # Memory that is written would be between calls: nothing is.
    sections = {line.split()[1] for line in run(NM, path).splitlines() if len(line.split()) == 3}
    if sections & set('bBdD'):
        problems.append(f'{path}: has variables of its own')
    for function in header.functions:
        if not 0 < header.macros[function.name + '_STACK_BYTES'] < 1 << 20:
            problems.append(f'{path}: takes an unlikely part of the stack')


def check_c(model, options, expected):
    """The same bits from each compiler at each level, and nothing that C leaves undefined."""
    source, header = compiled(model, options, 'c', '--emit=c')
    name = os.path.basename(source)[:-2]
    strict = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-fPIC', source]
    for compiler in COMPILERS:
        for level in ('-O0', '-O3 -march=native'):
            library = loaded(f'{name}_{len(os.listdir(FOLDER))}.so', compiler, *level.split(), *strict)
            if call_all(header, library) != expected:
                problems.append(f'{model}: other bits of C by {compiler} {level}')
    sanitized = ['-fsanitize=undefined', '-fno-sanitize-recover=undefined', '-fsanitize-trap=undefined']
    if call_all(header, loaded(name + '_undefined.so', COMPILERS[-1], '-O1', *sanitized, *strict)) != expected:
        problems.append(f'{model}: other bits of C that is watched')
    unlinked = os.path.join(FOLDER, name + '_c.o')
    for compiler, flag in zip(COMPILERS, ('-fno-tree-loop-distribute-patterns', '-fno-builtin')):
        run(compiler, '-c', '-O2', '-ffreestanding', flag, *strict, '-o', unlinked)
        if undefined := run(NM, '--undefined-only', unlinked).split():
            problems.append(f'{model}: C by {compiler} needs {undefined}')


def check(model, options):
    objects = {}
    for cpu in ('scalar', 'native', 'x86-64', 'x86-64-v3'):
        path, header = compiled(model, options, cpu, '--emit=obj', '--mcpu=' + cpu)
        check_object(path, header)
        objects[cpu] = call_all(header, loaded(os.path.basename(path)[:-2] + '.so', COMPILERS[0], path))
    for cpu in ('native', 'x86-64', 'x86-64-v3'):
        if not is_near(header, objects['scalar'], objects[cpu]):
            problems.append(f'{model}: another result of code for {cpu}')
    check_c(model, options, objects['scalar'])


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
for argument in sys.argv[5:]:
    model, *options = argument.split(',')
    check(model, options)
for problem in problems:
    print(problem)
sys.exit(bool(problems))
