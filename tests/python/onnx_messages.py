"""Protocol buffers, read and written a field at a time; numbers of fields are those of third_party/onnx/onnx.proto."""


def varint(value):
    low, high = value & 127, value >> 7
    return bytes([low | 128]) + varint(high) if high else bytes([low])


def message(*fields):
    """Of pairs (number of a field, a whole number, bytes or a text)."""
    data = b''
    for key, value in fields:
        if isinstance(value, int):
            data += varint(key << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            data += varint(key << 3 | 2) + varint(len(value)) + value
    return data


def fields_of(data):
    """The pairs of a message, of numbers and of what has a length."""
    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    at = 0
    while at < len(data):
        key = take()
        value = take()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value
