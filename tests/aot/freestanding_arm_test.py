"""C of freestanding models on a processor of 32 bits without floating-point instructions, emulated: the bits of the object.

freestanding_arm_test.py KERATIN_COMPILE CC ARM_GCC QEMU FOLDER MODEL[,OPTIONS...]...
"""

import ctypes
import os
import shutil
import subprocess
import sys

from freestanding import Header, call_all, feeds

COMPILE, CC, ARM_GCC, QEMU, FOLDER = sys.argv[1:6]
HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = (1, 2)
problems = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def program(header, path):
    """Prints what call_all() gives: a line a call, in hexadecimal."""
    aligned = f'__attribute__((aligned({header.macros[header.model + "_ALIGNMENT"]})))'
    lines = ['#include "m.h"', '#include <stdio.h>',
             'static void show(const void *data, int count) {',
             '  for (int i = 0; i < count; ++i)', '    printf("%02x", ((const unsigned char *)data)[i]);',
             '  printf(" ");', '}']
    body = []
    if header.state_bytes():
        lines.append(f'static unsigned char state[{header.state_bytes()}] {aligned};')
        body.append(f'{header.model}_state_init(state);')
    for f, function in enumerate(header.functions):
        lines.append(f'static unsigned char workspace{f}[{function.name}_WORKSPACE_BYTES] {aligned};')
        for o, tensor in enumerate(function.outputs):
            lines.append(f'static unsigned char output{f}_{o}[{tensor.bytes + 1}] {aligned};')
        for seed in SEEDS:
            arguments = ['state'] if function.has_state else []
            for i, data in enumerate(feeds(function, seed)):
                name = f'input{f}_{seed}_{i}'
                lines.append(f'static const unsigned char {name}[] {aligned} = {{' + ','.join(map(str, data)) + '};')
                arguments.append('(const void *)' + name)
            arguments += [f'(void *)output{f}_{o}' for o in range(len(function.outputs))] + [f'workspace{f}']
            body.append(f'{{ int result = {function.name}({", ".join(arguments)}); printf("%d ", result);')
            for o, tensor in enumerate(function.outputs):
                body.append(f'if (result == 0) show(output{f}_{o}, {tensor.bytes});')
            body.append('show(state, sizeof state);' if header.state_bytes() else '')
            body.append('printf("\\n"); }')
    with open(path, 'w') as file:
        file.write('\n'.join(lines + ['int main(void) {'] + body + ['return 0;', '}', '']))


def check(model, options):
    common = [COMPILE, model, '--name=m', '--header=' + os.path.join(FOLDER, 'm.h'), *options]
    obj, source, image = (os.path.join(FOLDER, name) for name in ('m.o', 'm.c', 'm.elf'))
    run(*common, '--freestanding', '--emit=obj', '--mcpu=scalar', '-o', obj)
    library = os.path.join(FOLDER, f'm{len(os.listdir(FOLDER))}.so')  # one of each name is loaded
    run(CC, obj, '-shared', '-o', library)
    run(*common, '--emit=c', '-o', source)
    with open(os.path.join(FOLDER, 'm.h')) as file:
        header = Header(file.read())
    expected = call_all(header, ctypes.CDLL(library), SEEDS)
    program(header, os.path.join(FOLDER, 'main.c'))
    run(ARM_GCC, '-std=c99', '-Wall', '-Wextra', '-Werror', '-O2', '-mcpu=cortex-m3', '-mthumb', '--specs=rdimon.specs',
        '-I' + FOLDER, source, os.path.join(FOLDER, 'main.c'), os.path.join(HERE, 'FreestandingStart.c'),
        '-Wl,--section-start=.vectors=0', '-o', image)
    output = run(QEMU, '-M', 'mps2-an385', '-nographic', '-monitor', 'none', '-serial', 'none',
                 '-semihosting-config', 'enable=on,target=native', '-kernel', image)
    wanted = []
    for _, result, values, state in expected:
        parts = [str(result)] + [value.hex() for value in values] + ([state.hex()] if header.state_bytes() else [])
        wanted.append(parts)
    found = [line.split() for line in output.splitlines()]
    if [[part for part in line if part] for line in wanted] != found:
        problems.append(f'{model}: other bits on a Cortex-M3')


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
for argument in sys.argv[6:]:
    model, *options = argument.split(',')
    check(model, options)
for problem in problems:
    print(problem)
sys.exit(bool(problems))
