"""KERATIN_SHARD: programs that know nothing of ranks train data parallel (docs/distributed.md).

Every rank runs the same program on the same data. Placeholders whose first size is not known share
one, the batch; a function of such placeholders takes this rank's rows of what it is given, and
returns what those of all ranks are together.
"""
from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import sys

import numpy

from keratin import _function, _functions, distributed
from keratin._native import functions as _native

SIZE = os.environ['KERATIN_SHARD']
STATES = os.environ.get('KERATIN_SHARD_STATES') == '1'


def _is_on(variable):
    wish = os.environ.get(variable) or 'off'
    if wish not in ('on', 'off'):
        raise ValueError("%s is '%s'; needed is on or off" % (variable, wish))
    return wish == 'on'


GATHERS_PARTS = _is_on('KERATIN_GATHER_PARTS')
HAS_LOCAL_STATISTICS = _is_on('KERATIN_LOCAL_STATISTICS')


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    """As K.placeholder; the first size, if it is None, is the batch's.

    Args:
        shape: as K.placeholder's.
        ndim: as K.placeholder's.
        dtype: as K.placeholder's.
        sparse: as K.placeholder's; the rows of sparse matrices are no batch.
        name: as K.placeholder's.
    """
    if shape is None and isinstance(ndim, int):
        shape = (None,) * ndim
    if isinstance(shape, (tuple, list)) and len(shape) and shape[0] is None and not sparse:
        shape = (SIZE, *shape[1:])
    return _functions.placeholder(shape, ndim, dtype, sparse, name)


class WholeFunction(object):
    """A function that each rank calls with the whole batch, and computes its part of."""

    def __init__(self, part, inputs):
        self._part = part
        self._inputs = inputs
        self._outputs = [_axis_of(each) for each in part.outputs]

    def __getattr__(self, name):
        return getattr(self._part, name)

    def __call__(self, values):
        if isinstance(values, dict):
            given = {name: self._rows(values[name], axis)
                     for name, axis in zip(self._part.input_names, self._inputs) if name in values}
            given = {**values, **given}
        else:
            given = [self._rows(value, axis) for value, axis in zip(values, self._inputs)]
            given += values[len(given):]
        return [result if axis < 0 else _gathered(result, axis)
                for result, axis in zip(self._part(given), self._outputs)]

    @staticmethod
    def _rows(value, axis):
        if axis < 0 or value is None:
            return value
        value = numpy.asarray(value)
        if value.ndim == 0:
            return value  # which the call refuses
        first, end = (len(value) * rank // distributed.size()
                      for rank in (distributed.rank(), distributed.rank() + 1))
        return value[first:end]


def _axis_of(tensor):
    return _native.distributed_axis_of(tensor, SIZE)


def _gathered(part, axis):
    whole = distributed.all_gather(numpy.ascontiguousarray(numpy.moveaxis(part, axis, 0)))
    return numpy.moveaxis(whole, 0, axis)


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """As K.function, of whole batches. Where an input has a first size that is no batch's, all is
    computed on each rank.

    Args:
        inputs: as K.function's.
        outputs: as K.function's.
        updates: as K.function's.
        name: as K.function's.
        **kwargs: as K.function's.
    """
    axes = [_axis_of(each) for each in inputs] if isinstance(inputs, (list, tuple)) else []
    is_sharded = ('shard' not in kwargs and 0 in axes and
                  all(axis == 0 or each.ndim == 0 for each, axis in zip(inputs, axes)))
    if is_sharded:
        states = {'shard_states': STATES} if updates else {}
        kwargs = {'gather_parts': GATHERS_PARTS, 'local_statistics': HAS_LOCAL_STATISTICS, **states, **kwargs,
                  'shard': [SIZE]}
    made = _function.function(inputs, outputs, updates, name, **kwargs)
    # What a program has drawn by itself may differ.
    distributed.broadcast(made.variables)
    return WholeFunction(made, axes) if is_sharded else made


def join():
    """This process becomes a rank: it draws what rank 0 draws, and leaves printing and files to it."""
    if multiprocessing.parent_process() is not None:
        return  # A worker of a rank's, which imports the program again, is none.
    distributed.init()
    state = pickle.dumps((numpy.random.get_state(), random.getstate()))
    states = distributed.all_gather(numpy.frombuffer(state, 'uint8'))
    of_numpy, of_python = pickle.loads(states.tobytes())  # the first, which is rank 0's
    numpy.random.set_state(of_numpy)
    random.setstate(of_python)
    if distributed.rank():
        sys.stdout = open(os.devnull, 'w')
    if distributed.size() > 1:
        _share_files()


def _share_files():
    """Files of HDF5 are written by rank 0, and read when it has written them."""
    try:
        import h5py
    except ImportError:
        return
    open_file, close = h5py.File.__init__, h5py.File.close

    def init(self, name, mode='r', driver=None, *arguments, **keywords):
        self._keratin_is_shared = (mode != 'r' and driver is None
                                   and isinstance(name, (str, bytes, os.PathLike)))
        if self._keratin_is_shared and distributed.rank():
            driver, keywords = 'core', dict(keywords, backing_store=False)
        open_file(self, name, mode, driver, *arguments, **keywords)

    def close_on_all(self):
        is_open = bool(self.id)
        close(self)
        if is_open and getattr(self, '_keratin_is_shared', False):
            distributed.barrier()

    h5py.File.__init__, h5py.File.close = init, close_on_all
