"""K functions: scopes, shapes and what tensors are."""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

import numpy as _numpy

from keratin._native import Tensor as _Tensor
from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Sequence, Union
    from keratin._types import Operand, StaticShape


class name_scope(object):
    """A context in which names of tensors begin with this one.

        with K.name_scope('dense') as scope:   # 'dense/'
            y = K.dot(x, w)                     # 'dense/dot:0'

    Args:
        name: a string.
    """

    def __init__(self, name: str = '') -> None:
        if not isinstance(name, str) and name is not None:
            raise TypeError('name_scope: name is %r (%s); needed a string'
                            % (name, type(name).__name__))
        self.name = name
        self._scope = _native.NameScope(name or '')

    def __enter__(self) -> str:
        return self._scope.enter()

    def __exit__(self, *unused):
        self._scope.leave()


class control_dependencies(object):
    """A context in which tensors are computed after others, and read what those update.

    Args:
        control_inputs: update ops and other tensors, or None.
    """

    def __init__(self, control_inputs: Union[Sequence[_Tensor], None]) -> None:
        self._scope = _native.ControlDependencies(control_inputs)

    def __enter__(self):
        self._scope.enter()

    def __exit__(self, *unused):
        self._scope.leave()


def is_keras_tensor(x: Any) -> bool:
    """Whether a layer of Keras's has made the tensor.

    Args:
        x: a tensor.

    Returns:
        Whether it has the attribute _keras_history.

    Raises:
        ValueError: if x is no tensor.
    """
    if not isinstance(x, _Tensor):
        raise ValueError('is_keras_tensor: x is %r (%s); needed a tensor' % (x, type(x).__name__))
    return hasattr(x, '_keras_history')


def is_same(a: Any, b: Any) -> bool:
    """Whether both are one value of the graph: a is b.

    Args:
        a, b: tensors. equal() compares their elements.
    """
    return a is b


def int_shape(x: Operand) -> StaticShape:
    """The shape as far as it is known.

    Args:
        x: a tensor or an array.

    Returns:
        A tuple of ints, and None where a size is known at the call only; what Keras has set as the
        tensor's _keras_shape wins.
    """
    return _shape_of('int_shape', x)


def _shape_of(function: str, x: Operand) -> StaticShape:
    if isinstance(x, _Tensor):
        return x._keras_shape
    shape = getattr(x, '_keras_shape', None)
    if shape is not None:
        return shape
    try:
        return _numpy.shape(x)
    except ValueError:
        raise ValueError(f'{function}: x is a list whose entries have different shapes; needed a tensor or an array') from None
    except TypeError:
        raise TypeError(f'{function}: x is a list of tensors; needed a tensor or an array') from None


def get_variable_shape(x: Operand) -> StaticShape:
    """As int_shape().

    Args:
        x: a tensor or an array.
    """
    return _shape_of('get_variable_shape', x)


def moving_average_update(x: Union[_Tensor, None] = None, value: Union[Operand, None] = None,
                          momentum: Union[Operand, None] = None,
                          variable: Union[_Tensor, None] = None) -> _Tensor:
    """Moves a variable towards a value: x * momentum + value * (1 - momentum).

    Args:
        x: a variable.
        value: a tensor of its shape.
        momentum: a number, or a scalar tensor.
        variable: another name for x.

    Returns:
        An update op.
    """
    return _native.moving_average_update(variable if x is None else x, value, momentum)
