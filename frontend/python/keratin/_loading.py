"""Loads the native part beside libraries that bring the same packages along."""
import ctypes
import os
import sys

# Of MLIR, LLVM and Protocol Buffers. Whoever offers them to the whole process, as TensorFlow does, is found first by all that is loaded
# later, and would be called in place of the library that keratin was built for.
SYMBOLS = ('_ZN4mlir11MLIRContextC1ENS0_9ThreadingE', 'LLVMContextCreate',
           '_ZN6google8protobuf11MessageLite13MergeFromImplEPNS0_2io16CodedInputStreamENS1_10ParseFlagsE')


def load():
    process, flags = ctypes.CDLL(None), sys.getdlopenflags()
    # Not always: it would also pass over an allocator that replaces the C library's.
    if any(hasattr(process, symbol) for symbol in SYMBOLS):
        sys.setdlopenflags(flags | os.RTLD_DEEPBIND)
    try:
        from keratin import _native
    finally:
        sys.setdlopenflags(flags)
    return _native
