"""`AllreducePersistent`: averages persistent values over ranks."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from renga_comm_base.packing import pack, unpack
from renga_core.backend import Array, get_device_of, is_floating
from renga_core.communicator import CommunicatorBase
from renga_core.link import Link
from renga_core.training import PRIORITY_WRITER, Extension

__all__ = ["AllreducePersistent"]


class AllreducePersistent(Extension):
    """Replaces the floating persistent arrays of a model by their means over ranks.

    These are mainly the running mean and variance of batch normalization, which each rank computes from its own
    examples. They matter when the model is evaluated or saved, so once per epoch is enough; this extension runs before
    evaluators. Persistent integers, numbers and texts are unchanged.

    Args:
        model: The model, with the same structure on all ranks.
        comm: The communicator.

    Raises:
        MismatchError: When called, if persistent arrays differ between ranks in path, shape or dtype; on every rank.

    Source: ChainerMN's documentation of this class.
    """

    trigger = (1, "epoch")
    priority = PRIORITY_WRITER + 1

    def __init__(self, model: Link, comm: CommunicatorBase) -> None:
        self.model = model
        self.comm = comm

    def __call__(self, trainer: Any = None) -> None:
        """Take the means; called on every rank."""
        named = _persistent_arrays(self.model)
        self.comm.agree(
            "AllreducePersistent", [(path, tuple(array.shape), str(array.dtype)) for path, array in named.items()]
        )
        arrays = list(named.values())
        # Divide first, so that float16 does not overflow. Not `comm.mean`, which may use a less precise dtype.
        with get_device_of(arrays[0]).use() if arrays else nullcontext():
            means = unpack([self.comm.allreduce(flat / self.comm.size) for flat in pack(arrays)], arrays)
            for array, mean in zip(arrays, means, strict=True):
                array[...] = mean


def _persistent_arrays(model: Link) -> dict[str, Array]:
    """The floating persistent arrays of a tree of links, by path."""
    found = {}
    for path, link in sorted(model.namedlinks()):
        for name in sorted(link._persistent):
            value = getattr(link, name)
            if hasattr(value, "shape") and is_floating(value.dtype):
                found[f"{path}/{name}"] = value
    return found
