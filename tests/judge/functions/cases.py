"""Random cases of K functions: what the tables of the judge are made of.

An entry of TABLE takes a source of random numbers and gives a case: inputs, arguments as K takes
them, and a function of PyTorch tensors (floats are float64) that computes the same by other means.
"""

import dataclasses
import typing

import numpy as np

EPSILON = 1e-7  # K's default


class Disagreement(Exception):
    """What a reference finds wrong in results that it looks at itself."""


@dataclasses.dataclass
class Case:
    inputs: list
    reference: typing.Callable
    args: dict = dataclasses.field(default_factory=dict)
    second: bool = True  # gradients of gradients, too
    known: bool = False  # K must know all sizes
    # The reference also gets what K found, first: it judges what is drawn at random.
    drawn: bool = False
    slack: float = 1.0  # for gradients that add up thousands of terms
    # Inputs that are no dense placeholder: "variable" and "sparse variable" (which hold the values),
    # "sparse" (a placeholder), "phase" (the learning phase).
    kinds: dict = dataclasses.field(default_factory=dict)
    id: str = ""
    function: str = ""
    dtype: str = "float64"
    declared: list = None

    def kind(self, i):
        return self.kinds.get(i, "placeholder")

    def is_sparse(self, i):
        return self.kind(i).startswith("sparse")


class Random(np.random.Generator):
    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))

    def size(self, low=1, high=5):
        return int(self.integers(low, high + 1))

    def dims(self, rank, low=1, high=4):
        return tuple(self.size(low, high) for _ in range(rank))

    def one_of(self, *options):
        return options[int(self.integers(len(options)))]

    def chance(self, probability=0.5):
        return bool(self.random() < probability)

    def numbers(self, shape):
        return self.normal(size=shape)

    def positive(self, shape):
        return self.uniform(0.2, 3.0, size=shape)

    def whole(self, shape, low=-9, high=9):
        """Integers of some dtype."""
        dtype = self.one_of("int8", "int16", "int32", "int64")
        return self.integers(low, high + 1, size=shape).astype(dtype)

    def sparse(self, shape):
        """Numbers most of which are 0, none of those stored."""
        return np.where(self.random(shape) < 0.4, self.numbers(shape), 0.0)

    def axis(self, rank):
        return int(self.integers(-rank, rank))

    def axes(self, rank):
        if self.chance(0.3):
            return None
        if self.chance(0.4):
            return self.axis(rank)
        count = self.size(1, rank)
        return [int(axis) for axis in self.permutation(rank)[:count]]


def make_case(name, number, make, random):
    case = make(random)
    case.id, case.function = f"{name}-{number:02}", name
    case.dtype = "float32" if number % 4 == 3 else "float64"
    case.inputs = [array.astype(case.dtype) if array.dtype.kind == "f" else array
                   for array in map(np.asarray, case.inputs)]
    case.declared = []
    for i, array in enumerate(case.inputs):
        declared = {"kind": case.kind(i), "dtype": str(array.dtype)}
        if declared["kind"].endswith("variable"):
            declared |= {"shape": array.shape, "values": array.reshape(-1).tolist()}
        else:
            declared["shape"] = [None if not case.known and random.chance(0.35) else size
                                 for size in array.shape]
        case.declared.append(declared)
    return case


TABLE = {}


def judged(*names):
    """Registers a maker of cases; one of several names gets its name as an argument.

    What follows a '-' tells the entries of one K function apart.
    """

    def register(make):
        for name in names:
            TABLE[name] = (lambda r, name=name: make(r, name)) if len(names) > 1 else make
        return make

    return register


def listed(axis, rank):
    """K's axis argument as sorted numbers."""
    axes = list(range(rank)) if axis is None else axis if isinstance(axis, list) else [axis]
    return sorted({a % rank for a in axes})
