"""Several processes that run one program together, the ranks of a job: docs/distributed.md.

    from keratin import distributed

    distributed.init()                          # by what mpirun, srun or torchrun says
    x = K.placeholder((K.Dim('batch'), 784))
    ...
    step = K.function([x, y], [loss], updates, shard=['batch'])
    distributed.broadcast(weights)              # all begin with what rank 0 has
    step([part_of_x, part_of_y])                # this rank's part of the batch

What fails on one rank fails on all: with RankError, a RuntimeError, where it was another rank, after which
all may go on; with LostRankError, a RankError, where a rank is lost or did not come in time.
"""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from keratin._native import LostRankError, RankError
from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Sequence
    from keratin._native import Function, Tensor
    from keratin._types import PathLike


def init() -> None:
    """Joins the ranks that the launcher has started; alone where there is none.

    Once a process, before the first function with shards is made. Keratin leaves the ranks at the
    end of the process.

    Raises:
        LostRankError: if the others do not come.
        RuntimeError: if what the launcher says makes no sense.
    """
    _native.distributed_init()


def is_initialized() -> bool:
    """Whether init() was called."""
    return _native.distributed_is_initialized()


def finalize() -> None:
    """Leaves the ranks; functions with shards cannot be called any more."""
    _native.distributed_finalize()


def rank() -> int:
    """The number of this process among the ranks; 0 before init()."""
    return _native.distributed_rank()


def size() -> int:
    """How many ranks there are; 1 before init()."""
    return _native.distributed_size()


def engine() -> str:
    """What carries messages: 'Open MPI', 'MPICH', 'shared memory', 'one rank'."""
    return _native.distributed_engine()


def barrier() -> None:
    """Returns when all ranks have come to it.

    Raises:
        LostRankError: if one does not.
    """
    _native.distributed_barrier()


def broadcast(variables: Sequence[Tensor], root: int = 0) -> None:
    """Gives the variables of all ranks the values that they have on one.

    Args:
        variables: the same ones, in the same order, on all ranks.
        root: the rank whose values they are.

    Raises:
        ValueError: for what is no variable, and for a rank that there is not.
        RankError: if the ranks do not name the same variables.
        LostRankError: if one is lost.
    """
    _native.distributed_broadcast(list(variables), root)


def all_gather(part: Any) -> Any:
    """The parts of all ranks, one behind the other along the first dimension.

    Args:
        part: an array, or what becomes one, with a dimension at least; in the first one ranks may
            differ.

    Returns:
        An array, the same on all ranks.

    Raises:
        ValueError: for a number.
        RankError: if the parts do not fit together.
        LostRankError: if a rank is lost.
    """
    return _native.distributed_all_gather(part)


def save_checkpoint(variables: Function | Sequence[Tensor], path: PathLike) -> None:
    """Writes the state of a training, each rank a part of it: a set of safetensors files and its index.

    The set takes the place of an older one whole, when all is on the disk. K.load_weights() reads it in one
    process.

    Args:
        variables: the function of a step, with all that its calls change, what random functions count their
            draws with among it; or variables, the same ones on all ranks.
        path: the path of the index, which ends in '.safetensors.index.json', in a folder that all ranks have.

    Raises:
        ValueError: as of K.save_weights().
        RuntimeError: if this rank cannot write its part.
        RankError: if another one cannot, or has other variables.
        LostRankError: if a rank is lost; the older set is whole then, or this one.
    """
    _native.distributed_save_checkpoint(variables, path)


def load_checkpoint(variables: Function | Sequence[Tensor], path: PathLike) -> None:
    """Takes values from what save_checkpoint() has written, with whatever number of ranks.

    All ranks have new values, or none has.

    Args:
        variables: as of save_checkpoint().
        path: the path of the index.

    Raises:
        ValueError: for anything wrong in the files, and as K.load_weights().
        RuntimeError: if they cannot be read.
        RankError: if another rank fails, or finds other values.
    """
    _native.distributed_load_checkpoint(variables, path)
