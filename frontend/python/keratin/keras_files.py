"""Model files of Keras 2: docs/keras-files.md."""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any
    from keratin._native import Function
    from keratin._types import PathLike


def load(path: PathLike, trainable: bool = False, name: str = '', **kwargs: Any) -> Function:
    """The graph of a model that Keras 2 or tf.keras saved (Model.save), as a function.

    Keras is not needed; nor is h5py, but libhdf5 is.

    Args:
        path: the file, '.h5' or '.hdf5'.
        trainable: whether the weights are variables, the function's `variables`; else all are
            constants.
        name: the function's name.
        **kwargs: those of function(), of which a file says nothing.

    Returns:
        A keratin.Function, which computes what Model.predict does. Its inputs and outputs are called
        after the layers that they come from; they are tensors, to compute with and to differentiate.

    Raises:
        ValueError: for a file that is no model, or a wrong one, and for an unknown keyword.
        NotImplementedError: for layers and arguments that are not known.
        RuntimeError: if the file cannot be read, and where there is no libhdf5.
    """
    return _native.load_keras(path, trainable, name, kwargs)
