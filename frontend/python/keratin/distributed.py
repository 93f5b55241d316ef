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
from keratin._native import Tensor as _Tensor
from keratin._native import functions as _native

if _TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Sequence, Tuple
    from keratin._native import Function, Tensor
    from keratin._types import PathLike


def init(mesh: Optional[Mapping[str, int]] = None) -> None:
    """Joins the ranks that the launcher has started; alone where there is none.

    Once a process, before the first function with shards is made. Keratin leaves the ranks at the
    end of the process.

    Args:
        mesh: axes that the ranks are arranged in, with the number of ranks along each; those of the last axis
            follow one another. A size that is sharded along one axis ('data', or what
            K.function(shard={'batch': 'rows'}) says) is in the same parts on all ranks that have the same
            place there.

    Raises:
        LostRankError: if the others do not come.
        RuntimeError: if what the launcher says makes no sense.
        TypeError, ValueError: if the mesh is none, or is not of as many ranks as there are.
    """
    _native.distributed_init({} if mesh is None else dict(mesh) if hasattr(mesh, 'keys') else mesh)


def is_initialized() -> bool:
    """Whether init() was called."""
    return _native.distributed_is_initialized()


def shrink() -> None:
    """After LostRankError, on all ranks that are left: these go on without those that are lost.

    They are the ranks of a job of their own, numbered in the order that they had, in a mesh that is shorter
    along its first axis. Functions with shards are called again, with parts for size() ranks. The calls that
    failed may have updated variables on some of the ranks: load_checkpoint() or broadcast() comes next.
    In a mesh of several axes a rank is needed at each place of the others: who has one along the first axis
    at which a rank is lost leaves the job, and ends.

    Raises:
        NotImplementedError: if the engine or parts of variables do not allow it.
        LostRankError: if one of those that are left does not come, or this one leaves.
    """
    _native.distributed_shrink()


def finalize() -> None:
    """Leaves the ranks; functions with shards cannot be called any more."""
    _native.distributed_finalize()


def rank(axis: Optional[str] = None) -> int:
    """The number of this process among the ranks; 0 before init().

    Args:
        axis: of the mesh; then its place along it.

    Raises:
        ValueError: if the mesh has no such axis.
    """
    return _native.distributed_rank(axis)


def size(axis: Optional[str] = None) -> int:
    """How many ranks there are; 1 before init().

    Args:
        axis: of the mesh; then how many there are along it.

    Raises:
        ValueError: if the mesh has no such axis.
    """
    return _native.distributed_size(axis)


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


def all_gather(x: Any, axis: int = 0, along: Optional[str] = None) -> Any:
    """What all ranks have, one behind the other along an axis.

    Args:
        x: an array, or what becomes one, in whose first dimension ranks may differ; or a tensor, of one shape
            on all ranks.
        axis: of a tensor; of an array the first.
        along: of a tensor, the axis of the mesh that the ranks are along.

    Returns:
        An array, the same on all ranks; or a tensor.

    Raises:
        ValueError: for a number, and for an array along another axis, or an axis of the mesh.
        RankError: if the parts do not fit together.
        LostRankError: if a rank is lost.
    """
    if isinstance(x, _Tensor):
        return _native.distributed_all_gather(x, axis, along or '')
    if along is not None:
        raise ValueError('distributed.all_gather: an array along %r; needed a tensor' % (along,))
    if axis:
        raise ValueError('distributed.all_gather: axis %r of an array; needed 0, or a tensor' % (axis,))
    return _native.distributed_all_gather_array(x)


# What ranks do together within a function, which all of them call, each with its own values: of the same
# shapes and dtypes on all. Results have the sizes that they have with size() ranks when the graph is
# built. `along` names an axis of the mesh: then it is what the size(along) ranks along it do, whose numbers
# are their places, rank(along). Gradients are those of the sum of what these make (docs/distributed.md).


def all_reduce(x: Tensor, reduction: str = 'sum', along: Optional[str] = None) -> Tensor:
    """The sum of all ranks' tensors, element by element.

    Args:
        x: a tensor.
        reduction: 'sum', 'max', 'min' or, of floats, 'mean'.
        along: the axis of the mesh that the ranks are along; all ranks without it.
    """
    return _native.distributed_all_reduce(x, reduction, along or '')


def reduce_scatter(x: Tensor, axis: int = 0, reduction: str = 'sum', along: Optional[str] = None) -> Tensor:
    """Of what all_reduce() makes this rank's part.

    Args:
        x: a tensor.
        axis: along which it is as many equal parts as there are ranks.
        reduction: as of all_reduce().
        along: the axis of the mesh that the ranks are along; all ranks without it.
    """
    return _native.distributed_reduce_scatter(x, axis, reduction, along or '')


def broadcast_from(x: Tensor, root: int = 0, along: Optional[str] = None) -> Tensor:
    """The tensor of one rank, on all.

    Args:
        x: a tensor.
        root: the rank.
        along: the axis of the mesh that the ranks are along; all ranks without it.
    """
    return _native.distributed_broadcast_from(x, root, along or '')


def all_to_all(x: Tensor, split_axis: int = 0, concat_axis: int = 0, along: Optional[str] = None) -> Tensor:
    """Of each rank's tensor the part that is for this one.

    Args:
        x: a tensor.
        split_axis: along which it is as many equal parts as there are ranks, one for each.
        concat_axis: along which the parts for this rank come one behind the other.
        along: the axis of the mesh that the ranks are along; all ranks without it.
    """
    return _native.distributed_all_to_all(x, split_axis, concat_axis, along or '')


def permute(x: Tensor, pairs: Sequence[Tuple[int, int]], along: Optional[str] = None) -> Tensor:
    """The tensor of another rank; zeros, where none sends its own.

    Args:
        x: a tensor.
        pairs: (the rank that sends, the rank that receives) each; none sends twice, or receives twice.
        along: the axis of the mesh that the ranks are along; all ranks without it.
    """
    senders, receivers = [sender for sender, _ in pairs], [receiver for _, receiver in pairs]
    return _native.distributed_permute(x, senders, receivers, along or '')


def rank_index(along: Optional[str] = None) -> Tensor:
    """rank(along), as an int64 scalar that each call finds out."""
    return _native.distributed_rank_index(along or '')


def rank_count(along: Optional[str] = None) -> Tensor:
    """size(along), as an int64 scalar that each call finds out."""
    return _native.distributed_rank_count(along or '')


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
