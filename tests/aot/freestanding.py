"""What the header of a freestanding model says, for programs that call it."""

import ctypes
import random
import re
import struct

# Of a dtype how its elements are packed, and what fills an input: small numbers, but for integers that are places.
FORMATS = {'float32': 'f', 'float64': 'd', 'int8': 'b', 'int16': 'h', 'int32': 'i', 'int64': 'q', 'uint8': 'B',
           'uint16': 'H', 'uint32': 'I', 'uint64': 'Q', 'bool': '?', 'float16': 'e', 'bfloat16': 'H'}


class Tensor:
    def __init__(self, dtype, shape):
        self.dtype = dtype
        self.count = 1
        for size in re.findall(r'\d+', shape):
            self.count *= int(size)
        self.bytes = self.count * struct.calcsize('<' + FORMATS[dtype])

    def fill(self, numbers):
        def one():
            if self.dtype == 'bfloat16':
                return struct.unpack('<I', struct.pack('<f', numbers.uniform(-2, 2)))[0] >> 16
            if self.dtype.startswith('float'):
                return numbers.uniform(-2, 2)
            return numbers.randrange(2)
        return struct.pack(f'<{self.count}' + FORMATS[self.dtype], *(one() for _ in range(self.count)))


class Function:
    def __init__(self, name):
        self.name = name
        self.inputs, self.outputs = [], []
        self.has_state = False


class Header:
    """Of the text of a header: its functions, with their tensors, and how much memory each needs."""

    def __init__(self, text):
        self.text = text
        self.macros = {name: int(value) for name, value in re.findall(r'^#define (\w+) (\d+)$', text, re.M)}
        self.model = re.search(r'^#ifndef KERATIN_MODEL_(\w+)$', text, re.M).group(1)
        self.functions = []
        tensors = None
        for line in text.splitlines():
            tensor = re.match(r'//   (input|output) \d+ +\w+: (\w+) (\([\d, ]*\))', line)
            if tensor:
                tensors = tensors or Function('')
                (tensors.inputs if tensor[1] == 'input' else tensors.outputs).append(Tensor(tensor[2], tensor[3]))
            call = re.match(r'int32_t (\w+)\((.*)\);', line)
            if call and not call[1].endswith('_state_init'):
                function = tensors or Function('')
                function.name = call[1]
                function.has_state = bool(re.match(r'(const )?void \*state\b', call[2]))
                self.functions.append(function)
                tensors = None

    def state_bytes(self):
        return self.macros.get(self.model + '_STATE_BYTES', 0)


def feeds(function, seed):
    numbers = random.Random(seed)
    return [tensor.fill(numbers) for tensor in function.inputs]


def memory(count):
    """So many bytes at a multiple of 64, filled with what is no number."""
    buffer = ctypes.create_string_buffer(b'\xa5' * (count + 64), count + 64)
    return buffer, ctypes.c_void_p(ctypes.addressof(buffer) + -ctypes.addressof(buffer) % 64)


def call_all(header, library, seeds=(1, 2)):
    """Of each function's calls the result, the outputs and the state: bytes."""
    found = []
    state, at_state = memory(header.state_bytes())
    if header.state_bytes():
        assert getattr(library, header.model + '_state_init')(at_state) == 0
    for function in header.functions:
        workspace, at_workspace = memory(header.macros[function.name + '_WORKSPACE_BYTES'])
        call = getattr(library, function.name)
        for seed in seeds:
            outputs = [memory(tensor.bytes) for tensor in function.outputs]
            arguments = [at_state] if function.has_state else []
            arguments += feeds(function, seed)
            arguments += [place for _, place in outputs] + [at_workspace]
            result = call(*arguments)
            values = [ctypes.string_at(place, tensor.bytes) for (_, place), tensor in zip(outputs, function.outputs)]
            found.append((function.name, result, values if result == 0 else [],
                          ctypes.string_at(at_state, header.state_bytes())))
    return found
