"""Models of ONNX: docs/onnx.md."""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Dict, Union
    from keratin._native import Function
    from keratin._types import PathLike


def load(path: PathLike, trainable: bool = False, constants: Union[Dict[str, Any], None] = None,
         name: str = '', **kwargs: Any) -> Function:
    """The graph of a model file of ONNX, as a function.

    Args:
        path: the file; tensors in other files lie in its folder or below.
        trainable: whether the initializers of floats are variables, the function's `variables`;
            else all are constants.
        constants: a dict of values by the names of inputs, which have these values in every call
            and are no inputs of the function: axes and shapes, for one.
        name: the function's name.
        **kwargs: those of function(), of which a file says nothing.

    Returns:
        A keratin.Function. Its inputs and outputs have the model's names; they are tensors, to
        compute with and to differentiate.

    Raises:
        ValueError: for a file that is no model, or a wrong one, for constants that do not fit, and
            for an unknown keyword.
        NotImplementedError: for ops and types that are not known.
        RuntimeError: if a file cannot be read.
    """
    return _native.load_onnx(path, trainable, constants, name, kwargs)
