"""What tensors can do beside what the native class has: operators, dtypes, Keras's attributes."""
from keratin._native import Tensor, functions as _native


class DType(str):
    """The name of a dtype, with the attributes that dtypes have elsewhere."""
    __slots__ = ()

    @property
    def name(self):
        return str(self)

    @property
    def base_dtype(self):
        return self


_dtypes = {}


def _dtype(self):
    name = self._dtype_name
    if name not in _dtypes:
        _dtypes[name] = DType(name)
    return _dtypes[name]


def _operator(function):
    def operator(self, other):
        return function(self, other)
    return operator


def _reflected(function):
    def operator(self, other):
        return function(other, self)
    return operator


_BINARY = {
    'add': _native.add,
    'sub': _native.subtract,
    'mul': _native.multiply,
    'truediv': _native.divide,
    'floordiv': _native.floor_divide,
    'mod': _native.remainder,
    'pow': _native.pow,
    'matmul': _native.dot,
    'and': _native.logical_and,
    'or': _native.logical_or,
}
for _name, _function in _BINARY.items():
    setattr(Tensor, '__%s__' % _name, _operator(_function))
    setattr(Tensor, '__r%s__' % _name, _reflected(_function))
for _name, _function in {'lt': _native.less, 'le': _native.less_equal,
                         'gt': _native.greater, 'ge': _native.greater_equal}.items():
    setattr(Tensor, '__%s__' % _name, _operator(_function))

Tensor.__neg__ = lambda self: _native.negative(self)
Tensor.__pos__ = lambda self: self
Tensor.__abs__ = lambda self: _native.abs(self)
Tensor.__invert__ = lambda self: _native.logical_not(self)
Tensor.__getitem__ = lambda self, key: _native.getitem(self, key)
# Arrays of NumPy's leave operators to the tensor.
Tensor.__array_ufunc__ = None
Tensor.__array_priority__ = 100

Tensor.dtype = property(_dtype, doc='The name of the dtype.')


def _trainable(self):
    return self.__dict__.get('trainable', False) if not _native.is_variable(self) \
        else self._variable_trainable


def _set_trainable(self, trainable):
    # Of a variable it belongs to the variable, whose tensors may come and go.
    if _native.is_variable(self):
        self._variable_trainable = trainable
    else:
        self.__dict__['trainable'] = trainable


Tensor.trainable = property(_trainable, _set_trainable,
                            doc='Whether training may change the variable.')


def _refusal(what, instead):
    def refuse(self, *unused):
        raise TypeError('%s: a tensor is a value of the graph, which is known when a function '
                        'runs; %s' % (what, instead))
    return refuse


Tensor.__bool__ = _refusal('bool(%s)' % 'x', 'use K.switch, K.any or K.all')
Tensor.__iter__ = _refusal('iter(x)', 'use K.map_fn, or x[0], x[1], ...')
Tensor.__len__ = _refusal('len(x)', 'use K.int_shape(x)[0] or K.shape(x)[0]')
Tensor.__float__ = _refusal('float(x)', 'use K.eval(x)')
Tensor.__int__ = _refusal('int(x)', 'use K.eval(x)')
Tensor.__array__ = _refusal('numpy.asarray(x)', 'use K.eval(x)')


def _missing(self, name):
    """Attributes that every tensor has until somebody sets them."""
    if name == '_keras_shape':
        return self.shape
    if name == 'constraint':
        return self._variable_constraint
    raise AttributeError("a keratin.Tensor has no attribute '%s'" % name)


def _eval(self, session=None, feed_dict=None):
    """The value, as K.eval has it; with feeds, as a session's run."""
    if feed_dict:
        return _native.run([self], list(feed_dict.items()))[0]
    return _native.eval(self)


def _repr(self):
    return "<keratin.Tensor '%s' %s %s>" % (self.name, self._dtype_name, self.shape)


Tensor.__getattr__ = _missing
Tensor.__repr__ = _repr
Tensor.eval = _eval
Tensor.get_shape = lambda self: self.shape
Tensor.value = lambda self: self
Tensor.numpy = lambda self: _native.eval(self)
