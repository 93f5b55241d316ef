"""Models of ONNX: docs/onnx.md."""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Dict, Union
    from keratin._native import Function
    from keratin._types import PathLike


def load(path: PathLike, trainable: bool = False, constants: Union[Dict[str, Any], None] = None,
         name: str = '', lengths: Union[Dict[str, int], None] = None, **kwargs: Any) -> Function:
    """The graph of a model file of ONNX, as a function.

    Args:
        path: the file; tensors in other files lie in its folder or below.
        trainable: whether the initializers of floats, but for scalars, are variables, the function's `variables`;
            else all are constants.
        constants: a dict of values by the names of inputs, which have these values in every call
            and are no inputs of the function: axes and shapes, for one.
        name: the function's name.
        lengths: a dict of how many tensors inputs have that are sequences, by their names; `x`
            becomes inputs `x_0`, `x_1`, ….
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
    return _native.load_onnx(path, trainable, constants, name, lengths, kwargs)


def save(f: Function, path: PathLike, opset: int = 18, updates: bool = True, places: bool = True,
         external_data: bool = False) -> None:
    """Writes a function, with the present values of its variables, as a model file of ONNX.

    Args:
        f: what K.function has returned. Inputs, outputs and sizes keep their names.
        path: the file; '.onnx' is usual.
        opset: the version of the standard ops, from 14 to 23.
        updates: whether the new values of variables are outputs, called 'w_updated' for a variable
            w, which may be fed in turn; else a function with updates is refused.
        places: whether nodes say which line of source code made them.
        external_data: whether tensors of a KiB and more go to a file beside the model, path +
            '.data'.

    Raises:
        NotImplementedError: for what ONNX has no counterpart of.
        ValueError: for another opset, and for a model of 2 GiB without external_data.
        RuntimeError: if a file cannot be written.
    """
    _native.save_onnx(f, path, opset, updates, places, external_data)
