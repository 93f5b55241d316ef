"""Prints what a shared object says of its model: read_metadata.py OBJECT."""

import ctypes
import os
import sys

library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
text = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "keratin_model_metadata")))
sys.stdout.buffer.write(text)
