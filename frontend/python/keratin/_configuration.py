"""K functions: configuration, which Keras keeps where it has loaded Keratin as its backend."""
from __future__ import annotations

import sys as _sys

from keratin._native import functions as _native


def _holder():
    """Where the settings are: keras.backend.common, if it is loaded."""
    return _sys.modules.get('keras.backend.common', _native)


def backend() -> str:
    """The backend's name: that of keras.json or KERAS_BACKEND, else 'keratin'."""
    return _native.backend()


def epsilon() -> float:
    """The number that keeps divisions and logarithms away from 0."""
    return _holder().epsilon()


def set_epsilon(e: float) -> None:
    """Sets epsilon().

    Args:
        e: a number.

    Raises:
        TypeError, ValueError: for what float() refuses.
    """
    try:
        number = float(e)
    except (TypeError, ValueError) as error:
        raise type(error)('set_epsilon: e is %r (%s); needed a number'
                          % (e, type(e).__name__)) from None
    _holder().set_epsilon(number)


def floatx() -> str:
    """The dtype of tensors for which none is given: 'float16', 'float32' or 'float64'."""
    return _holder().floatx()


def set_floatx(floatx: str) -> None:
    """Sets floatx().

    Args:
        floatx: 'float16', 'float32' or 'float64'.

    Raises:
        ValueError: for any other; the setting stays as it was.
    """
    # Here, so that it is the same error where Keras holds the settings.
    if not isinstance(floatx, str) or floatx not in ('float16', 'float32', 'float64'):
        raise ValueError('set_floatx: found %r; needed float16, float32 or float64' % (floatx,))
    _holder().set_floatx(floatx)


def image_data_format() -> str:
    """Where images have their channels: 'channels_last' or 'channels_first'."""
    return _holder().image_data_format()


def set_image_data_format(data_format: str) -> None:
    """Sets image_data_format().

    Args:
        data_format: 'channels_last' or 'channels_first'.

    Raises:
        ValueError: for any other; the setting stays as it was.
    """
    if not isinstance(data_format, str) or data_format not in ('channels_last', 'channels_first'):
        raise ValueError('set_image_data_format: found %r; needed channels_last or channels_first'
                         % (data_format,))
    _holder().set_image_data_format(data_format)


def symbolic(func):
    """Returns the function: everything is symbolic here.

    Args:
        func: a function.
    """
    return func


def eager(func):
    """Returns the function: see symbolic().

    Args:
        func: a function.
    """
    return func
