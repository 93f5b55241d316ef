# What parameters of K functions may be.
import os
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy

from keratin._native import Dim, Tensor

# A tensor or what becomes one.
Operand = Union[Tensor, complex, numpy.generic, numpy.ndarray, Sequence[Any]]
# An axis, several, or all.
Axes = Union[int, Sequence[int], None]
Size = Union[int, str, Dim, Tensor, None]
Shape = Union[Size, Sequence[Size]]
StaticShape = Tuple[Optional[int], ...]
DTypeLike = Any
PathLike = Union[str, os.PathLike[str]]
