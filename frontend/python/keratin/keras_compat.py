"""What Keras 2.3.1 needs of Python 3.11, NumPy 1.24 and h5py 3, whatever its backend.

Keras 2.3.1 is older than these and uses names that they have given up. Import this module before
Keras; it brings the names back, and changes nothing of Keras itself but one variable that its code
declares and never defines.

    import keratin.keras_compat
    import keras

| what is gone | where Keras 2.3.1 uses it |
|---|---|
| collections.Iterable, Mapping, Sequence, Container, Callable (Python 3.10) | callbacks, training_utils |
| numpy.bool, int, float, object (NumPy 1.24) | its tests, programs written for it |
| numpy.Inf, alltrue, string_ (NumPy 2) | callbacks, utils/io_utils |
| h5py: attributes as bytes, files opened for writing by default, File.fid (h5py 3) | engine/saving, utils/io_utils |
| keras.layers.wrappers.uses_learning_phase, never defined there | TimeDistributed with a known batch size |
"""
import collections
import collections.abc
import importlib.abc
import importlib.machinery
import sys

import numpy


def _restore_collections():
    for name in ('Iterable', 'Mapping', 'Sequence', 'Container', 'Callable', 'MutableMapping'):
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))


def _restore_numpy():
    gone = {'bool': bool, 'int': int, 'float': float, 'object': object,
            'Inf': numpy.inf, 'alltrue': numpy.all, 'string_': numpy.bytes_}
    for name, value in gone.items():
        if name not in numpy.__dict__:
            setattr(numpy, name, value)


class _Text(str):
    """A string that may be decoded again, as the bytes of h5py 2."""
    __slots__ = ()

    def decode(self, *unused):
        return str(self)


def _restore_h5py():
    try:
        import h5py
    except ImportError:
        return
    if getattr(h5py, '_keratin_compat', False):
        return
    h5py._keratin_compat = True
    read = h5py.AttributeManager.__getitem__

    def getitem(self, name):
        value = read(self, name)
        if isinstance(value, str):
            return _Text(value)
        if isinstance(value, numpy.ndarray) and value.dtype.kind == 'O':
            return [each.encode('utf8') if isinstance(each, str) else each for each in value]
        return value

    h5py.AttributeManager.__getitem__ = getitem
    open_file = h5py.File.__init__

    def init(self, name, mode='a', *arguments, **keywords):
        open_file(self, name, mode, *arguments, **keywords)

    h5py.File.__init__ = init
    if not hasattr(h5py.File, 'fid'):
        h5py.File.fid = property(lambda self: self.id)


class _Defines(importlib.abc.MetaPathFinder):
    """Defines a variable in a module when that is loaded."""

    def __init__(self, module, name, value):
        self.module, self.name, self.value = module, name, value

    def find_spec(self, fullname, path, target=None):
        if fullname != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            module.__dict__.setdefault(self.name, self.value)

        spec.loader.exec_module = exec_module
        return spec


def _define_uses_learning_phase():
    module = 'keras.layers.wrappers'
    if module in sys.modules:
        sys.modules[module].__dict__.setdefault('uses_learning_phase', False)
    else:
        sys.meta_path.insert(0, _Defines(module, 'uses_learning_phase', False))


_restore_collections()
_restore_numpy()
_restore_h5py()
_define_uses_learning_phase()
