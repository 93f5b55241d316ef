"""Models for torch_models.py to judge, and inputs for them."""

import dataclasses

import torch

random = torch.Generator().manual_seed(1)


@dataclasses.dataclass
class Model:
    """A module, its inputs at two sizes, and the names of the unknown sizes of each input."""
    make: type
    first: tuple
    second: tuple
    sizes: tuple
    scripted: bool = False        # what the old exporter writes comes of torch.jit.script, not of a trace
    traced: tuple | None = None   # the second inputs of a trace that makes a number of a size
    exporters: tuple = ("dynamo", "torchscript")   # those that can write it


def normal(*sizes):
    return torch.randn(sizes, generator=random)


def words(*sizes):
    return torch.randint(0, 30, sizes, generator=random)


def padding(batch, length):
    return torch.arange(length)[None] >= length - torch.arange(batch)[:, None] % 3
